"""Recursive: cut at the coarsest boundary that keeps the size."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chunksweep.chunkers.base import DEFAULT_SIZE, MeasuredChunker, Sizing
from chunksweep.chunkers.boundaries import paragraphs, sentences, words
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span

_LEVELS: tuple[Callable[[str, Span], list[Span]], ...] = (paragraphs, sentences, words)
_WORD_START = re.compile(r"(?<!\S)\S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recursive(MeasuredChunker):
    """Cuts at blank lines; a paragraph that is too long between sentences (found by the rules for English); such a
    sentence at white space; such a word between characters.

    Neighbours of one level are put together while they fit; the parts of something too long stay apart from what
    stands around it. Chunks have no white space at either end.

    A chunk begins at the first word within the last `overlap` units of the chunk before. Where the two meet inside a
    run without white space (a long word, Chinese text) it begins at exactly `overlap` units. It is later only where
    what comes next would not fit otherwise, and after the start of the chunk before in any case.
    """

    def sizing(self) -> Sizing:
        """400 characters, 80 words or 128 tokens."""
        return Sizing(self.unit, DEFAULT_SIZE[self.unit])

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The chunks of the whole text, headings and all."""
        size = self.size or DEFAULT_SIZE[self.unit]
        yield from split_recursively(document.text, Span(0, len(document.text)), ruler, size, self.overlap)


def split_at_words(text: str, span: Span, ruler: Ruler, size: int, overlap: int) -> Iterator[Span]:
    """As `split_recursively`, but cut at white space alone, and between characters where a word is too long."""
    return _Splitter(text, ruler, size, overlap).chunks(span, _LEVELS.index(words))


def split_recursively(text: str, span: Span, ruler: Ruler, size: int, overlap: int) -> Iterator[Span]:
    """Chunks of `span` of at most `size` units (a character longer than that excepted), as Recursive describes."""
    return _Splitter(text, ruler, size, overlap).chunks(span)


@dataclass(slots=True)
class _Splitter:
    """Goes through a text once, from left to right.

    last  the chunk before; None at the beginning
    """

    text: str
    ruler: Ruler
    size: int
    overlap: int
    last: Span | None = field(default=None, init=False)

    def chunks(self, span: Span, level: int = 0) -> Iterator[Span]:
        """Cuts `span` at the boundaries of `level`, and what is still too long at those of the next."""
        if level == len(_LEVELS):
            yield from self._characters(span)
            return
        pieces = _LEVELS[level](self.text, span)
        ends = [piece.end for piece in pieces]
        index = 0
        while index < len(pieces):
            piece = pieces[index]
            if piece.end > self.ruler.reach(piece.start, self.size):
                yield from self.chunks(piece, level + 1)
                index += 1
            else:
                start = self._start(piece)
                index = bisect_right(ends, self.ruler.reach(start, self.size), lo=index + 1)
                yield self._chunk(start, ends[index - 1])

    def _characters(self, word: Span) -> Iterator[Span]:
        """Cuts a word that is too long, as full as it goes."""
        end = word.start
        while end < word.end:
            least = min(self.ruler.reach(end, 1), word.end)
            start = self._start(Span(end, least))
            end = max(least, min(self.ruler.reach(start, self.size), word.end))
            yield self._chunk(start, end)

    def _chunk(self, start: int, end: int) -> Span:
        self.last = Span(start, end)
        return self.last

    def _start(self, piece: Span) -> int:
        """Where the chunk begins that brings `piece`: in the chunk before, as far back as overlap and size allow."""
        last = self.last
        if last is None or self.overlap == 0:
            return piece.start
        earliest = max(
            self.ruler.reach_back(last.end, self.overlap),
            self.ruler.reach_back(piece.end, self.size),
            last.start + 1,
        )
        word = _WORD_START.search(self.text, earliest, last.end)
        if word:
            return word.start()
        inside_a_word = last.end == piece.start
        return min(earliest, piece.start) if inside_a_word else piece.start
