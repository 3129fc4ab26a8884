"""Sentences: a chunk is `size` consecutive sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from chunksweep.chunkers.base import Chunker, Sizing, check_option
from chunksweep.chunkers.boundaries import paragraphs, sentences, trimmed
from chunksweep.chunkers.ruler import Ruler
from chunksweep.chunkers.windows import merged
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Section, Span

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences(Chunker):
    """Cuts between sentences. A code block, and front matter, is one unit; a paragraph's end is a sentence's end.

    within    what no chunk crosses: "section", "paragraph" or "document"
    headings  "keep": a heading line is part of the unit that follows it and not counted; a chunk of its own where
              nothing does. "drop": it is left out. None: keep. Not possible within the document: there the text is
              cut as it stands and a heading line is a unit.
    language  ISO 639 code of the text's language, such as "en", "de" or "zh"
    """

    within: str = "section"
    headings: str | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        check_option("within", self.within, ("section", "document", "paragraph"))
        if not _LANGUAGE.fullmatch(self.language):
            raise ConfigError(
                f"chunker.language={self.language} is no language code. Allowed: ISO 639 in lower case, such as en, de "
                "or zh. Give the code of the documents' language."
            )
        if self.within != "document":
            object.__setattr__(self, "headings", self.headings or "keep")
            check_option("headings", str(self.headings), ("keep", "drop"))
        elif self.headings is not None:
            raise ConfigError(
                f"chunker.headings={self.headings} is not an option with chunker.within=document, where a heading line "
                "is a unit of its own. Leave it out, or give chunker.within=section or paragraph."
            )
        Chunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """One sentence."""
        return Sizing("sentences", 1)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  sentences are counted
        """Windows of sentences in each section, each paragraph, or the document."""
        for units in self._groups(document):
            yield from merged(units, self.size or 1, self.overlap)

    def _groups(self, document: Document) -> Iterator[list[Span]]:
        """Units that may share a chunk."""
        sections = [self._section(document, section) for section in document.sections]
        if self.within == "document":
            yield [unit for groups in sections for group in groups for unit in group]
            return
        for groups in sections:
            yield from groups if self.within == "paragraph" else [[unit for group in groups for unit in group]]

    def _section(self, document: Document, section: Section) -> list[list[Span]]:
        """Units of every paragraph of a section, with its heading where that is wanted."""
        groups = [
            list(_units(document, paragraph, self.language))
            for paragraph in paragraphs(document.text, section.body, document.verbatim)
        ]
        heading = trimmed(document.text, section.heading_span)
        if not len(heading) or self.headings == "drop":
            return groups
        if not groups or self.within == "document":
            return [[heading], *groups]
        first, *others = groups
        return [[Span(heading.start, first[0].end), *first[1:]], *others]


def _units(document: Document, paragraph: Span, language: str) -> Iterator[Span]:
    """The sentences of a paragraph, verbatim text in it uncut."""
    position = paragraph.start
    for code in _verbatim_in(document, paragraph):
        yield from sentences(document.text, Span(position, code.start), language)
        yield code
        position = code.end
    yield from sentences(document.text, Span(position, paragraph.end), language)


def _verbatim_in(document: Document, paragraph: Span) -> Iterator[Span]:
    """The parts of `paragraph` that are verbatim, without white space at either end."""
    first = bisect_right(document.verbatim, paragraph.start, key=lambda span: span.end)
    for span in islice(document.verbatim, first, None):
        if span.start >= paragraph.end:
            return
        yield trimmed(document.text, Span(max(span.start, paragraph.start), min(span.end, paragraph.end)))
