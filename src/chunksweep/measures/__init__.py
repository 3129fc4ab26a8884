"""Measures: what a ranking is worth and what it costs. Pure functions, one family a file; `cell` puts them together.

holding      which chunks and passages hold which facts
retrieval    answerable, hit, recall, reciprocal rank, nDCG, ceiling, section
spans        recall, precision and intersection over union in source characters
budget       answerable within so many tokens
chance       what a random order would answer
dilution     similarity that a fact loses in the company of its chunk
costs        tokens and characters sent, size of the index, money
chunk_stats  the chunks themselves
outcomes     why a question was answered or not
"""

from __future__ import annotations

from chunksweep.measures.cell import CellInput, depth_for, evaluate, passages_wanted
from chunksweep.measures.dilution import CellVectors, RunRows, run_texts

__all__ = ["CellInput", "CellVectors", "RunRows", "depth_for", "evaluate", "passages_wanted", "run_texts"]
