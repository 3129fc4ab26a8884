"""Plain text: a heading is a short line that opens a block and does not end like a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from chunksweep.documents.outline import Heading, line_starts, sections_of, title_of
from chunksweep.records import Document, Span

SUFFIXES = (".txt",)

MAX_CHARACTERS = 60
MAX_WORDS = 8
_SENTENCE_ENDS = (".", ",", ":", ";", "!", "?")


def read(text: str, document_id: str) -> Document:
    """A document whose headings are all of level 1; a text without headings is one section.

    A heading is a non-blank line of at most 60 characters and eight words (blanks around it not counted), first in
    its block (a run of non-blank lines), that does not end in one of . , : ; ! ?
    """
    headings = tuple(_headings(text))
    return Document(
        id=document_id,
        text=text,
        title=title_of(headings, document_id),
        sections=sections_of(text, headings),
        media_type="text/plain",
    )


def _headings(text: str) -> Iterator[Heading]:
    opens_block = True
    for start, end in pairwise(line_starts(text)):
        line = text[start:end].strip()
        if line and opens_block and _looks_like_a_heading(line):
            yield Heading(Span(start, end), words=" ".join(line.split()), level=1)
        opens_block = not line


def _looks_like_a_heading(line: str) -> bool:
    return len(line) <= MAX_CHARACTERS and len(line.split()) <= MAX_WORDS and not line.endswith(_SENTENCE_ENDS)
