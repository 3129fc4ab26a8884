"""Retrieval: which chunks are best for a question, and what is handed on for them."""

from __future__ import annotations

from chunksweep.retrieval.duplicates import NearDuplicates
from chunksweep.retrieval.expansion import Expanded, Expansion, as_they_stand, expand, expansion_of
from chunksweep.retrieval.passages import PassageMaker, first_of_each
from chunksweep.retrieval.retrievers import Index, IndexVectors, Retriever, find

__all__ = [
    "Expanded",
    "Expansion",
    "Index",
    "IndexVectors",
    "NearDuplicates",
    "PassageMaker",
    "Retriever",
    "as_they_stand",
    "expand",
    "expansion_of",
    "find",
    "first_of_each",
]
