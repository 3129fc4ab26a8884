"""Retrieval: which chunks are best for a question, and what is handed on for them."""

from __future__ import annotations

from chunksweep.retrieval.passages import ChunkPassages, passages_of
from chunksweep.retrieval.retrievers import Index, IndexVectors, Retriever, find

__all__ = ["ChunkPassages", "Index", "IndexVectors", "Retriever", "find", "passages_of"]
