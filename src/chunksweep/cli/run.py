"""`chunksweep run`: one configuration."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from chunksweep.cli.arguments import QUOTING, Parser, add_store, require_hydra_flags
from chunksweep.cli.cells import execute, exit_code
from chunksweep.cli.console import show, show_json
from chunksweep.cli.leaderboards import show_bill
from chunksweep.cli.opening import how_to_open
from chunksweep.records import RunRecord
from chunksweep.report.labels import label, telling
from chunksweep.report.shapes import run_shape

WHAT = "Runs one configuration and logs it; prints its scores and costs."
EXAMPLE = f"""\
Every other argument goes to Hydra: KEY=VALUE sets a key, --cfg job shows the configuration.

{QUOTING}
example:
  chunksweep run corpus=runbooks chunker=recursive size=300
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("run", WHAT, EXAMPLE, "[--format table|json] [--tracking-uri URI] [OVERRIDE ...]")
    add_store(parser)
    own, overrides = parser.parse_known_args(arguments)
    require_hydra_flags(overrides, "run")
    done = execute(own, overrides, single=True)
    if done is None:
        return 0
    outcome, store = done
    record = outcome.records[0]
    if own.format == "json":
        show_json(run_shape(record))
    else:
        name = label(record.params, telling([record.params]))
        print(f"{name}\nrun {record.run_id} {record.status}")
        show(metrics_table(record))
        print()
        show_bill(record, name, store)
        print(how_to_open(outcome.sweep_id, store))
    return exit_code(outcome)


def metrics_table(record: RunRecord) -> Table:
    """All metrics, two a line."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    cells = [(name, f"{value:,.4g}") for name, value in sorted(record.metrics.items())]
    half = (len(cells) + 1) // 2
    for index in range(half):
        left, right = cells[index], cells[index + half] if index + half < len(cells) else ("", "")
        table.add_row(*left, *right)
    return table
