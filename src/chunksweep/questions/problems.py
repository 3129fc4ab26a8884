"""What can be wrong with a questions file, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SHOWN = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing the user can mend; `str(problem)` is the line that says how.

    level    "error": the question cannot be used; "warning": it can, but not as it may have been meant
    where    file, line or entry, and question as far as known
    message  what was given
    hint     what is allowed, what to do; a whole sentence
    """

    level: Literal["error", "warning"]
    where: str
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}. {self.hint}"


class EntryError(Exception):
    """An entry that cannot become a question; caught where its place in the file is known."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint


def quoted(text: str, limit: int | None = SHOWN) -> str:
    """The text in quotation marks on one line that can be printed, cut to `limit` characters where it is longer."""
    line = " ".join(text.split()).encode("utf-8", "backslashreplace").decode()
    if limit is not None and len(line) > limit:
        line = line[: limit - 1] + "…"
    return f'"{line}"'
