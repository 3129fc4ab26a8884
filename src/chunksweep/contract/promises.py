"""What every chunker keeps, checked with nothing but its spans and the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from chunksweep.chunkers import ruler_of, split_document
from chunksweep.chunkers.base import Chunker, VectorChunker
from chunksweep.chunkers.ruler import Words
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ChunkingError
from chunksweep.records import Document, Span
from chunksweep.tokens import Tokenizer

# In the order in which they are shown. What a class names in `exempt` is looked for under the same names.
PROMISES = {
    "failure": "every text can be cut",
    "order": "starts increase, chunks lie in the text, none is blank",
    "nesting": "no chunk lies inside another",
    "coverage": "every character but white space lies in a chunk",
    "size": "no chunk is longer than the size",
    "overlap": "neighbours share no more than the overlap",
    "repetition": "a document is cut alike again, after others",
    "process": "a document is cut alike in a fresh process",
}
_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise, a key of PROMISES, that was not kept, and how in words."""

    promise: str
    what: str


def cut(chunker: Chunker, document: Document, tokenizer: Tokenizer) -> tuple[list[Span] | None, list[Breach]]:
    """The chunks of a document, and every promise that they do not keep and the strategy is not exempt from.

    None for the chunks where it could not be cut.

    tokenizer  counts sizes in tokens
    """
    try:
        if not _ends(chunker, document, tokenizer):
            return None, [Breach("order", "more than two chunks for each character: it does not end")]
        spans = split(chunker, document, tokenizer)
    except ChunkingError as error:
        broken = [Breach("failure", str(error))]
    except Exception as error:  # noqa: BLE001 - whatever a strategy raises is what is to be told of it
        broken = [Breach("failure", f"{type(error).__name__}: {error}")]
    else:
        return spans, [
            breach for breach in _breaches(chunker, document, spans, tokenizer) if _promised(chunker, breach)
        ]
    return None, [breach for breach in broken if _promised(chunker, breach)]


def split(chunker: Chunker, document: Document, tokenizer: Tokenizer) -> list[Span]:
    """As chunkers.split_document; vectors, where they are needed, are those of the embedder `test`."""
    vectors = WordInitials().embed(chunker.reads(document), "passage") if isinstance(chunker, VectorChunker) else None
    return split_document(chunker, document, tokenizer, vectors)


def _promised(chunker: Chunker, breach: Breach) -> bool:
    return breach.promise not in chunker.exempt


def _ends(chunker: Chunker, document: Document, tokenizer: Tokenizer) -> bool:
    """Whether there are at most two chunks for each character; asked of those that give them one after the other."""
    if type(chunker).cut is not Chunker.cut or isinstance(chunker, VectorChunker):
        return True
    most = 2 * len(document.text) + 1
    given = chunker.split(document, ruler_of(chunker, document, tokenizer))
    return sum(1 for _ in islice(given, most + 1)) <= most


def _breaches(chunker: Chunker, document: Document, spans: list[Span], tokenizer: Tokenizer) -> Iterator[Breach]:
    yield from _order(spans, document)
    yield from _coverage(chunker, document, spans)
    yield from _lengths(chunker, document, spans, tokenizer)


def _order(spans: list[Span], document: Document) -> Iterator[Breach]:
    """Starts and ends strictly increase, which is to say that no chunk lies inside another; none is blank."""
    for one, two in pairwise(spans):
        if two.start <= one.start or two.end <= one.end:
            yield Breach("nesting", f"{_named(two)} after {_named(one)}")
    for span in spans:
        if not document.text[span.start : span.end].strip():
            yield Breach("order", f"{_named(span)} is blank")


def _coverage(chunker: Chunker, document: Document, spans: list[Span]) -> Iterator[Breach]:
    """Every non-blank character is in a chunk, but for heading lines that are dropped."""
    covered = np.zeros(len(document.text) + 1, dtype=np.bool_)
    for span in spans:
        covered[span.start : span.end] = True
    if getattr(chunker, "headings", None) == "drop":
        for section in document.sections:
            covered[section.heading_span.start : section.heading_span.end] = True
    missing = next((place for place in np.flatnonzero(~covered[:-1]) if not document.text[place].isspace()), None)
    if missing is not None:
        text = document.text[missing : missing + _SHOWN]
        yield Breach("coverage", f"{text!r} at {missing} lies in no chunk")


def _lengths(chunker: Chunker, document: Document, spans: list[Span], tokenizer: Tokenizer) -> Iterator[Breach]:
    """Size and overlap are kept in their unit, a single character that is longer excepted."""
    sizing = chunker.sizing()
    if sizing is None:
        return
    size = sizing.default if chunker.size is None else chunker.size
    shared = [Span(two.start, max(one.end, two.start)) for one, two in pairwise(spans)]
    if sizing.unit not in ("characters", "words", "tokens"):
        if chunker.overlap == 0:
            yield from (Breach("overlap", f"{_named(span)} is in two chunks") for span in shared if len(span))
    elif size is not None:
        count = _counter(sizing.unit, document, tokenizer)
        for span in spans:
            if count(span) > size and len(span) > 1:
                yield Breach("size", f"{_named(span)} has {count(span)} {sizing.unit}")
        for span in shared if sizing.overlap else ():
            if count(span) > chunker.overlap:
                yield Breach("overlap", f"{_named(span)} is in two chunks and has {count(span)} {sizing.unit}")


def _counter(unit: str, document: Document, tokenizer: Tokenizer) -> Callable[[Span], int]:
    if unit == "characters":
        return len
    if unit == "words":
        ruler = Words.of(document.text)
        return lambda span: ruler.length(span) if len(span) else 0
    starts, ends = tokenizer.offsets(document.text)
    return lambda span: int(np.count_nonzero((starts < span.end) & (ends > span.start))) if len(span) else 0


def _named(span: Span) -> str:
    return f"[{span.start}, {span.end})"
