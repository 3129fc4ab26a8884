"""`chunksweep report`: a sweep as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import note, show_json
from chunksweep.cli.files import writable, write
from chunksweep.cli.leaderboards import bill_of
from chunksweep.errors import ConfigError
from chunksweep.logged import LoggedRun, Row, sources_of
from chunksweep.records import RunRecord
from chunksweep.report import frontier
from chunksweep.report.html.content import CellRow, Part, SweepReport, cell_rows
from chunksweep.report.html.page import sweep_page
from chunksweep.report.verdict import Judged
from chunksweep.tracking import REPORT, Store, resolve_uri

WHAT = (
    "Writes a sweep as one HTML file that needs nothing else: verdict, figures, leaderboard, and what became of each "
    "question. It is attached to the sweep's run in MLflow as well."
)
EXAMPLE = """\
examples:
  chunksweep report
  chunksweep report --out report.html
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("report", WHAT, EXAMPLE)
    add_store(parser)
    parser.add_argument("--sweep", metavar="ID", help="the sweep (default: the latest); a unique beginning will do")
    parser.add_argument("--out", metavar="FILE", help="where to write it (default: report-SWEEP.html)")
    own = parser.parse_args(arguments)
    store = Store(resolve_uri(own.tracking_uri, None))
    sweep = store.sweep(own.sweep)
    sweep_id = str(sweep["sweep_id"])
    path = writable(own.out or f"report-{sweep_id}.html", "--out")
    found = gather(store, sweep)
    page = sweep_page(found)
    write(path, page)
    store.attach(sweep_id, {REPORT: page})
    for line in dict.fromkeys(line for part in found.parts for line in part.missing):
        note(line)
    if own.format == "json":
        show_json({"sweep_id": sweep_id, "path": str(path), "bytes": len(page.encode())})
    else:
        print(f"{path}: sweep {sweep_id}, {len(page.encode()) / 1e6:.2f} MB")
    return 0


def gather(store: Store, sweep: Mapping[str, Any]) -> SweepReport:
    """All that is shown of a sweep, which is as Store.sweep gives it.

    Raises ConfigError where none of its cells ended.
    """
    records = store.cells(sweep["sweep_id"])
    if not records:
        raise ConfigError(f"sweep {sweep['sweep_id']} has no cell that ended. Choose another: `chunksweep list`.")
    return SweepReport(sweep, tuple(records), tuple(_parts(store, records, store.judged(sweep["sweep_id"]))))


def _parts(store: Store, records: Sequence[RunRecord], judged: Sequence[Judged]) -> Iterator[Part]:
    groups: dict[tuple[str | None, str | None], list[RunRecord]] = {}
    for record in records:
        inputs = record.tags.get("chunksweep.corpus_sha256"), record.tags.get("chunksweep.questions_sha256")
        groups.setdefault(inputs, []).append(record)
    for of_part in groups.values():
        verdict = _verdict_on(of_part, judged)
        rows = cell_rows(of_part, verdict)
        runs = [LoggedRun(store, row.record) for row in rows]
        sources = sources_of(runs[0]) if runs else None
        yield Part(
            str(of_part[0].params["corpus"]),
            verdict,
            rows,
            {run.record.run_id: _answers(run) for run in runs},
            {name: document.text for name, document in sources.documents.items()} if sources else {},
            sources.missing if sources else (),
            tuple(_costs(store, rows)),
        )


def _costs(store: Store, rows: Sequence[CellRow]) -> Iterator[str]:
    """The best at equal budget, the front aside, which is drawn; then the bill of the recommended cell."""
    names = {row.record.run_id: row.name for row in rows}
    yield from [*frontier.sentences([row.record for row in rows], names)][1:]
    for row in rows:
        bill = bill_of(row.record, row.name, store) if row.recommended else None
        if bill:
            yield bill


def _answers(run: LoggedRun) -> list[Row]:
    return list(run.rows.values())


def _verdict_on(records: Sequence[RunRecord], judged: Sequence[Judged]) -> Judged | None:
    """The verdict whose cells these are."""
    ids = {record.run_id for record in records}
    return next((one for one in judged if ids & set(one.shape["contenders"])), None)
