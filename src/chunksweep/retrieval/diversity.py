"""Maximal marginal relevance: the next hit is near the question and far from the hits before it.

After Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
Summaries" (SIGIR 1998).
"""

from __future__ import annotations

import numpy as np

from chunksweep.records import FloatArray, IntArray, Ranking, Vectors
from chunksweep.retrieval.ranking import cosines, rounded


def diversified(
    ranking: Ranking, passages: Vectors, text_of_chunk: IntArray, relevance: float, candidates: int
) -> Ranking:
    """The ranking with its first `candidates` hits in the order of their marginal relevance; the others follow.

    ranking                  by cosine, at least as deep as `candidates` where there are so many chunks
    passages, text_of_chunk  as for `ranking.rank`
    relevance                from 0 to 1: what the cosine with the question counts; the rest is the greatest cosine with
                             a hit that is taken already, which is subtracted

    The score of a candidate is its marginal relevance when it was taken, rounded to 1e-6 before it is compared; ties go
    to the chunk that comes first in document order.
    """
    chunks, scores = ranking.chunks.copy(), ranking.scores.copy()
    for question, hits in enumerate(ranking.chunks[:, :candidates]):
        vectors = passages[text_of_chunk[hits]]
        order, values = _taken(hits, ranking.scores[question, :candidates], cosines(vectors, vectors), relevance)
        chunks[question, :candidates], scores[question, :candidates] = hits[order], values
    return Ranking(chunks, scores)


def _taken(
    hits: IntArray, relevances: FloatArray, alike: FloatArray, relevance: float
) -> tuple[list[int], list[float]]:
    """The order in which hits are taken, as places among them, and the value of each when it was taken."""
    order: list[int] = []
    values: list[float] = []
    nearest = np.zeros(len(hits))  # greatest cosine with what was taken; of the first hit nothing is subtracted
    left = np.argsort(hits, kind="stable")  # in document order, so that the first of the greatest is taken
    while len(left):
        marginal = rounded(relevance * relevances[left] - (1 - relevance) * nearest[left])
        place = int(np.argmax(marginal))
        best = int(left[place])
        nearest = alike[best] if not order else np.maximum(nearest, alike[best])
        order.append(best)
        values.append(float(marginal[place]))
        left = np.delete(left, place)
    return order, values
