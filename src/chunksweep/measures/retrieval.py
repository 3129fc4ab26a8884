"""Retrieval measures of one question. Ranks count from 1; None: not among the chunks or passages ranked.

A cut-off beyond what exists takes all there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from chunksweep.measures.holding import Rows, holds
from chunksweep.records import Document, Fact, Passage, Question, Span


def fact_ranks(chunks: Sequence[int], holders: Iterable[Rows]) -> list[int | None]:
    """For each fact the rank of the first chunk that holds it; further chunks that hold it gain nothing.

    chunks   rows of the chunks, best first
    holders  of each fact
    """
    return [next((rank for rank, row in enumerate(chunks, 1) if row in rows), None) for rows in holders]


def hit_at(ranks: Sequence[int | None], k: int) -> float:
    """1 if the k best chunks hold at least one of the facts. Also called success@k."""
    return float(any(_within(rank, k) for rank in ranks))


def recall_at(ranks: Sequence[int | None], k: int) -> float:
    """Share of all facts of the question that the k best chunks hold. Not capped at min(k, facts)."""
    return sum(_within(rank, k) for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Sequence[int | None], k: int) -> float:
    """1 / rank of the first chunk that holds any fact, 0 beyond k."""
    return max((1 / rank for rank in ranks if rank is not None and rank <= k), default=0.0)


def ndcg_at(ranks: Sequence[int | None], k: int) -> float:
    """Mean over the facts of 1 / log2(1 + r), r the rank of the first chunk that holds the fact, 0 beyond k.

    The gain is discounted as in Järvelin and Kekäläinen (2002). It is divided by the number of facts, which is the
    same however the documents are split, and not by the best gain that this splitting allows.
    """
    return math.fsum(1 / math.log2(1 + rank) for rank in ranks if rank is not None and rank <= k) / len(ranks)


def answer_rank(passages: Iterable[Passage], facts: Sequence[Fact]) -> int | None:
    """The fewest passages, taken in order, that hold all facts together."""
    missing = list(facts)
    for rank, passage in enumerate(passages, 1):
        missing = [fact for fact in missing if not holds(passage, fact)]
        if not missing:
            return rank
    return None


def answerable_at(rank: int | None, k: int) -> float:
    """1 if the k best passages hold all facts; `rank` is that of the answer."""
    return float(_within(rank, k))


def ceiling(holders: Iterable[Rows]) -> float:
    """1 if each fact is held by some passage, not necessarily the same: no ranking can do better."""
    return float(all(holders))


def section_at_1(question: Question, document: Document | None, chunk: Span) -> float | None:
    """1 if at least half of the best chunk's non-blank characters lie in the named section or below it.

    document  that of the best chunk; None where there is no chunk, which scores 0

    None where the question names no section.
    """
    if question.section is None:
        return None
    if document is None:
        return 0.0
    parts = {
        Span(max(chunk.start, place.span.start), min(chunk.end, place.span.end))
        for place in question.section_spans
        if place.document_id == document.id and place.span.overlaps(chunk)
    }
    inside = sum(_non_blank(document, part) for part in parts)
    return float(inside > 0 and 2 * inside >= _non_blank(document, chunk))


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


def _non_blank(document: Document, span: Span) -> int:
    return sum(map(len, document.text[span.start : span.end].split()))
