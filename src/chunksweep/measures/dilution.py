"""Dilution: how much similarity to the question a fact loses in the company of the rest of its chunk.

A vector stands for a whole chunk. The more a chunk says beside the fact, the less its vector looks like the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from chunksweep.chunkers import split_document
from chunksweep.chunkers.sentences import Sentences
from chunksweep.measures.holding import Rows
from chunksweep.records import Corpus, Document, Fact, IntArray, Place, Question, Span, Vectors
from chunksweep.retrieval.ranking import cosines

# Of each question, for each of its facts, the text of its run of sentences, or that text's row among the vectors.
RunTexts = tuple[tuple[str, ...], ...]
RunRows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class CellVectors:
    """The vectors that a cell's dilution is computed from; of any length but zero.

    questions      float32 (questions, dimension)
    passages       float32 (texts, dimension), of distinct texts: chunks as embedded and runs of sentences
    text_of_chunk  int64 (chunks,), row in `passages` of each chunk's text
    text_of_run    row in `passages` of each fact's run of sentences
    """

    questions: Vectors
    passages: Vectors
    text_of_chunk: IntArray
    text_of_run: RunRows


def run_texts(corpus: Corpus, questions: Iterable[Question]) -> RunTexts:
    """For each fact the shortest run of whole sentences that covers it, at the place where that is shortest.

    Sentences are those of chunker=sentences within the document, by English rules: a heading line is one, and so is a
    code block. The run depends on the documents alone, so that it is the same for every configuration.
    """
    documents = {document.id: document for document in corpus.documents}

    @cache
    def units(document_id: str) -> list[Span]:
        return split_document(Sentences(size=1, within="document"), documents[document_id], None)

    def text(fact: Fact) -> str:
        runs = [(_run(place, units(place.document_id)), documents[place.document_id]) for place in fact.places]
        run, document = min(runs, key=_length)
        return document.text[run.start : run.end]

    return tuple(tuple(text(fact) for fact in question.facts) for question in questions)


def dilution(vectors: CellVectors, question: int, holders: Sequence[Rows]) -> float | None:
    """Cosine of a question with its fact's run of sentences, minus that with the best chunk that holds the fact.

    question  row of the question
    holders   of each of its facts

    From -2 to 2; above 0 where the company dilutes the fact, below 0 where it helps to find it (a prefix that names
    what the sentence leaves out). The mean over the question's facts that some chunk holds; None where none is held.
    Both cosines are rounded to 1e-6, as scores are when chunks are ranked.
    """
    runs = zip(vectors.text_of_run[question], holders, strict=True)
    losses = [_loss(vectors, question, run, rows) for run, rows in runs if rows]
    return float(np.mean(losses)) if losses else None


def _loss(vectors: CellVectors, question: int, run: int, holders: Rows) -> float:
    texts = [run, *np.unique(vectors.text_of_chunk[sorted(holders)]).tolist()]
    alone, *held = cosines(vectors.questions[question : question + 1], vectors.passages[texts])[0].tolist()
    return float(alone - max(held))


def _run(place: Place, sentences: Sequence[Span]) -> Span:
    """The shortest run of whole sentences that holds every non-blank character of the place."""
    touched = [sentence for sentence in sentences if sentence.overlaps(place.span)]
    return Span(touched[0].start, touched[-1].end)


def _length(run: tuple[Span, Document]) -> int:
    return len(run[0])
