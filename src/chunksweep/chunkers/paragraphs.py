"""Paragraphs: a chunk is `size` consecutive paragraphs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

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
        units = headed_paragraphs(document, Span(0, len(document.text)), keep=self.headings == "keep")
        yield from merged(list(units), self.size or 1, self.overlap)


def headed_paragraphs(document: Document, within: Span, keep: bool = True) -> Iterator[Span]:
    """The paragraphs of a part of the document, each from the first of the heading lines directly above it.

    within  does not begin or end inside a heading
    keep    else heading lines are left out; kept ones that no paragraph follows are one of their own
    """
    above: Span | None = None
    first = bisect_right(document.sections, within.start, key=lambda section: section.span.end)
    for section in islice(document.sections, first, None):
        if section.span.start >= within.end:
            break
        if keep and len(heading := trimmed(document.text, section.heading_span)) and within.contains(heading):
            above = Span(above.start if above else heading.start, heading.end)
        body = Span(max(section.body.start, within.start), max(min(section.body.end, within.end), within.start))
        for paragraph in paragraphs(document.text, body, document.verbatim):
            yield Span(above.start if above else paragraph.start, paragraph.end)
            above = None
    if above:
        yield above


def ends_in_heading(document: Document, span: Span) -> bool:
    """Whether the last word of `span` is one of a heading line."""
    section = document.section_at(span.end - 1)
    return section is not None and span.end <= trimmed(document.text, section.heading_span).end
