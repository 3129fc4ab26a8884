"""`chunksweep compare`: the leaderboard and the verdict of a past sweep."""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import show_json
from chunksweep.cli.leaderboards import show_bills, show_leaderboards, show_verdicts
from chunksweep.cli.opening import how_to_open
from chunksweep.records import RunRecord
from chunksweep.report import leaderboard
from chunksweep.report.shapes import past_sweep_shape
from chunksweep.tracking import Store, resolve_uri

WHAT = "Prints the leaderboard and the verdict of a past sweep; of the latest when no id is given."
EXAMPLE = """\
examples:
  chunksweep compare
  chunksweep compare --sort cost/sent_tokens --limit 5 --format csv
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("compare", WHAT, EXAMPLE)
    add_store(parser, ("table", "json", "csv"))
    parser.add_argument("--sweep", metavar="ID", help="the sweep (default: the latest); a unique beginning will do")
    parser.add_argument("--sort", metavar="METRIC", default=leaderboard.BEST_FIRST, help="default: %(default)s")
    parser.add_argument("--limit", metavar="N", type=_rows, help="how many rows (default: all)")
    own = parser.parse_args(arguments)
    store = Store(resolve_uri(own.tracking_uri, None))
    sweep = store.sweep(own.sweep)
    runs = leaderboard.ordered(store.cells(sweep["sweep_id"]), own.sort)
    if own.format == "json":
        show_json(past_sweep_shape(sweep, runs, own.limit, store.judged(sweep["sweep_id"])))
    elif own.format == "csv":
        write_csv(runs[: own.limit])
    else:
        print(f"sweep {sweep['sweep_name'] or ''} {sweep['sweep_id']} {sweep['status']}\n".replace("  ", " "))
        show_leaderboards(runs, own.sort, own.limit)
        judged = store.judged(sweep["sweep_id"])
        show_verdicts(judged)
        show_bills(runs, judged, store)
        print(how_to_open(sweep["sweep_id"], store))
    return 0


def write_csv(runs: Sequence[RunRecord]) -> None:
    """All params and metrics, a row a run, to standard output."""
    params = list(dict.fromkeys(key for run in runs for key in run.params))
    metrics = sorted({key for run in runs for key in run.metrics})
    writer = csv.writer(sys.stdout)
    writer.writerow(["run_id", "status", *params, *metrics])
    for run in runs:
        writer.writerow([run.run_id, run.status, *map(run.params.get, params), *map(run.metrics.get, metrics)])


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text}: a whole number of at least 1 is needed")
    return int(text)
