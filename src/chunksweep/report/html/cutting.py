"""How one or two configurations split a corpus, as a page shows it: plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunksweep.records import Document, Span
from chunksweep.report.chunks import ShownChunk, SplitCorpus, SplitDocument, shared_parts
from chunksweep.report.source import CUT, visible


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the source.

    shared  the chunk before has it too
    fact    it is part of a fact that no chunk holds
    """

    text: str
    shared: bool = False
    fact: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A chunk, or what stands between two and is in none.

    number  from 1; None for what is in no chunk
    span    where it lies
    about   its size, and its page
    path    its section path joined; "" where there is none
    before  what is embedded before it, "" where that is nothing
    """

    number: int | None
    span: Span
    pieces: tuple[Piece, ...]
    about: str = ""
    path: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One document as one configuration splits it."""

    name: str
    chunks: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One document, with a column for each configuration."""

    document: Document
    columns: tuple[Column, ...]


def pages(splits: Sequence[SplitCorpus]) -> list[Page]:
    """The documents that are shown, in order; every configuration shows the same ones."""
    return [
        Page(
            of_document[0].document,
            tuple(
                Column(split.name, len(shown.chunks), tuple(_blocks(shown, _facts(split, shown.document))))
                for split, shown in zip(splits, of_document, strict=True)
            ),
        )
        for of_document in zip(*(split.documents for split in splits), strict=True)
    ]


def _facts(split: SplitCorpus, document: Document) -> list[Span]:
    """The places of cut facts in a document."""
    return [cut.place.span for fact in split.cut for cut in fact.cuts if cut.place.document_id == document.id]


def _blocks(shown: SplitDocument, facts: Sequence[Span]) -> Iterator[Block]:
    text = shown.document.text
    reached = 0
    for number, (chunk, shared) in enumerate(zip(shown.chunks, shared_parts(shown.chunks), strict=True), 1):
        yield from _gap(text, reached, chunk.span.start, facts)
        yield _chunk(shown.document, number, chunk, shared, facts)
        reached = max(reached, chunk.span.end)
    yield from _gap(text, reached, len(text), facts)


def _gap(text: str, start: int, end: int, facts: Sequence[Span]) -> Iterator[Block]:
    if text[start:end].strip():
        span = Span(start, end)
        yield Block(None, span, tuple(_pieces(text, span, Span(start, start), facts)))


def _chunk(document: Document, number: int, chunk: ShownChunk, shared: Span, facts: Sequence[Span]) -> Block:
    page = f", page {document.page(chunk.span)}" if document.pages else ""
    return Block(
        number,
        chunk.span,
        tuple(_pieces(document.text, chunk.span, shared, facts)),
        f"{len(chunk.span):,} characters, {chunk.tokens:,} tokens{page}",
        " > ".join(map(visible, chunk.section_path)),
        visible(chunk.before + chunk.added),
    )


def _pieces(text: str, span: Span, shared: Span, facts: Sequence[Span]) -> Iterator[Piece]:
    """The text of a span, parted where it begins to be its own and where facts begin and end; CUT where one is cut."""
    inside = [fact for fact in facts if fact.overlaps(span)]
    edges = {edge for fact in inside for edge in (fact.start, fact.end) if span.start < edge < span.end}
    for start, end in pairwise(sorted({span.start, span.end, shared.end} | edges)):
        part = Span(start, end)
        fact = any(place.contains(part) for place in inside)
        left = CUT if any(place.start < start == span.start and place.contains(part) for place in inside) else ""
        right = CUT if any(place.end > end == span.end and place.contains(part) for place in inside) else ""
        yield Piece(f"{left}{visible(text[start:end])}{right}", shared.contains(part), fact)
