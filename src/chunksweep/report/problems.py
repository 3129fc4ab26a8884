"""What `check` found, as text of 80 columns and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from chunksweep.checking import Check
from chunksweep.questions import Problem
from chunksweep.report.source import one_line

WIDTH = 80
SHOWN = 5
"""Problems of one kind in the text; there may be one for each of a thousand questions."""
LEVELS = {"error": "errors", "warning": "warnings"}


def shape(checked: Check) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "documents": checked.documents,
        "characters": checked.characters,
        "questions": checked.questions,
        "unread": [asdict(file) for file in checked.unread],
        "problems": [asdict(problem) for problem in checked.problems],
    }


def text(checked: Check) -> str:
    """Errors, then warnings, those with the same remedy together, then one line that sums up."""
    lines: list[str] = []
    for level in LEVELS:
        problems = [problem for problem in checked.problems if problem.level == level]
        if problems:
            lines += [_counted(len(problems), level).upper(), "", *_by_remedy(problems)]
    return "\n".join([*lines, *_wrapped(_summary(checked), "")])


def _by_remedy(problems: Sequence[Problem]) -> Iterator[str]:
    for hint, alike in groupby(problems, key=lambda problem: problem.hint):
        group = list(alike)
        for problem in group[:SHOWN]:
            yield from _wrapped(problem.where, "")
            yield from _wrapped(f"{problem.message}.", "  ")
        if len(group) > SHOWN:
            yield f"... and {len(group) - SHOWN:,} more of this kind: --format json lists them all"
        yield from _wrapped(hint, "  > ")
        yield ""


def _summary(checked: Check) -> str:
    several = f" ({checked.ambiguous:,} with a fact in several places)" if checked.ambiguous else ""
    examined = (
        f"{_counted(checked.documents, 'document')}, {_counted(checked.characters, 'character')}, "
        f"{_counted(checked.questions, 'question')}{several}"
    )
    found = [_counted(count, level) for level in LEVELS if (count := checked.with_level(level))]
    return f"{examined}: {', '.join(found) or 'nothing wrong'}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _wrapped(line: str, indent: str) -> list[str]:
    following = " " * len(indent)
    return textwrap.wrap(
        one_line(line), WIDTH, initial_indent=indent, subsequent_indent=following, break_on_hyphens=False
    )
