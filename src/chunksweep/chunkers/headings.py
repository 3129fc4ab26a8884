"""Headings: a chunk is a section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import MeasuredChunker, Sizing, check_option
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.recursive import split_recursively
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings(MeasuredChunker):
    """Cuts at headings of any level; text before the first is a section too, and so is a document without any.

    size      a cap: a longer section is split as by Recursive; None: no cap
    overlap   between the parts of one section; ignored without a cap
    headings  "drop": heading lines are left out, so that a prefix puts them back. "keep": they are part of the text.

    A section without text gives no chunk.
    """

    headings: str = "drop"

    def __post_init__(self) -> None:
        check_option("headings", self.headings, ("drop", "keep"))
        MeasuredChunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """No cap unless one is given."""
        return Sizing(self.unit, None, overlap=self.size is not None)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The sections that are not blank, parts of those over the cap."""
        for section in document.sections:
            text = trimmed(document.text, section.span if self.headings == "keep" else section.body)
            if self.size is not None:
                yield from split_recursively(document.text, text, ruler, self.size, self.overlap)
            elif len(text):
                yield text
