"""What is handed on for a hit: the chunk as it stands, or something wider that it lies in.

The unit that is searched and the unit that is sent want different sizes. With an expansion they are two: small chunks
are ranked, and what they lie in is sent. Also called small-to-big, parent-document or sentence-window retrieval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby

import numpy as np

from chunksweep import chunkers
from chunksweep.chunkers import custom
from chunksweep.chunkers.base import Chunker, VectorChunker
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.sentences import Sentences
from chunksweep.errors import ConfigError
from chunksweep.paths import group_options
from chunksweep.records import Chunks, Corpus, Document, IntArray, Prefix, Span

EXPANSIONS = ("none", "window", "section", "parent", "document")
WINDOW_UNITS = ("chunks", "sentences", "characters")
Added = Prefix | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """How a hit is widened before it is sent. An option that `expand` ignores is None.

    expand       "none": the chunk as it stands; "window": with what stands around it; "section": the sections it lies
                 in, each with its heading; "parent": the parents it lies in; "document"
    window       how much stands around it on each side, at least 1; None: 1
    window_unit  what `window` counts: "chunks", "sentences" (in English, as of chunker=sentences within the document)
                 or "characters"
    parent       the chunker that cuts documents into parents, with its usual options; None: paragraphs
    parent_size  its size, in its unit; None: its default

    A chunk that lies in several sections or parents brings the run of them, whole.
    """

    expand: str = "none"
    window: int | None = None
    window_unit: str | None = None
    parent: str | None = None
    parent_size: int | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError for an option that cannot be."""
        _check("expand", self.expand, EXPANSIONS)
        if self.expand == "window":
            _fill(self, window=1, window_unit="chunks")
            _check("window_unit", self.window_unit, WINDOW_UNITS)
            if self.window is None or self.window < 1:
                raise ConfigError(f"retriever.window={self.window}: at least 1 {self.window_unit} is needed.")
        else:
            _without(self, "window", "window_unit")
        if self.expand == "parent":
            _fill(self, parent="paragraphs")
            # Code of others is left out: a past run must not name code that runs when it is reproduced.
            _check("parent", self.parent, [name for name in group_options("chunker") if name != custom.NAME])
            object.__setattr__(self, "parent_size", self.cutter().size)
        else:
            _without(self, "parent", "parent_size")

    def cutter(self) -> Chunker:
        """What cuts documents into parents.

        Raises ConfigError for a size that it cannot have.
        """
        made = chunkers.find(self.parent or "")(size=self.parent_size)
        sizing = made.sizing()
        if isinstance(made, VectorChunker):
            raise ConfigError(
                f"retriever.parent={self.parent} cuts by vectors, which parents have none of. Choose one that does "
                "not, such as paragraphs or recursive."
            )
        if sizing and sizing.unit == "tokens":
            raise ConfigError(
                f"retriever.parent={self.parent} measures in tokens. Choose one that does not, such as "
                "paragraphs or recursive."
            )
        if sizing is None:
            return replace(made, size=None)
        return replace(made, size=sizing.default) if made.size is None else made


def expansion_of(options: dict[str, object]) -> Expansion:
    """The expansion among the options of a retriever."""
    return Expansion(**{item.name: options[item.name] for item in fields(Expansion) if item.name in options})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Expanded:
    """All that can be sent, each once, and what is sent for each chunk.

    passages  in document order, then by start; no two have the same document, span and added words
    of_chunk  int64 (chunks,), row in `passages` of what is sent for the chunk
    """

    passages: Chunks
    of_chunk: IntArray

    def chunks_to_reach(self, passages: int) -> int:
        """How many chunks have to be ranked to find so many passages, or all there are, in whatever order they come."""
        if len(self.passages) == len(self.of_chunk):
            return min(passages, len(self.of_chunk))
        largest_first = np.sort(np.bincount(self.of_chunk))[::-1]
        wanted = min(passages, len(largest_first))
        return int(largest_first[: wanted - 1].sum()) + 1 if wanted else 0


def expand(expansion: Expansion, corpus: Corpus, chunks: Chunks) -> Expanded:
    """What is sent for each chunk.

    Where chunks are ordered by start and end, so are the passages. A passage holds every non-blank character of its
    chunks, but for what a parent's chunker leaves out, such as headings that it drops.
    """
    if expansion.expand == "none":
        return as_they_stand(chunks)
    spans: list[tuple[Span, Added]] = []
    rows = list(enumerate(chunks.rows()))
    for index, of_document in groupby(rows, key=lambda row: row[1][0]):
        document = corpus.documents[index]
        hits = [(span, chunks.added_to(row)) for row, (_, span) in of_document]
        spans += _WIDEN[expansion.expand](expansion, document, hits)
    return _distinct(chunks, spans)


def as_they_stand(chunks: Chunks) -> Expanded:
    """The chunks themselves, equal ones once."""
    columns = np.stack((chunks.document, chunks.start, chunks.end))
    if not np.any(np.all(columns[:, 1:] == columns[:, :-1], axis=0)):
        return Expanded(chunks, np.arange(len(chunks)))
    return _distinct(chunks, [(span, chunks.added_to(row)) for row, (_, span) in enumerate(chunks.rows())])


Hits = Sequence[tuple[Span, Added]]


def _window(expansion: Expansion, document: Document, hits: Hits) -> Iterator[tuple[Span, Added]]:
    around = expansion.window or 1
    if expansion.window_unit == "chunks":
        for row, hit in enumerate(hits):
            before, after = hits[max(row - around, 0)][0], hits[min(row + around, len(hits) - 1)][0]
            yield _around(hit, before.start, after.end)
    elif expansion.window_unit == "characters":
        for hit in hits:
            yield _around(hit, max(hit[0].start - around, 0), min(hit[0].end + around, len(document.text)))
    else:
        units = chunkers.split_document(Sentences(size=1, within="document"), document, None)
        starts, ends = (np.array([getattr(unit, side) for unit in units]) for side in ("start", "end"))
        for hit in hits:
            inner = trimmed(document.text, hit[0])
            first = int(np.searchsorted(ends, inner.start, side="right")) - around
            last = int(np.searchsorted(starts, inner.end, side="left")) - 1 + around
            yield _around(hit, units[max(first, 0)].start, units[min(last, len(units) - 1)].end)


def _around(hit: tuple[Span, Added], start: int, end: int) -> tuple[Span, Added]:
    """The hit with what stands from `start` to `end`; without words that were added to it and now stand in it."""
    span, added = hit
    wider = Span(min(start, span.start), max(end, span.end))
    return wider, None if added and added.sources and all(map(wider.contains, added.sources)) else added


def _section(_: Expansion, document: Document, hits: Hits) -> Iterator[tuple[Span, Added]]:
    sections = [(section.span, None) for section in document.sections]
    return ((trimmed(document.text, span), added) for span, added in _runs(document, hits, sections))


def _parent(expansion: Expansion, document: Document, hits: Hits) -> Iterator[tuple[Span, Added]]:
    cutter = expansion.cutter()
    parents = [(span, cutter.added(document, span)) for span in chunkers.split_document(cutter, document, None)]
    return _runs(document, hits, parents)


def _document(_: Expansion, document: Document, hits: Hits) -> Iterator[tuple[Span, Added]]:
    whole = trimmed(document.text, Span(0, len(document.text)))
    return ((whole, None) for _ in hits)


def _runs(document: Document, hits: Hits, units: Hits) -> Iterator[tuple[Span, Added]]:
    """The shortest run of whole units that holds what is not blank of each hit and lies in a unit; else the hit."""
    starts = np.array([span.start for span, _ in units], dtype=np.int64)
    # How far the units up to each one reach: those of some libraries lie inside others.
    reach = np.maximum.accumulate(np.array([span.end for span, _ in units], dtype=np.int64))
    for span, added in hits:
        inner = trimmed(document.text, span)
        first = int(np.searchsorted(reach, inner.start, side="right"))
        last = int(np.searchsorted(starts, inner.end, side="left")) - 1
        if first > last:
            yield span, added
        else:
            yield Span(units[first][0].start, int(reach[last])), units[first][1]


_WIDEN: dict[str, Callable[[Expansion, Document, Hits], Iterator[tuple[Span, Added]]]] = {
    "window": _window,
    "section": _section,
    "parent": _parent,
    "document": _document,
}


def _distinct(chunks: Chunks, spans: Sequence[tuple[Span, Added]]) -> Expanded:
    """The passages each once, and the row of that of each chunk."""
    documents = chunks.document.tolist()
    keys = [
        (document, span.start, span.end, repr(added) if added else "")
        for document, (span, added) in zip(documents, spans, strict=True)
    ]
    first = {key: row for row, key in reversed(list(enumerate(keys)))}
    ordered = sorted(first)
    number = {key: position for position, key in enumerate(ordered)}
    columns = np.array([key[:3] for key in ordered], dtype=np.int64).reshape(-1, 3).T
    added = tuple(spans[first[key]][1] for key in ordered)
    document, start, end = columns
    return Expanded(
        Chunks(document, start, end, added if any(added) else ()),
        np.array([number[key] for key in keys], dtype=np.int64),
    )


def _check(name: str, value: str | None, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ConfigError(f"retriever.{name}={value} is not possible. Choose one of {', '.join(allowed)}.")


def _fill(expansion: Expansion, **usual: object) -> None:
    for name, value in usual.items():
        if getattr(expansion, name) is None:
            object.__setattr__(expansion, name, value)


def _without(expansion: Expansion, *ignored: str) -> None:
    for name in ignored:
        object.__setattr__(expansion, name, None)
