"""Where things are printed: results to standard output, progress and messages to standard error."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

WIDTH = 80


def show(renderable: RenderableType) -> None:
    """Prints a table or a text, at most 80 columns wide; brackets in it are text, not markup."""
    Console(width=WIDTH, markup=False, highlight=False, emoji=False).print(renderable)


def show_json(shape: Mapping[str, Any]) -> None:
    """Prints JSON and nothing else to standard output."""
    json.dump(shape, sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def listing(head: str, items: Mapping[str, str]) -> str:
    """Names under a head, with what each is."""
    width = max(map(len, items)) + 4
    lines = [
        textwrap.fill(what, WIDTH, initial_indent=f"  {name}".ljust(width), subsequent_indent=" " * width)
        for name, what in items.items()
    ]
    return "\n".join([head, *lines])


def note(message: str) -> None:
    """A message beside the result."""
    print(f"chunksweep: {message}", file=sys.stderr)


class Bars:
    """Progress bars on standard error, one for each step; silent where that is no terminal."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, markup=False, highlight=False),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._step: TaskID | None = None

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def step(self, name: str, total: int) -> None:
        """A step with `total` parts begins."""
        if self._step is not None:
            self._progress.update(self._step, visible=False)
        self._step = self._progress.add_task(name, total=total)

    def advance(self, parts: int = 1) -> None:
        """So many parts more are done."""
        if self._step is not None:
            self._progress.advance(self._step, parts)

    def failed(self, name: str, reason: str) -> None:
        """Shows at once that a cell failed."""
        self._progress.console.print(f"chunksweep: {name} failed: {reason}", style="red", soft_wrap=True)

    def note(self, message: str) -> None:
        """Shows what is to be known before the work begins."""
        self._progress.console.print(f"chunksweep: {message}", soft_wrap=True)
