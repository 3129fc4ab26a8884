"""Exact ranking by cosine, the same on every run, in every grid and for any number of threads."""

from __future__ import annotations

import numpy as np

from chunksweep.embedders.vectors import require_usable
from chunksweep.records import FloatArray, IntArray, Ranking, Vectors

DECIMALS = 6
PASSAGES_PER_BLOCK = 8_192
SCORES_PER_BLOCK = 8_388_608


def rank(questions: Vectors, passages: Vectors, text_of_chunk: IntArray, depth: int) -> Ranking:
    """The `depth` best chunks of every question by cosine, all of them where there are fewer.

    questions      float32 (questions, dimension), of any length but zero
    passages       float32 (texts, dimension), the vectors of distinct texts
    text_of_chunk  int64 (chunks,), row in `passages` of each chunk's text, chunks in document order
    depth          at least 1

    Each distinct text is scored once for a question and its score copied to its chunks, so equal texts have equal
    scores. Scores are rounded to 1e-6 before they are compared; ties go to the chunk that comes first in document
    order, also where a tie crosses the last place.

    Raises EmbeddingError where a vector is zero or not finite, or questions and passages differ in dimension.
    """
    require_usable(passages, passages.shape[1], lambda row: f"passage text {row + 1} of {len(passages)}")
    require_usable(questions, passages.shape[1], lambda row: f"question {row + 1} of {len(questions)}")
    depth = min(depth, len(text_of_chunk))
    chunks = np.empty((len(questions), depth), dtype=np.int64)
    scores = np.empty((len(questions), depth), dtype=np.float64)
    if depth == 0:
        return Ranking(chunks, scores)
    questions_per_block = max(1, SCORES_PER_BLOCK // max(len(passages), len(text_of_chunk)))
    for first in range(0, len(questions), questions_per_block):
        block = cosines(questions[first : first + questions_per_block], passages)[:, text_of_chunk]
        for question, of_chunks in enumerate(block, start=first):
            best = _best(of_chunks, depth)
            chunks[question] = best
            scores[question] = of_chunks[best]
    return Ranking(chunks, scores)


def cosines(questions: Vectors, passages: Vectors) -> FloatArray:
    """Cosine of every question with every text: float64 (questions, texts), rounded to 1e-6.

    questions, passages  float32 (n, dimension), of any length but zero

    Computed in blocks so that no float64 copy of all passages is needed.

    In float32 a matrix product depends in its seventh digit on the shape of the block that a vector is in. In float64
    that is the sixteenth digit, which rounding takes away: a vector has the same score in whatever block or grid.
    """
    units = _units(questions)
    scores = np.empty((len(questions), len(passages)), dtype=np.float64)
    for first in range(0, len(passages), PASSAGES_PER_BLOCK):
        last = first + PASSAGES_PER_BLOCK
        scores[:, first:last] = units @ _units(passages[first:last]).T
    # Adding 0.0 makes one zero of -0.0 and 0.0.
    return np.round(scores, DECIMALS) + 0.0


def _units(vectors: Vectors) -> FloatArray:
    exact = vectors.astype(np.float64)
    units: FloatArray = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return units


def _best(scores: FloatArray, depth: int) -> IntArray:
    """Rows of the `depth` highest scores, highest first, equal ones in row order.

    All rows that reach the lowest score wanted are sorted, not just `depth` of them: a partition alone would keep any
    of those that tie for the last place.
    """
    lowest = np.partition(scores, len(scores) - depth)[len(scores) - depth]
    candidates = np.flatnonzero(scores >= lowest)
    order = np.argsort(-scores[candidates], kind="stable")[:depth]
    best: IntArray = candidates[order]
    return best
