"""FAQ: a chunk is a question with its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.boundaries import holds, paragraphs, trimmed
from chunksweep.chunkers.paragraphs import ends_in_heading, headed_paragraphs
from chunksweep.chunkers.ruler import Ruler
from chunksweep.chunkers.windows import merged
from chunksweep.records import Document, Section, Span, Table

LONGEST_QUESTION = 200
_LABELLED = re.compile(r"[\s>#*_-]*(?:q|question)\s*\d*\s*[:：.)]", re.IGNORECASE)
_QUESTION_MARKS = ("?", "？")
# What may stand behind a question mark: closing marks of emphasis, quotation and brackets.
_BEHIND = " \t*_`\"'”’»)]"
# Deeper than any heading: a question in the text has no heading below it.
_IN_TEXT = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Faq(Chunker):
    """Cuts before each question. What belongs to none is cut at blank lines, one paragraph a chunk.

    size     questions in a chunk, of those with nothing between them
    overlap  questions shared with the chunk before, less than size

    A question is a heading that ends in a question mark; the first line of a block that does, of at most 200
    characters; a line that begins with "Q:" or "Question:", however it is marked up or numbered; a row of a table with
    a column called question. Its answer goes on to the next question or to a heading that is not below its own. Heading
    lines directly above a question belong to it.
    """

    def sizing(self) -> Sizing:
        """One question with its answer."""
        return Sizing("questions", 1)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  questions are counted
        """Questions with their answers, and the paragraphs that belong to none."""
        for is_pair, items in groupby(_items(document), key=lambda item: item[0]):
            spans = [span for _, span in items]
            yield from merged(spans, self.size or 1, self.overlap) if is_pair else spans


Item = tuple[bool, Span]


def _items(document: Document) -> Iterator[Item]:
    """All text in order: (whether it is a question with its answer, where)."""
    position = 0
    for table in document.tables:
        if table.rows and _asks(document, table):
            yield from _in_text(document, Span(position, table.span.start))
            starts = [table.span.start, *(row.span.start for row in table.rows[1:])]
            yield from ((True, Span(start, row.span.end)) for start, row in zip(starts, table.rows, strict=True))
            position = table.span.end
    yield from _in_text(document, Span(position, len(document.text)))


def _asks(document: Document, table: Table) -> bool:
    names = (document.text[name.start : name.end].strip(" *_").casefold() for name in table.header)
    return any(name in ("q", "question") for name in names)


def _in_text(document: Document, span: Span) -> Iterator[Item]:
    position = span.start
    for pair in _pairs(document, span):
        outside = list(headed_paragraphs(document, Span(position, pair.start)))
        start = outside.pop().start if outside and ends_in_heading(document, outside[-1]) else pair.start
        yield from ((False, paragraph) for paragraph in outside)
        yield True, trimmed(document.text, Span(start, pair.end))
        position = pair.end
    yield from ((False, paragraph) for paragraph in headed_paragraphs(document, Span(position, span.end)))


def _pairs(document: Document, span: Span) -> Iterator[Span]:
    """Each question up to where its answer ends."""
    start, level = None, 0
    for position, mark_level, asks in _marks(document, span):
        if start is not None and (asks or mark_level <= level):
            # A question without a word below it belongs to the one that follows.
            if asks and ends_in_heading(document, trimmed(document.text, Span(start, position))):
                level = mark_level
                continue
            yield Span(start, position)
            start = None
        if asks:
            start, level = position, mark_level
    if start is not None:
        yield Span(start, span.end)


def _marks(document: Document, span: Span) -> Iterator[tuple[int, int, bool]]:
    """Headings and questions in order: where each begins, the level of its heading, whether it is a question."""
    for section in document.sections:
        if section.level and span.contains(section.heading_span):
            yield section.span.start, section.level, _ends_in_question_mark(section.heading)
        body = _overlap(section, span)
        if body:
            yield from ((position, _IN_TEXT, True) for position in _questions(document, body))


def _overlap(section: Section, span: Span) -> Span | None:
    start, end = max(section.body.start, span.start), min(section.body.end, span.end)
    return Span(start, end) if start < end else None


def _questions(document: Document, body: Span) -> Iterator[int]:
    """Where the lines begin that ask a question."""
    for paragraph in paragraphs(document.text, body, document.verbatim):
        position = paragraph.start
        for line in document.text[paragraph.start : paragraph.end].split("\n"):
            opens = position == paragraph.start and len(line) <= LONGEST_QUESTION and _ends_in_question_mark(line)
            if (opens or _LABELLED.match(line)) and not holds(document.verbatim, position):
                yield position
            position += len(line) + 1


def _ends_in_question_mark(line: str) -> bool:
    return line.rstrip(_BEHIND).endswith(_QUESTION_MARKS)
