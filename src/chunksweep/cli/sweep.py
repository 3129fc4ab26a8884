"""`chunksweep sweep`: a grid of configurations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from chunksweep.cli import USAGE
from chunksweep.cli.arguments import QUOTING, Parser, add_store, require_hydra_flags
from chunksweep.cli.cells import execute, exit_code
from chunksweep.cli.console import listing, show_json
from chunksweep.cli.leaderboards import show_bills, show_leaderboards, show_verdicts
from chunksweep.cli.opening import how_to_open
from chunksweep.errors import ConfigError
from chunksweep.paths import first_comment, shipped, sweep_names
from chunksweep.report.shapes import sweep_shape
from chunksweep.sweep.estimate import Estimate
from chunksweep.sweep.session import SweepOutcome

WHAT = "Runs a grid of configurations: a named one, and what comma lists on the command line add or replace."
EXAMPLE = f"""\
Every other argument goes to Hydra: KEY=A,B makes an axis, hydra.launcher.n_jobs=2 limits the worker processes.

{QUOTING}
examples:
  chunksweep sweep runbooks
  chunksweep sweep chunker=fixed,recursive size=200,400 overlap=0,0.2
  chunksweep sweep runbooks --resume
"""
ARGUMENTS = "[NAME] [--dry-run] [--resume] [--format table|json] [--tracking-uri URI] [OVERRIDE ...]"


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("sweep", WHAT, EXAMPLE, ARGUMENTS)
    add_store(parser)
    parser.add_argument("--dry-run", action="store_true", help="print the plan and its price only")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the latest sweep of the same cells, documents and questions: run what is missing or failed",
    )
    name, rest = _name(arguments)
    own, overrides = parser.parse_known_args(rest)
    if name is None and not overrides:
        list_names(own.format)
        return USAGE
    require_hydra_flags(overrides, "sweep")
    if name:
        _require_known(name, overrides)
    done = execute(own, overrides, name=name)
    if done is None:
        return 0
    outcome, store = done
    if own.format == "json":
        show_json(sweep_shape(outcome, outcome.records))
    elif own.dry_run:
        print(plan_text(outcome))
    else:
        print(summary(outcome))
        show_leaderboards(outcome.records)
        show_verdicts(outcome.judged)
        show_bills(outcome.records, outcome.judged, store)
        print(how_to_open(outcome.sweep_id, store))
    return exit_code(outcome)


def _name(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The name, which stands directly after `sweep`, and the rest."""
    if arguments and "=" not in arguments[0] and not arguments[0].startswith(("-", "+", "~")):
        return arguments[0], list(arguments[1:])
    return None, list(arguments)


def _require_known(name: str, overrides: Sequence[str]) -> None:
    """Raises ConfigError unless the name is in one place, and in one only."""
    folder = _config_dir(overrides)
    if folder and not folder.is_dir():
        raise ConfigError(f"--config-dir {folder}: no such folder. Give the one that {name}.yaml lies in.")
    theirs = sorted(path.stem for path in folder.glob("*.yaml")) if folder else []
    ours = sweep_names()
    if name in ours and name in theirs:
        raise ConfigError(f"sweep {name} is a name of chunksweep's and is in {folder} too. Rename the file there.")
    if name not in ours and name not in theirs:
        raise ConfigError(f"no sweep is called {name}. Names: {', '.join([*ours, *theirs])}.")


def _config_dir(overrides: Sequence[str]) -> Path | None:
    for flag, value in itertools.pairwise([*overrides, ""]):
        if flag in ("--config-dir", "-cd"):
            return Path(value)
        if flag.startswith("--config-dir="):
            return Path(flag.partition("=")[2])
    return None


def summary(outcome: SweepOutcome) -> str:
    """What was planned, what became of it, and on how many questions."""
    asked = ", ".join(f"{corpus} ({count} questions)" for corpus, count in outcome.questions.items())
    before = f" ({outcome.resumed} before)" if outcome.resumed else ""
    return (
        f"sweep {outcome.name or ''} {outcome.sweep_id}: {outcome.planned} cells planned, "
        f"{outcome.with_status('FINISHED')} finished{before}, {outcome.with_status('FAILED')} failed.\n{asked}\n"
    ).replace("sweep  ", "sweep ")


def plan_text(outcome: SweepOutcome) -> str:
    """The plan and its price."""
    counts = outcome.counts
    done = f", {outcome.resumed} finished before" if outcome.resumed else ""
    return (
        f"{counts['cells']} cells asked, {counts['distinct_cells']} distinct "
        f"({outcome.duplicates} duplicates, {sum(outcome.impossible.values())} impossible{done}).\n"
        f"{counts['texts']:,} texts, {counts['distinct_texts']:,} distinct, {counts['cached_texts']:,} in the cache; "
        f"{counts['embedded_texts']:,} to embed with {counts['embedded_tokens']:,} tokens."
        f"{_estimated(outcome.estimate)}"
    )


def _estimated(estimate: Estimate) -> str:
    """Time and money as far as they are known, on a line of their own."""
    parts = [] if estimate.seconds is None else [f"about {duration(estimate.seconds)} at the rate of last time"]
    parts += [] if estimate.usd is None else [f"{estimate.usd:,.4g} US dollars"]
    return f"\nEmbedding them: {', '.join(parts)}." if parts else ""


def duration(seconds: float) -> str:
    """Seconds, minutes or hours: what has about two digits."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def list_names(style: str) -> None:
    """What a sweep without a name and without axes prints."""
    if style == "json":
        show_json({"sweeps": named_sweeps()})
    else:
        print(listing("A sweep needs one of these names, or axes such as size=200,400:", named_sweeps()))


def named_sweeps() -> dict[str, str]:
    """The named sweeps and what each is for."""
    return {name: first_comment(shipped("sweeps") / f"{name}.yaml") for name in sweep_names()}
