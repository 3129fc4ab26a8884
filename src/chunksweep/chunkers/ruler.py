"""How size is measured: in characters, in words, or in tokens of the document tokenised once.

Libraries measure and cut strings: for them a ruler also counts, encodes and decodes a text of its own.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunksweep.records import Span
from chunksweep.tokens import Tokenizer

_IDEOGRAPHS = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}][^\w\s]*|[^\s{_IDEOGRAPHS}]+")


class Ruler(ABC):
    """Measures one document in one unit."""

    @abstractmethod
    def length(self, span: Span) -> int:
        """Units that `span` touches."""

    @abstractmethod
    def reach(self, start: int, units: int) -> int:
        """The greatest end such that [start, end) is at most `units` long; a character is never cut.

        Greater than `start` while text is left, even where the first character alone is longer than `units`.
        """

    @abstractmethod
    def reach_back(self, end: int, units: int) -> int:
        """The least start such that [start, end) is at most `units` long; `end` itself where none is."""

    @abstractmethod
    def count(self, text: str) -> int:
        """Units of a text on its own."""

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """A number for each unit of a text on its own."""

    @abstractmethod
    def decode(self, units: Sequence[int]) -> str:
        """The text of units; not always what was encoded, see Tokenizer.decode."""


@dataclass(frozen=True, slots=True)
class Characters(Ruler):
    """Counts characters (Unicode code points).

    total  characters of the document
    """

    total: int

    def length(self, span: Span) -> int:
        """Characters of `span`."""
        return len(span)

    def reach(self, start: int, units: int) -> int:
        """`units` characters further, at least one; the end of the text at most."""
        return min(start + max(units, 1), self.total)

    def reach_back(self, end: int, units: int) -> int:
        """`units` characters back; the start of the text at least."""
        return max(end - units, 0)

    def count(self, text: str) -> int:
        """Characters of a text."""
        return len(text)

    def encode(self, text: str) -> list[int]:
        """The code points of a text."""
        return list(map(ord, text))

    def decode(self, units: Sequence[int]) -> str:
        """The text of code points."""
        return "".join(map(chr, units))


@dataclass(frozen=True, slots=True)
class _Runs(Ruler):
    """Counts the runs of characters, found in the whole document, that a span touches.

    What lies in no run has length 0.

    starts, ends  characters of every run, [start, end), neither decreasing
    total         characters of the document
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    total: int

    def length(self, span: Span) -> int:
        """Runs with a character in `span`."""
        return max(bisect_left(self.starts, span.end) - bisect_right(self.ends, span.start), 0)

    def reach(self, start: int, units: int) -> int:
        """The start of the first run that is too many."""
        end = self._start_of(bisect_right(self.ends, start) + units)
        # Not past `start` where the first character alone has more runs: then the whole character.
        return end if end > start else self._start_of(bisect_right(self.starts, start))

    def reach_back(self, end: int, units: int) -> int:
        """The end of the last run that is too many."""
        too_many = bisect_left(self.starts, end) - units - 1
        if units == 0:
            return end
        return min(self.ends[too_many], end) if too_many >= 0 else 0

    def _start_of(self, run: int) -> int:
        return self.starts[run] if run < len(self.starts) else self.total


@dataclass(frozen=True, slots=True)
class Tokens(_Runs):
    """Counts the tokens of the whole document that a span touches.

    The text of a span tokenised on its own can differ by a few tokens where the span begins or ends inside a token.
    A character of several tokens is never cut.

    tokenizer  what found them
    """

    tokenizer: Tokenizer = field(compare=False)

    @classmethod
    def of(cls, text: str, tokenizer: Tokenizer) -> Tokens:
        """The ruler of `text`, tokenised once."""
        starts, ends = tokenizer.offsets(text)
        return cls(tuple(starts.tolist()), tuple(ends.tolist()), len(text), tokenizer)

    def count(self, text: str) -> int:
        """Tokens of a text on its own."""
        return int(self.tokenizer.count([text])[0])

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of a text on its own."""
        return self.tokenizer.encode(text)

    def decode(self, units: Sequence[int]) -> str:
        """The text of token ids."""
        return self.tokenizer.decode(units)


@dataclass(frozen=True, slots=True)
class Words(_Runs):
    """Counts the words that a span touches: runs without white space, and each Chinese or Japanese character by itself.

    Punctuation belongs to the word before it.
    """

    @classmethod
    def of(cls, text: str) -> Words:
        """The ruler of `text`."""
        found = [match.span() for match in _WORD.finditer(text)]
        return cls(tuple(start for start, _ in found), tuple(end for _, end in found), len(text))

    def count(self, text: str) -> int:
        """Words of a text."""
        return len(_WORD.findall(text))

    def encode(self, text: str) -> list[int]:  # noqa: ARG002
        """Raises ValueError: no library cuts by words, so they have no numbers."""
        raise ValueError("words have no numbers")

    def decode(self, units: Sequence[int]) -> str:  # noqa: ARG002
        """Raises ValueError, as `encode`."""
        raise ValueError("words have no numbers")
