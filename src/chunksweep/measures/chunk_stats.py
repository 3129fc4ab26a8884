"""The chunks themselves: how many, how long, how much they overlap, what the model does not read of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from chunksweep.measures.holding import Rows
from chunksweep.records import Chunks, IntArray


def chunk_stats(chunks: Chunks, tokens: IntArray, model_tokens: IntArray, window: int | None) -> dict[str, float]:
    """`chunks/…` but for `cut_facts`; means and shares are absent where there is no chunk.

    tokens        int64 (chunks,), of the chunk's text
    model_tokens  int64 (chunks,), of the model for the embedded text before truncation
    window        most tokens that the model reads; None: no limit
    """
    truncated = 0 if window is None else int(np.count_nonzero(model_tokens > window))
    stats = {"chunks/count": float(len(chunks)), "chunks/truncated": float(truncated)}
    if len(chunks):
        lengths = chunks.end - chunks.start
        stats["chunks/mean_chars"] = float(lengths.mean())
        stats["chunks/mean_tokens"] = float(tokens.mean())
        stats["chunks/max_tokens"] = float(tokens.max())
        stats["chunks/effective_overlap"] = int(lengths.sum()) / covered_characters(chunks) - 1
    return stats


def cut_facts(holders: Iterable[Iterable[Rows]]) -> int:
    """Facts, over all questions, that no chunk holds at any place."""
    return sum(not rows for of_question in holders for rows in of_question)


def covered_characters(chunks: Chunks) -> int:
    """Characters that lie in at least one chunk: of each chunk what the one before it has not."""
    follows = np.zeros(len(chunks), dtype=np.bool_)
    follows[1:] = chunks.document[1:] == chunks.document[:-1]
    reached = np.where(follows, np.roll(chunks.end, 1), 0)
    return int((chunks.end - np.maximum(chunks.start, reached)).sum())
