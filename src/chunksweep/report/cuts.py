"""Facts that no chunk holds, and the boundaries that lie inside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chunksweep.measures.holding import Holders
from chunksweep.records import Chunks, Corpus, Place, Question


@dataclass(frozen=True, slots=True)
class Cut:
    """A place of a fact that no chunk holds.

    boundaries  starts and ends of chunks strictly inside the place, in order, each once; () where no chunk has any of
                the place
    """

    place: Place
    boundaries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CutFact:
    """A fact that is held by no chunk at any of its places, and what cuts each of them."""

    question_id: str
    quote: str
    cuts: tuple[Cut, ...]


def cut_facts(corpus: Corpus, chunks: Chunks, holders: Holders, questions: Iterable[Question]) -> tuple[CutFact, ...]:
    """The facts that no chunk holds, in the order of the questions.

    holders  of these chunks, with their prefixes where those are sent
    """
    index = {document.id: row for row, document in enumerate(corpus.documents)}
    return tuple(
        CutFact(
            question.id,
            fact.quote,
            tuple(Cut(place, _boundaries(chunks, index[place.document_id], place)) for place in fact.places),
        )
        for question in questions
        for fact in question.facts
        if not holders.of_fact(fact)
    )


def _boundaries(chunks: Chunks, document: int, place: Place) -> tuple[int, ...]:
    rows = chunks.document == document
    edges = np.unique(np.concatenate((chunks.start[rows], chunks.end[rows])))
    inside: list[int] = edges[(edges > place.span.start) & (edges < place.span.end)].tolist()
    return tuple(inside)
