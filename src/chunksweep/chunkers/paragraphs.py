"""Paragraphs: a chunk is `size` consecutive paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing, check_option
from chunksweep.chunkers.boundaries import paragraphs, trimmed
from chunksweep.chunkers.ruler import Ruler
from chunksweep.chunkers.windows import merged
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraphs(Chunker):
    """Cuts at blank lines, but not at those inside code blocks or front matter.

    headings  "keep": heading lines are part of the paragraph that follows them and not counted; a paragraph of their
              own at the end of a document. "drop": they are left out.

    The paragraphs of a chunk may belong to different sections.
    """

    headings: str = "keep"

    def __post_init__(self) -> None:
        check_option("headings", self.headings, ("keep", "drop"))
        Chunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """One paragraph."""
        return Sizing("paragraphs", 1)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  paragraphs are counted
        """Windows of paragraphs over the whole document."""
        yield from merged(list(self._units(document)), self.size or 1, self.overlap)

    def _units(self, document: Document) -> Iterator[Span]:
        """Paragraphs, each from the first of the heading lines directly above it."""
        above: Span | None = None
        for section in document.sections:
            heading = trimmed(document.text, section.heading_span)
            if len(heading) and self.headings == "keep":
                above = Span(above.start if above else heading.start, heading.end)
            for paragraph in paragraphs(document.text, section.body, document.verbatim):
                yield Span(above.start if above else paragraph.start, paragraph.end)
                above = None
        if above:
            yield above
