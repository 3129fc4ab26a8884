"""`chunksweep list`: what can be chosen, and what was run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import listing, show_json
from chunksweep.cli.sweep import named_sweeps
from chunksweep.paths import first_comment, group_options, shipped
from chunksweep.tracking import Store, resolve_uri

WHAT = "Lists corpora, chunkers, embedders, named sweeps, and past sweeps with their ids."
EXAMPLE = """\
example:
  chunksweep list
"""
GROUPS = {"corpora": "corpus", "chunkers": "chunker", "embedders": "embedder"}


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("list", WHAT, EXAMPLE)
    add_store(parser)
    own = parser.parse_args(arguments)
    listed: dict[str, Any] = {head: choices(group) for head, group in GROUPS.items()}
    listed["sweeps"] = named_sweeps()
    listed["past_sweeps"] = [
        {key: sweep[key] for key in ("sweep_id", "sweep_name", "status", "started_ms")}
        for sweep in Store(resolve_uri(own.tracking_uri, None)).sweeps()
    ]
    if own.format == "json":
        show_json(listed)
    else:
        print_listed(listed)
    return 0


def choices(group: str) -> dict[str, str]:
    """The members of a configuration group and what each is."""
    return {name: first_comment(shipped("conf") / group / f"{name}.yaml") for name in group_options(group)}


def print_listed(listed: dict[str, Any]) -> None:
    """Prints the lists under their heads."""
    for head in (*GROUPS, "sweeps"):
        print(listing(head, listed[head]))
    print("past sweeps")
    for sweep in listed["past_sweeps"]:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(sweep["started_ms"] / 1000))
        print(f"  {sweep['sweep_id']}  {at}  {sweep['status']:8}  {sweep['sweep_name'] or ''}".rstrip())
    if not listed["past_sweeps"]:
        print("  none yet")
