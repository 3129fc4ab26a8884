"""Where the chunks that a library gives as strings stand in the document, without trusting its offsets.

Chunks are placed in order, all together: of the places where each could stand those are taken that lose the least text
between chunks and keep best to the overlap that was asked for. So a text that occurs several times is not mistaken for
its first occurrence.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from chunksweep.records import Span

REPLACEMENT = "\ufffd"
# How many ways to place the chunks so far are kept in mind; in most texts there is one.
KEPT = 64
Item = TypeVar("Item")
_NON_BLANK = re.compile(r"\S")


class UnplacedError(ValueError):
    """A chunk whose text stands nowhere in the document behind the chunk before.

    number  of the chunk, from 1
    chunk   its text
    """

    def __init__(self, number: int, chunk: str) -> None:
        super().__init__(number, chunk)
        self.number = number
        self.chunk = chunk


@dataclass(frozen=True, slots=True)
class Aligned:
    """Chunks as spans of the document.

    spans     in the order given; starts do not decrease
    altered   chunks whose text is not exactly that of their span
    left_out  chunks without a character of the document: blank, or nothing but damaged characters
    """

    spans: tuple[Span, ...]
    altered: int
    left_out: int


def align(text: str, chunks: Iterable[str], earliest: Callable[[Span], int]) -> Aligned:
    """Places `chunks`, in order, in `text`.

    earliest  where the chunk after the given one may begin, by the overlap that was asked for

    Forgiven are differences in white space, case, accents and control characters, and U+FFFD at the ends of a chunk:
    a tokenizer that cuts a character in two leaves it on both sides. Raises UnplacedError for a chunk that differs in
    anything else.
    """
    given = list(chunks)
    placed = [chunk for chunk in given if chunk.strip(REPLACEMENT).strip()]
    spans = _Alignment(text, earliest).place(placed)
    altered = sum(text[span.start : span.end] != chunk for span, chunk in zip(spans, placed, strict=True))
    return Aligned(tuple(spans), altered, len(given) - len(placed))


def fold(text: str) -> str:
    """What libraries leave of a text: no white space, control characters, accents or case."""
    return "".join(map(_folded_character, text))


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to place the chunks up to one of them, the last at `span`.

    low     where the next chunk may begin, by the overlap that was asked for
    cost    characters lost between chunks or repeated beyond the overlap, chunks that lie inside another, chunks that
            are not placed as they stand
    before  the way up to the chunk before
    """

    cost: int
    span: Span
    low: int
    before: _Way | None = None


class _Alignment:
    """Finds the cheapest way to place chunks in a text."""

    def __init__(self, text: str, earliest: Callable[[Span], int]) -> None:
        self.text = text
        self.folded = _Folded(text)
        self.earliest = earliest

    def place(self, chunks: Sequence[str]) -> list[Span]:
        """The span of each chunk."""
        ways: list[_Way] = []
        for number, chunk in enumerate(chunks, start=1):
            ways = self._next(ways, chunk) or self._next(ways, chunk.strip(REPLACEMENT))
            if not ways:
                raise UnplacedError(number, chunk)
        end: _Way | None = min(ways, key=self._ended, default=None)
        spans = []
        while end is not None:
            spans.append(end.span)
            end = end.before
        return spans[::-1]

    def _ended(self, way: _Way) -> tuple[int, int]:
        return way.cost + self._letters(way.span.end, len(self.text)), way.span.start

    def _next(self, ways: Sequence[_Way], chunk: str) -> list[_Way]:
        """The cheapest ways that go on with `chunk`; [] where there is none."""
        found: dict[Span, _Way] = {}
        ways = sorted(ways, key=lambda way: (way.cost, -way.span.start))
        least = ways[0].cost if ways else 0
        for candidates in (self._free, self._exact, self._alike, self._further):
            for span in candidates(ways, chunk):
                altered = self.text[span.start : span.end] != chunk
                # Places of the chunk as it stands are as long as one another: none lies inside another.
                inside = altered and any(other.start <= span.start and span.end <= other.end for other in found)
                if span not in found and not inside and (way := self._way(ways, span, int(altered))):
                    found[span] = way
            # What costs nothing needs no other place; what does may have been meant to stand elsewhere.
            if any(way.cost == least for way in found.values()):
                break
        return _kept(sorted(found.values(), key=lambda way: (way.cost, way.span)))

    def _way(self, ways: Sequence[_Way], span: Span, extra: int) -> _Way | None:
        """The cheapest way to `span`, which itself costs `extra`; None where all begin behind it.

        ways  the cheapest first, the furthest first of those
        """
        if not ways:
            return _Way(extra + self._letters(0, span.start), span, self.earliest(span))
        best: _Way | None = None
        least = 0
        for way in ways:
            if best and way.cost >= least:
                break
            if way.span.start <= span.start and ((cost := way.cost + self._step(way, span)) < least or not best):
                best, least = way, cost
        return _Way(extra + least, span, self.earliest(span), best) if best else None

    def _step(self, way: _Way, span: Span) -> int:
        one = way.span
        inside = span.end <= one.end or span.start == one.start
        if span.start < one.end:
            return self._letters(span.start, way.low) + inside
        return self._letters(one.end, span.start) + inside

    def _letters(self, start: int, end: int) -> int:
        """Characters in [start, end) but for white space; 0 where that is empty."""
        if start >= end:
            return 0
        return sum(map(len, self.text[start:end].split()))

    def _free(self, ways: Sequence[_Way], chunk: str) -> list[Span]:
        """Places of the chunk as it stands that go on from a way within the overlap that was asked for."""
        zones = [(way.low, self._goes_on(way.span.end)) for way in ways] or [(0, self._goes_on(0))]
        starts = {start for low, high in zones for start in _occurrences(self.text, chunk, low, high)}
        return [Span(start, start + len(chunk)) for start in _ends(sorted(starts))]

    def _exact(self, ways: Sequence[_Way], chunk: str) -> list[Span]:
        """Places of the chunk as it stands that begin where any way goes on, or within its last chunk."""
        return [Span(start, start + len(chunk)) for start in _occurrences(self.text, chunk, *self._zone(ways))]

    def _alike(self, ways: Sequence[_Way], chunk: str) -> list[Span]:
        """As `_exact`, of the folded chunk."""
        return self.folded.find(fold(chunk), *self._zone(ways))

    def _further(self, ways: Sequence[_Way], chunk: str) -> list[Span]:
        """The first place further on of the chunk as it stands, else of the folded chunk."""
        _, high = self._zone(ways)
        start = self.text.find(chunk, high)
        return [Span(start, start + len(chunk))] if start >= 0 else self.folded.first(fold(chunk), high)

    def _zone(self, ways: Sequence[_Way]) -> tuple[int, int]:
        low = min((way.span.start for way in ways), default=0)
        return low, self._goes_on(max((way.span.end for way in ways), default=0))

    def _goes_on(self, position: int) -> int:
        """The end of the places where a chunk can begin without leaving out what stands before it."""
        match = _NON_BLANK.search(self.text, position)
        return match.start() + 1 if match else len(self.text)


def _occurrences(text: str, part: str, low: int, high: int) -> list[int]:
    """Where `part` begins in [low, high): the first and the last KEPT places.

    A run of equal text has many: those give the most overlap and the least.
    """
    first: list[int] = []
    end = high - 1 + len(part)
    start = text.find(part, low, end)
    while start >= 0 and len(first) < KEPT:
        first.append(start)
        start = text.find(part, start + 1, end)
    last: list[int] = []
    start = text.rfind(part, first[-1] + 1, end) if first else -1
    while start >= 0 and len(last) < KEPT:
        last.append(start)
        start = text.rfind(part, first[-1] + 1, start - 1 + len(part))
    return first + last[::-1]


def _kept(ways: list[_Way]) -> list[_Way]:
    """The cheapest ways, those at both ends of a long run of equal ones."""
    cheapest = [way for way in ways if way.cost == ways[0].cost]
    return _ends(cheapest) if len(cheapest) > KEPT else ways[: 2 * KEPT]


def _ends(items: list[Item]) -> list[Item]:
    """The first and the last: where a run of equal text leaves many places, the most overlap and the least."""
    return items if len(items) <= 2 * KEPT else items[:KEPT] + items[-KEPT:]


class _Folded:
    """What is left of a text when it is folded, and where it stands there; worked out where it is first needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def letters(self) -> str:
        return "".join(self._table[character] for character in self.text)

    @cached_property
    def places(self) -> list[int]:
        """The position in the text of each of `letters`."""
        return [place for place, character in enumerate(self.text) for _ in self._table[character]]

    @cached_property
    def _table(self) -> dict[str, str]:
        return {character: _folded_character(character) for character in set(self.text)}

    def find(self, letters: str, low: int, high: int) -> list[Span]:
        """Spans that fold to `letters` and begin in [low, high)."""
        if not letters:
            return []
        ends = bisect_left(self.places, low), bisect_left(self.places, high)
        return [self._span(found, letters) for found in _occurrences(self.letters, letters, *ends)]

    def first(self, letters: str, low: int) -> list[Span]:
        """The first span from `low` that folds to `letters`, if there is one."""
        found = self.letters.find(letters, bisect_left(self.places, low)) if letters else -1
        return [self._span(found, letters)] if found >= 0 else []

    def _span(self, found: int, letters: str) -> Span:
        return Span(self.places[found], self.places[found + len(letters) - 1] + 1)


def _folded_character(character: str) -> str:
    letters = character.lower() if character.isascii() else unicodedata.normalize("NFD", character.lower())
    return "".join(letter for letter in letters if _is_kept(letter) and not unicodedata.combining(letter))


def _is_kept(letter: str) -> bool:
    """Whether libraries leave it: characters of one's own, and those that Python does not know yet, are no controls."""
    return not letter.isspace() and (letter.isprintable() or unicodedata.category(letter) in ("Cn", "Co", "Cs"))
