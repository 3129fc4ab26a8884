"""What the reports of readers are worded with."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 5


def some_of(what: str, numbers: Sequence[int]) -> str:
    """The first numbers of a list in words: "row 3", "rows 3, 5 and 9", or "rows 3, 5, 9, 11, 12 and 7 more".

    Raises ValueError where there is none.
    """
    if len(numbers) > _SHOWN + 1:
        return f"{what}s {', '.join(map(str, numbers[:_SHOWN]))} and {len(numbers) - _SHOWN} more"
    *rest, last = map(str, numbers)
    return f"{what}s {', '.join(rest)} and {last}" if rest else f"{what} {last}"


def said(error: Exception) -> str:
    """What an error of another library says, on one line."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
