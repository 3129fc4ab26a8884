"""Holding: a fact is held where one of its places lies inside one contiguous source span; spans are never joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from chunksweep.records import Chunks, Corpus, Fact, IntArray, Passage, Place, Prefix, Question

Rows = frozenset[int]


class Holders:
    """Finds the chunks that hold a fact.

    prefixes  of the chunks where prefixes are sent, else None: the words of a prefix that is sent, as those that the
              strategy added, hold what stands where they were copied from

    Where ends increase as starts do, the chunks that hold a place are a contiguous range: from the first that ends
    late enough to the last that starts early enough. Where chunks lie inside others, as those of some libraries do, all
    ends are looked at.
    """

    def __init__(self, corpus: Corpus, chunks: Chunks, prefixes: Sequence[Prefix | None] | None = None) -> None:
        self._index = {document.id: index for index, document in enumerate(corpus.documents)}
        # One number a position over all documents: those of a document lie below those of the next.
        self._stride = 1 + max((len(document.text) for document in corpus.documents), default=0)
        self._starts = chunks.document * self._stride + chunks.start
        self._ends = chunks.document * self._stride + chunks.end
        self._in_order = bool(np.all(np.diff(self._ends) >= 0))
        self._copied = _sources(chunks, [*enumerate(prefixes or ()), *enumerate(chunks.added)])

    def of_fact(self, fact: Fact) -> Rows:
        """The rows of all chunks that hold the fact at any of its places."""
        return frozenset(row for place in fact.places for row in self._of_place(place))

    def of_questions(self, questions: Iterable[Question]) -> list[list[Rows]]:
        """For each question the holders of each of its facts."""
        return [[self.of_fact(fact) for fact in question.facts] for question in questions]

    def touching(self, place: Place) -> Sequence[int]:
        """The rows of all chunks that share at least one source character with the place, prefixes aside, in order."""
        start, end = self._positions(place)
        return self._ending_from(start + 1, int(np.searchsorted(self._starts, end, side="left")))

    def _positions(self, place: Place) -> tuple[int, int]:
        before = self._index[place.document_id] * self._stride
        return before + place.span.start, before + place.span.end

    def _of_place(self, place: Place) -> list[int]:
        start, end = self._positions(place)
        held = self._ending_from(end, int(np.searchsorted(self._starts, start, side="right")))
        return [*held, *self._copying(self._index[place.document_id], place)]

    def _ending_from(self, end: int, before: int) -> Sequence[int]:
        """Of the rows before `before` those that end at `end` or later."""
        if self._in_order:
            return range(int(np.searchsorted(self._ends, end, side="left")), before)
        rows: list[int] = np.flatnonzero(self._ends[:before] >= end).tolist()
        return rows

    def _copying(self, document: int, place: Place) -> list[int]:
        """Rows whose prefix was copied from a span in which the place lies."""
        if not self._copied.size:
            return []
        documents, starts, ends, rows = self._copied
        within = (documents == document) & (starts <= place.span.start) & (place.span.end <= ends)
        copying: list[int] = rows[within].tolist()
        return copying


def _sources(chunks: Chunks, before: Sequence[tuple[int, Prefix | None]]) -> IntArray:
    """Document, start, end and chunk row of every span that words before a chunk were copied from: int64 (4, sources).

    before  the row of a chunk, and what stands before it
    """
    documents = chunks.document.tolist()
    columns = [
        (documents[row], source.start, source.end, row) for row, prefix in before if prefix for source in prefix.sources
    ]
    return np.array(columns, dtype=np.int64).reshape(-1, 4).T


def holds(passage: Passage, fact: Fact) -> bool:
    """Whether a passage holds a fact."""
    return any(
        place.document_id == passage.document_id and any(span.contains(place.span) for span in passage.spans)
        for place in fact.places
    )


def touches(passage: Passage, places: Iterable[Place]) -> bool:
    """Whether a passage shares at least one source character with one of the places."""
    return any(
        place.document_id == passage.document_id and any(span.overlaps(place.span) for span in passage.spans)
        for place in places
    )
