"""Fixed: windows of equal length, wherever they fall or between words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import DEFAULT_SIZE, MeasuredChunker, Sizing
from chunksweep.chunkers.recursive import split_at_words
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed(MeasuredChunker):
    """Cuts the text as it stands into windows of exactly `size` units; the last may be shorter.

    Windows are not trimmed; those of white space alone are left out. A window may end inside a word, and inside a
    character as a reader sees it: characters are code points, so a family emoji or a letter with a combining accent
    can be parted. A character of several tokens is not; where it does not fit, a window is shorter.

    whole_words  windows begin and end with a word, so they may be shorter than the size; a word is cut only where it
                 alone is longer than that. The overlap begins at the first word within it. Always so for sizes in words
    """

    whole_words: bool = False

    def __post_init__(self) -> None:
        MeasuredChunker.__post_init__(self)
        if self.unit == "words":
            object.__setattr__(self, "whole_words", True)

    def sizing(self) -> Sizing:
        """400 characters, 80 words or 128 tokens."""
        return Sizing(self.unit, DEFAULT_SIZE[self.unit])

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The windows that are not blank."""
        text, size = document.text, self.size or DEFAULT_SIZE[self.unit]
        if self.whole_words:
            yield from split_at_words(text, Span(0, len(text)), ruler, size, self.overlap)
            return
        start = end = 0
        while end < len(text):
            end = ruler.reach(start, size)
            if not text[start:end].isspace():
                yield Span(start, end)
            # The next window has to hold at least the next unit, or it would lie inside this one.
            fits = ruler.reach_back(ruler.reach(end, 1), size)
            start = min(max(ruler.reach_back(end, self.overlap), fits), end)
