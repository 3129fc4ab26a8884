"""Measures: what a ranking is worth and what it costs. Pure functions, one family a file; `cell` puts them together.

holding      which chunks and passages hold which facts
retrieval    answerable, hit, recall, reciprocal rank, nDCG, ceiling, section
chance       what a random order would answer
costs        tokens and characters sent, size of the index, money
chunk_stats  the chunks themselves
outcomes     why a question was answered or not
"""

from __future__ import annotations

from chunksweep.measures.cell import CellInput, evaluate

__all__ = ["CellInput", "evaluate"]
