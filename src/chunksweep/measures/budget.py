"""Answers within a budget of tokens: configurations at the same cost, whatever the size of their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from chunksweep.records import IntArray

BUDGETS = (256, 512, 1024, 2048)


def tokens_to_answer(ranks: Sequence[int | None], tokens: IntArray) -> float:
    """Tokens of the passages that hold all facts, taken in order; infinite where those ranked do not hold them.

    ranks   of each fact the rank of the first passage that holds it, from 1; None: no passage ranked does
    tokens  int64 (passages,), of each passage, best first

    A question is answerable within any budget of at least so many: passages are taken until the next does not fit,
    none is cut short, none is left out for a smaller one.
    """
    found = [rank for rank in ranks if rank is not None]
    return float(tokens[: max(found)].sum()) if len(found) == len(ranks) else inf


def fitting(budget: int, tokens: IntArray) -> int:
    """How many passages fit into the budget, taken in order until the next does not.

    tokens  int64 (passages,), of each passage, best first
    """
    return int(np.searchsorted(np.cumsum(tokens), budget, side="right"))


def most_within(budget: int, tokens: IntArray) -> int:
    """The most passages that any order can fit into the budget: as many as the smallest ones fit.

    tokens  int64 (passages,), of every passage there is
    """
    return fitting(budget, np.sort(tokens))
