"""`chunksweep diff`: the questions won and lost between two runs."""

from __future__ import annotations

from collections.abc import Sequence

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import show, show_json
from chunksweep.cli.files import writable, write
from chunksweep.cli.past import finished_cell
from chunksweep.errors import ConfigError
from chunksweep.logged import LoggedRun, Row, Sources, sources_of
from chunksweep.measures.holding import Holders
from chunksweep.measures.outcomes import CUT
from chunksweep.prefix import prefix_for
from chunksweep.records import RunRecord
from chunksweep.report import diff as report
from chunksweep.report.cuts import CutFact, cut_facts
from chunksweep.report.html.page import diff_page
from chunksweep.report.labels import label, telling
from chunksweep.retrieval import expand, expansion_of
from chunksweep.tracking import Store, resolve_uri

WHAT = "Shows the questions won and lost from run A to run B, with the passages that made the difference."
EXAMPLE = """\
Won: the passages sent in B hold all that answers the question, those in A do not. Lost: the other way round.
A run id may be shortened; `chunksweep compare --format csv` shows them.

example, the two best runs of the latest sweep:
  chunksweep diff $(chunksweep compare --format csv | cut -d, -f1 | sed -n 2,3p)
"""
SAME = {"chunksweep.corpus_sha256": "documents", "chunksweep.questions_sha256": "questions"}


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("diff", WHAT, EXAMPLE)
    add_store(parser)
    parser.add_argument("a", metavar="RUN_A", help="the run before")
    parser.add_argument("b", metavar="RUN_B", help="the run after")
    parser.add_argument(
        "--full", action="store_true", help="print all passages whole, not only those that have the fact"
    )
    parser.add_argument("--html", metavar="FILE", help="write one HTML file with all passages instead of printing")
    own = parser.parse_args(arguments)
    path = None if own.html is None else writable(own.html, "--html")
    store = Store(resolve_uri(own.tracking_uri, None))
    a, b = LoggedRun(store, finished_cell(store, own.a)), LoggedRun(store, finished_cell(store, own.b))
    require_same_inputs(a.record, b.record)
    found = difference(a, b)
    if path:
        write(path, diff_page(found))
    if own.format == "json":
        show_json(report.shape(found))
    elif path:
        print(f"{path}: {len(found.won)} won, {len(found.lost)} lost, {found.same} the same")
    else:
        show(report.view(found, full=own.full))
    return 0


def require_same_inputs(a: RunRecord, b: RunRecord) -> None:
    """Raises ConfigError where the runs were made from other documents or questions."""
    for tag, what in SAME.items():
        if a.tags.get(tag) != b.tags.get(tag):
            raise ConfigError(
                f"runs {a.run_id[:8]} and {b.run_id[:8]} have different {what} (sha256 {_short(a, tag)} and "
                f"{_short(b, tag)}), so their answers cannot be compared. Choose two runs on the same {what}."
            )


def _short(record: RunRecord, tag: str) -> str:
    return record.tags.get(tag, "none")[:8]


def difference(a: LoggedRun, b: LoggedRun) -> report.Difference:
    """What changed from A to B.

    Raises TrackingError where an artifact cannot be read.
    """
    changes = report.changes(a.rows, b.rows)
    sources = read_sources(a, b)
    cut_in_a = cut_in(a, [row for row, _ in changes.won], sources)
    cut_in_b = cut_in(b, [row for _, row in changes.lost], sources)

    def sides(pairs: Sequence[tuple[Row, Row]]) -> tuple[tuple[report.Side, report.Side], ...]:
        return tuple(
            (
                report.side(before, sources, a.prefix, cut_in_a.get(before.id, ())),
                report.side(after, sources, b.prefix, cut_in_b.get(after.id, ())),
            )
            for before, after in pairs
        )

    keys = telling([a.record.params, b.record.params])
    return report.Difference(
        a=_named(a, keys),
        b=_named(b, keys),
        won=sides(changes.won),
        lost=sides(changes.lost),
        same=changes.same,
        documents={document.id: document.text for document in sources.corpus.documents},
        missing=sources.missing,
    )


def _named(run: LoggedRun, keys: Sequence[str]) -> report.Run:
    answered = sum(row.answered for row in run.rows.values())
    return report.Run(run.record.run_id, label(run.record.params, keys), answered)


def read_sources(a: LoggedRun, b: LoggedRun) -> Sources:
    """What can still be read of the inputs, from where B found them or else from where A did."""
    of_b = sources_of(b)
    if not of_b.missing or a.configuration["corpus"] == b.configuration["corpus"]:
        return of_b
    of_a = sources_of(a)
    return of_b if of_a.missing else of_a


def cut_in(run: LoggedRun, lost: Sequence[Row], sources: Sources) -> dict[str, tuple[CutFact, ...]]:
    """For each question that the run lost because of it: the facts that no passage of the run holds."""
    cut = [sources.questions[row.id] for row in lost if row.outcome == CUT and row.id in sources.questions]
    if not cut:
        return {}
    corpus = sources.corpus
    expansion = expansion_of(run.configuration.get("retriever", {}))
    chunks = expand(expansion, corpus, run.chunks(corpus)).passages
    prefixes = None
    if run.prefix.send:
        name, template = run.prefix.name, run.prefix.template
        prefixes = [prefix_for(name, corpus.documents[row], span, template) for row, span in chunks.rows()]
    holders = Holders(corpus, chunks, prefixes)
    return {question.id: cut_facts(corpus, chunks, holders, [question]) for question in cut}
