"""`chunksweep cache`: what the embedding cache holds, and dropping what no longer serves."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import show, show_json
from chunksweep.embedders.store import VectorStore
from chunksweep.embedders.upkeep import SECONDS_A_DAY, Kept, drop, kept_in, to_drop
from chunksweep.paths import cache_folder

WHAT = """\
info: what the embedding cache holds, by model. prune: drops vectors of models that are not installed any more, or \
have changed; or those that --model and --older-than name. Prune asks nothing.
"""
EXAMPLE = """\
examples:
  chunksweep cache info
  chunksweep cache prune --dry-run
  chunksweep cache prune --model test --older-than 30
"""
ARGUMENTS = (
    "info|prune [--dry-run] [--model NAME] [--older-than DAYS] [--format table|json] [--tracking-uri URI] "
    "[cache.dir=FOLDER]"
)
KEY = "cache.dir="
MEGABYTE = 1_000_000


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("cache", WHAT, EXAMPLE, ARGUMENTS)
    add_store(parser)
    parser.add_argument("action", choices=("info", "prune"), help="what to do")
    parser.add_argument("folder", nargs="?", type=_folder, metavar=f"{KEY}FOLDER", help="another folder")
    parser.add_argument("--dry-run", action="store_true", help="prune: show what would go, and keep it")
    parser.add_argument("--model", metavar="NAME", help="prune: only vectors of this embedder")
    parser.add_argument("--older-than", metavar="DAYS", type=_days, help="prune: only what was embedded so long ago")
    own = parser.parse_args(arguments)
    folder = cache_folder(own.folder)
    if own.action == "prune":
        return prune(folder, own)
    if own.dry_run or own.model or own.older_than is not None:
        parser.error("--dry-run, --model and --older-than are flags of prune")
    return info(folder, own.format)


def info(folder: Path, style: str) -> int:
    """Shows what the cache holds."""
    held = kept_in(folder)
    store = VectorStore(folder)
    whole = store.info()
    if style == "json":
        show_json(
            {
                "path": str(whole.path),
                "vectors": whole.entries,
                "bytes": whole.bytes,
                "models": [kept.shape() for kept in held],
                "damaged": [str(file) for file in store.damaged()],
            }
        )
        return 0
    print(f"{whole.path}\n{whole.entries:,} vectors, {_megabytes(whole.bytes)} on disk")
    if held:
        show(table(held))
    for file in store.damaged():
        print(f"{file.name}: damaged, moved aside, {_megabytes(file.stat().st_size)}")
    return 0


def prune(folder: Path, own: Any) -> int:
    """Drops, or with --dry-run only shows, what no longer serves or what the flags name."""
    before = None if own.older_than is None else int(time.time() - own.older_than * SECONDS_A_DAY)
    parts = to_drop(folder, own.model, before)
    size = VectorStore(folder).info().bytes
    if not own.dry_run:
        drop(folder, parts, before)
    freed = size - VectorStore(folder).info().bytes
    vectors = sum(part.holding.vectors for part in parts)
    if own.format == "json":
        shapes = [part.shape() for part in parts]
        show_json({"dry_run": own.dry_run, "vectors": vectors, "freed_bytes": freed, "models": shapes})
        return 0
    if parts:
        show(table(parts))
    would = "would be dropped" if own.dry_run else f"dropped, {_megabytes(freed)} less on disk"
    print(f"{vectors:,} vectors {would}.")
    return 0


def table(held: Sequence[Kept]) -> Table:
    """A line for each model and set of options."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("model", "options", "vectors", "size", "last written", "state"):
        made.add_column(head, justify="right" if head in ("vectors", "size") else "left", overflow="fold")
    for kept in held:
        options = kept.maker.options if kept.maker else {}
        made.add_row(
            kept.model,
            " ".join(f"{key}={value}" for key, value in options.items()),
            f"{kept.holding.vectors:,}",
            _megabytes(kept.holding.bytes),
            _day(kept.holding.last_written),
            "known" if kept.serves else "not known any more",
        )
    return made


def _day(seconds: int | None) -> str:
    return "" if seconds is None else time.strftime("%Y-%m-%d", time.localtime(seconds))


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"


def _folder(text: str) -> str:
    if not text.startswith(KEY) or text == KEY:
        raise ArgumentTypeError(f"{text}: {KEY}FOLDER is needed")
    return text.removeprefix(KEY)


def _days(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text}: a whole number of days is needed")
    return int(text)
