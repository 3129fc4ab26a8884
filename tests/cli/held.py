"""The program, held at one place until a file appears, so that a test can look at it or interrupt it there.

HOLD_AT      what is held: "embedding" (the second block of texts), "measuring" (the cells of the chunker whole) or
             "logging" (the files of a cell)
HOLD_FOLDER  where "reached" is written when the place is reached; the program goes on once "go" is there
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from chunksweep.cli import main
from chunksweep.embedders.test import WordInitials
from chunksweep.sweep import execute
from chunksweep.sweep.worker import RankingTask
from chunksweep.tracking import Store

LONGEST_S = 120


def hold() -> None:
    """Says that the place is reached, and waits; only the first time."""
    folder = Path(os.environ["HOLD_FOLDER"])
    if (folder / "reached").exists():
        return
    (folder / "reached").touch()
    end = time.monotonic() + LONGEST_S
    while not (folder / "go").exists():
        if time.monotonic() > end:
            raise TimeoutError("the test did not let the program go on")
        time.sleep(0.02)


def before(call: Callable[..., Any], condition: Callable[..., bool]) -> Callable[..., Any]:
    """The call, held when the condition on its arguments is true."""

    def held(*arguments: Any, **options: Any) -> Any:
        if condition(*arguments):
            hold()
        return call(*arguments, **options)

    return held


# By name, so that worker processes import it: they are handed functions of modules, not patched modules.
rank = execute.run_ranking


def run_ranking(task: RankingTask) -> Any:
    """As the program's own, held for the cells of one chunker."""
    if task.cells[0].chunker.name == "whole":
        hold()
    return rank(task)


def held_main(arguments: Sequence[str]) -> int:
    """Runs a command, held where HOLD_AT says."""
    match os.environ["HOLD_AT"]:
        case "embedding":
            blocks = count(1)
            WordInitials.embed = before(WordInitials.embed, lambda *_: next(blocks) == 2)  # type: ignore[method-assign]
        case "measuring":
            execute.run_ranking = run_ranking
        case "logging":
            Store._write_files = before(Store._write_files, lambda *_: True)  # type: ignore[method-assign]
        case place:
            raise ValueError(place)
    return main(arguments)
