"""The chunks themselves: how many, how long, how much they overlap, what the model does not read of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from chunksweep.measures.holding import Rows
from chunksweep.records import Chunks, IntArray


def chunk_stats(
    chunks: Chunks, tokens: IntArray, model_tokens: IntArray | None, window: int | None
) -> dict[str, float]:
    """`chunks/…` but for `cut_facts`; means and shares are absent where there is no chunk.

    tokens        int64 (chunks,), of the chunk's text
    model_tokens  int64 (chunks,), of the model for the embedded text before truncation; None: no model reads them
    window        most tokens that the model reads; None: no limit
    """
    truncated = 0 if window is None or model_tokens is None else int(np.count_nonzero(model_tokens > window))
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
    """Characters that lie in at least one chunk: of each chunk what those before it have not."""
    return int(np.maximum(chunks.end - np.maximum(chunks.start, reached(chunks)), 0).sum())


def reached(chunks: Chunks) -> IntArray:
    """The greatest end of the chunks before each one in its document, int64 (chunks,); 0 for the first."""
    if not len(chunks):
        return np.zeros(0, dtype=np.int64)
    # Lifted by document, so that one running maximum over all does not see beyond the document.
    lift = chunks.document * (chunks.end.max() + 1)
    before = np.zeros(len(chunks), dtype=np.int64)
    before[1:] = np.maximum.accumulate(chunks.end + lift)[:-1]
    result: IntArray = np.maximum(before - lift, 0)
    return result
