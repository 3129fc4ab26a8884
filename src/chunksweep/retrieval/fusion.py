"""Reciprocal rank fusion: two rankings joined by their places, so that their scores need not be comparable.

After Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
(SIGIR 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from chunksweep.records import FloatArray, IntArray, Vectors
from chunksweep.retrieval.ranking import chunk_cosines, rounded


def fuse(
    questions: Vectors, passages: Vectors, text_of_chunk: IntArray, by_words: Iterable[FloatArray], constant: float
) -> Iterator[FloatArray]:
    """For each question the fused score of every chunk, float64 (chunks,), rounded to 1e-6.

    questions, passages, text_of_chunk  as for `ranking.rank`
    by_words                            for each question the score of every chunk by its words, float64 (chunks,)

    A chunk that shares no word with the question, and so has a score of 0, has no place in the ranking by words.
    """
    for cosines, words in zip(chunk_cosines(questions, passages, text_of_chunk), by_words, strict=True):
        yield rounded(1 / (constant + places(cosines)) + np.where(words > 0, 1 / (constant + places(words)), 0))


def places(scores: FloatArray) -> IntArray:
    """The place of each score from 1, int64: one more than there are greater scores, so that equal ones share it.

    Were ties broken, equal texts would be worth less the later they stand in a document.
    """
    return len(scores) + 1 - np.searchsorted(np.sort(scores), scores, side="right")
