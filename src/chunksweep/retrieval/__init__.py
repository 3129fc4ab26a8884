"""Retrieval: which chunks are best for a question, and what is handed on for them."""

from __future__ import annotations

from chunksweep.retrieval.passages import ChunkPassages, passages_of
from chunksweep.retrieval.ranking import rank

__all__ = ["ChunkPassages", "passages_of", "rank"]
