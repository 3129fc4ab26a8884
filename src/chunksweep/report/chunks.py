"""How one configuration splits a corpus: the source with its boundaries, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from chunksweep.records import Document, Span, Unread
from chunksweep.report.cuts import CutFact
from chunksweep.report.source import CUT, Gutter, Ruled, marked, one_line, visible, with_cuts

# Neighbours differ in colour, so that a boundary is seen from afar.
COLOURS = ("cyan", "magenta")
OWN, SHARED, NOWHERE, BEFORE, ADDED = "│", "╎", "·", "+", "#"
CUT_STYLE = "bold red"


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk of a document.

    tokens  of its text with what the strategy added, without what is embedded before it
    before  prefix and separator, "" where there is none
    added   what the strategy put between that and the text, "" where it is nothing
    """

    span: Span
    section_path: tuple[str, ...]
    tokens: int
    before: str
    added: str = ""


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A document and its chunks in order."""

    document: Document
    chunks: tuple[ShownChunk, ...]


@dataclass(frozen=True, slots=True)
class SplitCorpus:
    """What is shown of a corpus that was split.

    name        what the configuration is called
    chunks      chunks of all documents
    characters  their mean length
    left_out    readable documents that are not shown
    facts       facts of the questions; None where there are no questions
    cut         those that no chunk holds, of the documents asked for
    sent        whether the prefix is sent, or only embedded
    """

    name: str
    documents: tuple[SplitDocument, ...]
    chunks: int
    characters: float
    left_out: int
    unread: tuple[Unread, ...]
    facts: int | None
    cut: tuple[CutFact, ...]
    sent: bool


def shape(split: SplitCorpus) -> dict[str, Any]:
    """The JSON of the command. A cut fact is given with its first place."""
    return {
        "chunks": [_chunk_shape(shown.document, chunk) for shown in split.documents for chunk in shown.chunks],
        "unread": [{"document": file.document, "reason": file.reason} for file in split.unread],
        "facts": split.facts,
        "cut_facts": [_cut_shape(fact) for fact in split.cut],
    }


def _chunk_shape(document: Document, chunk: ShownChunk) -> dict[str, Any]:
    text = document.text[chunk.span.start : chunk.span.end]
    page = {"page": document.page(chunk.span)} if document.pages else {}
    return {
        "document": document.id,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "section_path": list(chunk.section_path),
        **page,
        "text": text,
        "embedded_text": chunk.before + chunk.added + text,
        "tokens": chunk.tokens,
    }


def _cut_shape(fact: CutFact) -> dict[str, Any]:
    first = fact.cuts[0]
    return {
        "question": fact.question_id,
        "fact": fact.quote,
        "document": first.place.document_id,
        "start": first.place.span.start,
        "end": first.place.span.end,
        "boundaries": list(first.boundaries),
    }


def view(split: SplitCorpus) -> RenderableType:
    """The source text with its boundaries, then what cannot be seen in it."""
    head = f"{split.name}: {split.chunks:,} chunks, {split.characters:,.0f} characters on average"
    parts: list[RenderableType] = [Text(head, style="bold"), _legend(split)]
    for shown in split.documents:
        parts += [Text(), *_document(shown, split.cut)]
    return Group(*parts, Text(), *_footer(split))


def _legend(split: SplitCorpus) -> Text:
    """What the marks mean that are in use."""
    overlap = any(len(part) for shown in split.documents for part in shared_parts(shown.chunks))
    gaps = any(next(_gaps(shown), None) for shown in split.documents)
    prefix = any(chunk.before for shown in split.documents for chunk in shown.chunks)
    meanings = [f"{OWN} chunk"]
    meanings += [f"{SHARED} also in the one before"] if overlap else []
    meanings += [f"{BEFORE} {'embedded and sent' if split.sent else 'embedded'} before it"] if prefix else []
    added = any(chunk.added for shown in split.documents for chunk in shown.chunks)
    meanings += [f"{ADDED} added, embedded and sent"] if added else []
    meanings += [f"{NOWHERE} in no chunk"] if gaps else []
    meanings += [f"{CUT} fact cut"] if split.cut else []
    return Text("  ".join(meanings), style="dim")


def _document(shown: SplitDocument, cut: Sequence[CutFact]) -> Iterator[RenderableType]:
    document = shown.document
    count = f"{len(document.text):,} characters, {len(shown.chunks):,} chunks"
    yield Text.assemble((visible(document.id), "bold underline"), f"  {count}")
    spans = [item.place.span for fact in cut for item in fact.cuts if item.place.document_id == document.id]
    reached = 0
    for number, (chunk, shared) in enumerate(zip(shown.chunks, shared_parts(shown.chunks), strict=True), 1):
        yield from _gap(document, Span(reached, max(reached, chunk.span.start)), spans)
        yield from _chunk(document, number, chunk, shared, spans)
        reached = chunk.span.end
    yield from _gap(document, Span(reached, len(document.text)), spans)


def _chunk(
    document: Document, number: int, chunk: ShownChunk, shared: Span, spans: Sequence[Span]
) -> Iterator[RenderableType]:
    """A chunk under its head; `shared` is what the chunk before has of it, which may be empty."""
    colour = COLOURS[number % len(COLOURS)]
    page = f"  page {document.page(chunk.span)}" if document.pages else ""
    size = f"{page}  {chunk.span.start}-{chunk.span.end}  {len(chunk.span):,} chars  {chunk.tokens:,} tokens"
    path = " > ".join(map(one_line, chunk.section_path))
    yield Ruled(Text.assemble((str(number), f"bold {colour}"), size), Text(path, style="italic"), colour)
    if chunk.before:
        yield Gutter(BEFORE, Text(one_line(chunk.before), style="green"), "green")
    if chunk.added:
        yield Gutter(ADDED, Text(one_line(chunk.added), style="green"), "green")
    if document.text[shared.start : shared.end].strip():
        yield Gutter(SHARED, _dimmed(marked(document.text, shared, chunk.span, spans, CUT_STYLE)), "yellow")
    own = Span(shared.end, chunk.span.end)
    if document.text[own.start : own.end].strip():
        yield Gutter(OWN, marked(document.text, own, chunk.span, spans, CUT_STYLE), colour)


def _gap(document: Document, gap: Span, spans: Sequence[Span]) -> Iterator[RenderableType]:
    """What stands between two chunks, unless it is blank."""
    if document.text[gap.start : gap.end].strip():
        yield Gutter(NOWHERE, _dimmed(marked(document.text, gap, gap, spans, CUT_STYLE)), "dim")


def _gaps(shown: SplitDocument) -> Iterator[Span]:
    """The parts of a document that are in no chunk and not blank."""
    text = shown.document.text
    starts = [0, *(chunk.span.end for chunk in shown.chunks)]
    ends = [*(chunk.span.start for chunk in shown.chunks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if text[start:end].strip():
            yield Span(start, end)


def shared_parts(chunks: Sequence[ShownChunk]) -> Iterator[Span]:
    """For each chunk what the one before it has of it, empty at its start where that is nothing."""
    reached = 0
    for chunk in chunks:
        yield Span(chunk.span.start, min(max(chunk.span.start, reached), chunk.span.end))
        reached = chunk.span.end


def _dimmed(text: Text) -> Text:
    text.stylize_before("dim")
    return text


def _footer(split: SplitCorpus) -> Iterator[RenderableType]:
    if split.left_out:
        yield Text(
            f"{split.left_out:,} more documents are not shown: --limit {len(split.documents) + split.left_out} shows "
            "all, --document ID one."
        )
    for file in split.unread:
        yield Text(f"not read: {one_line(file.document)} {one_line(file.reason)}", style="yellow")
    yield from _cut_list(split)


def _cut_list(split: SplitCorpus) -> Iterator[RenderableType]:
    if split.facts is None:
        yield Text("no questions were given, so facts were not looked at")
        return
    if not split.cut:
        yield Text(f"{split.facts:,} facts, none of them cut", style="green")
        return
    yield Text(f"{len(split.cut):,} of {split.facts:,} facts are in no chunk as a whole", style=CUT_STYLE)
    texts = {shown.document.id: shown.document.text for shown in split.documents}
    for fact in split.cut:
        for cut in fact.cuts:
            yield Text.assemble(
                ("  " + one_line(fact.question_id), "bold"),
                f"  {one_line(cut.place.document_id)} {cut.place.span.start}-{cut.place.span.end}  ",
                cut_by(cut.boundaries),
            )
            source = texts.get(cut.place.document_id)
            quote = one_line(fact.quote) if source is None else with_cuts(source, cut.place.span, cut.boundaries)
            yield Gutter("   ", Text(quote))


def cut_by(boundaries: Sequence[int]) -> str:
    """Where boundaries cut a place, in words."""
    return f"cut at {' and '.join(map(str, boundaries))}" if boundaries else "left out by the chunker"
