"""Answers within a budget of tokens: configurations at the same cost, whatever the size of their chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunksweep.records import IntArray

BUDGETS = (256, 512, 1024, 2048)


def answerable_in(budget: int, ranks: Sequence[int | None], tokens: IntArray) -> float:
    """1 if the passages that fit into the budget hold all facts.

    budget  most tokens of all passages together
    ranks   of each fact the rank of the first passage that holds it, from 1; None: no passage ranked does
    tokens  int64 (passages,), of each passage, best first

    Passages are taken in order until the next does not fit; none is cut short, none is left out for a smaller one.
    """
    found = [rank for rank in ranks if rank is not None]
    return float(len(found) == len(ranks) and int(tokens[: max(found)].sum()) <= budget)


def most_within(budget: int, tokens: IntArray) -> int:
    """The most passages that any order can fit into the budget: as many as the smallest ones fit.

    tokens  int64 (passages,), of every passage there is
    """
    return int(np.searchsorted(np.cumsum(np.sort(tokens)), budget, side="right"))
