"""Exact ranking by cosine, the same on every run, in every grid and for any number of threads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from chunksweep.embedders.vectors import require_usable
from chunksweep.records import FloatArray, IntArray, Ranking, Vectors

DECIMALS = 6
STEP = 10.0**-DECIMALS
PASSAGES_PER_BLOCK = 8_192
SCORES_PER_BLOCK = 8_388_608


def rank(questions: Vectors, passages: Vectors, text_of_chunk: IntArray, depth: int) -> Ranking:
    """The `depth` best chunks of every question by cosine, all of them where there are fewer.

    questions      float32 (questions, dimension), of any length but zero
    passages       float32 (texts, dimension), vectors of distinct texts; may be mapped into memory from a file, and of
                   its rows only those of some chunk are read
    text_of_chunk  int64 (chunks,), row in `passages` of each chunk's text, chunks in document order
    depth          at least 1

    Each distinct text is scored once for a question and its score copied to its chunks, so equal texts have equal
    scores. Scores are rounded to 1e-6 before they are compared; ties go to the chunk that comes first in document
    order, also where a tie crosses the last place.

    Passages are taken in blocks and only the best chunks so far are kept: beside the vectors, memory grows with the
    number of chunks by a few integers each, time with chunks times questions.

    Raises EmbeddingError where a vector is zero or not finite, or questions and passages differ in dimension.
    """
    require_usable(questions, passages.shape[1], lambda row: f"question {row + 1} of {len(questions)}")
    depth = min(depth, len(text_of_chunk))
    chunks = np.zeros((len(questions), depth), dtype=np.int64)
    scores = np.full((len(questions), depth), -np.inf)
    if depth == 0 or len(questions) == 0:
        return Ranking(chunks, scores)
    texts = _Texts.of(text_of_chunk)
    for first, of_texts in _cosines_by_block(questions, passages, texts.rows):
        for question, of_block in enumerate(of_texts):
            # What rounding can lift to the lowest score kept so far may still come before it in document order.
            found = np.flatnonzero(of_block >= scores[question, -1] - STEP)
            if len(found):
                chunks[question], scores[question] = _better(
                    chunks[question],
                    scores[question],
                    *texts.chunks_of(first + found, rounded(of_block[found]), depth),
                )
    return Ranking(chunks, scores)


def cosines(questions: Vectors, passages: Vectors) -> FloatArray:
    """Cosine of every question with every text as a ranking has it: float64 (questions, texts), rounded to 1e-6.

    questions, passages  float32 (n, dimension), of any length but zero
    """
    return rounded(_units(questions) @ _units(passages).T)


def chunk_cosines(questions: Vectors, passages: Vectors, text_of_chunk: IntArray) -> Iterator[FloatArray]:
    """For each question the cosine with every chunk as a ranking has it: float64 (chunks,), rounded to 1e-6.

    questions, passages, text_of_chunk  as for `rank`

    Raises EmbeddingError as `rank` does.
    """
    require_usable(questions, passages.shape[1], lambda row: f"question {row + 1} of {len(questions)}")
    rows, text_of_chunk = np.unique(text_of_chunk, return_inverse=True)
    size = max(1, SCORES_PER_BLOCK // max(1, len(rows)))
    for first in range(0, len(questions), size):
        asked = questions[first : first + size]
        of_texts = [rounded(block) for _, block in _cosines_by_block(asked, passages, rows)]
        for scores in np.concatenate(of_texts, axis=1):
            yield scores[text_of_chunk]


def best_first(scores: Iterable[FloatArray], questions: int, chunks: int, depth: int) -> Ranking:
    """The `depth` best chunks of every question by scores of another kind, all of them where there are fewer.

    scores  for each question that of every chunk, float64 (chunks,), rounded to 1e-6

    Ties go to the chunk that comes first in document order, also where a tie crosses the last place.
    """
    depth = min(depth, chunks)
    best, their_scores = np.zeros((questions, depth), dtype=np.int64), np.zeros((questions, depth))
    if depth:
        for question, of_chunks in enumerate(scores):
            # A stable sort keeps document order among equals.
            wanted = np.flatnonzero(of_chunks >= np.partition(of_chunks, chunks - depth)[chunks - depth])
            best[question] = wanted[np.argsort(-of_chunks[wanted], kind="stable")[:depth]]
            their_scores[question] = of_chunks[best[question]]
    return Ranking(best, their_scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """Which chunks have which text.

    rows    int64 (texts,), rows of the passages that are the text of some chunk, increasing
    chunks  int64 (chunks,), by text, those of a text in document order
    starts  int64 (texts + 1,), where the chunks of each text begin in `chunks`
    """

    rows: IntArray
    chunks: IntArray
    starts: IntArray

    @classmethod
    def of(cls, text_of_chunk: IntArray) -> _Texts:
        rows, counts = np.unique(text_of_chunk, return_counts=True)
        return cls(rows, np.argsort(text_of_chunk, kind="stable"), np.concatenate(([0], np.cumsum(counts))))

    def chunks_of(self, texts: IntArray, scores: FloatArray, depth: int) -> tuple[IntArray, FloatArray]:
        """The chunks that can be among the `depth` best of these texts, and their scores.

        A text has a chunk at least, so no more than `depth` texts are wanted but for ties; and of the chunks of one
        text, which score alike, no more than the first `depth`.
        """
        if len(texts) > depth:
            wanted = scores >= np.partition(scores, len(scores) - depth)[len(scores) - depth]
            texts, scores = texts[wanted], scores[wanted]
        starts = self.starts[texts]
        counts = np.minimum(self.starts[texts + 1] - starts, depth)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.chunks[np.repeat(starts, counts) + within], np.repeat(scores, counts)


def _better(
    chunks: IntArray, scores: FloatArray, more_chunks: IntArray, more_scores: FloatArray
) -> tuple[IntArray, FloatArray]:
    """The best of both, as many as there are `chunks`: highest score first, equal ones in document order."""
    all_chunks, all_scores = np.concatenate((chunks, more_chunks)), np.concatenate((scores, more_scores))
    order = np.lexsort((all_chunks, -all_scores))[: len(chunks)]
    return all_chunks[order], all_scores[order]


def _cosines_by_block(questions: Vectors, passages: Vectors, rows: IntArray) -> Iterator[tuple[int, FloatArray]]:
    """Cosines with the passages in these rows by blocks: where in `rows` it begins, float64 (questions, block).

    In float32 a matrix product depends in its seventh digit on the shape of the block that a vector is in. In float64
    that is the sixteenth digit, which rounding takes away: a vector has the same score in whatever block or grid.
    """
    units = _units(questions)
    size = max(1, min(PASSAGES_PER_BLOCK, SCORES_PER_BLOCK // len(questions)))
    for first in range(0, len(rows), size):
        of_block = rows[first : first + size]
        block = passages[of_block]
        require_usable(
            block,
            passages.shape[1],
            lambda row, of_block=of_block: f"passage text {of_block[row] + 1} of {len(passages)}",  # type: ignore[misc]
        )
        yield first, units @ _units(block).T


def rounded(scores: FloatArray) -> FloatArray:
    """Scores as they are compared: to 1e-6."""
    return np.round(scores, DECIMALS) + 0.0  # adding 0.0 makes one zero of -0.0 and 0.0


def _units(vectors: Vectors) -> FloatArray:
    exact = vectors.astype(np.float64)
    units: FloatArray = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return units
