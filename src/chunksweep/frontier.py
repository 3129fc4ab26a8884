"""Quality against what is sent for it: which cells are worth their tokens.

Weak dominance: a cell dominates another if it is at least as good and sends at most as much, and is better in one of
the two. The Pareto front is all cells that none dominates, so that cells equal in both stand on it together or not at
all. A cell that sends everything there is retrieved nothing: it may stand on the front, but dominates only others that
do the same, as it rules none out in the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunksweep.records import RunRecord

QUALITY = "retrieval/answerable"
COST = "cost/sent_tokens"
BUDGETS = (256, 512, 1024, 2048)
# Means that are equal in exact arithmetic may differ in the last digits.
EQUAL_WITHIN = 1e-9


@dataclass(frozen=True, slots=True)
class AtBudget:
    """The best at the same number of tokens a question; ties are all of them, those that send fewest first.

    filled   by `retrieval/answerable_in_N_tokens`: passages in order until the next does not fit
    sending  by `retrieval/answerable`, of the cells whose sent tokens are at most the budget on average; those that
             send everything only where no other cell is within it
    """

    tokens: int
    filled: tuple[RunRecord, ...]
    sending: tuple[RunRecord, ...]


def filled_metric(tokens: int) -> str:
    """The name of the share of questions that so many tokens of passages answer."""
    return f"retrieval/answerable_in_{tokens}_tokens"


def pareto_front(records: Sequence[RunRecord], quality: str = QUALITY) -> tuple[RunRecord, ...]:
    """The cells that no other dominates, those that send fewest first; cells without the two metrics are left out."""
    known = _with(records, quality)
    front = [
        record
        for record in known
        if not any(_dominates(other, record, quality) for other in known if _may_dominate(other, record))
    ]
    return tuple(sorted(front, key=lambda record: record.metrics[COST]))


def at_budgets(records: Sequence[RunRecord], budgets: Sequence[int] = BUDGETS) -> tuple[AtBudget, ...]:
    """The best cells at each budget."""
    return tuple(
        AtBudget(
            tokens,
            _best(_with(records, filled_metric(tokens)), filled_metric(tokens)),
            _best(_affordable(records, tokens), QUALITY),
        )
        for tokens in budgets
    )


def _affordable(records: Sequence[RunRecord], tokens: int) -> list[RunRecord]:
    within = [record for record in _with(records, QUALITY) if record.metrics[COST] <= tokens + EQUAL_WITHIN]
    return [record for record in within if not record.everything_sent] or within


def _best(records: Sequence[RunRecord], metric: str) -> tuple[RunRecord, ...]:
    top = max((record.metrics[metric] for record in records), default=0.0)
    best = [record for record in records if record.metrics[metric] >= top - EQUAL_WITHIN]
    return tuple(sorted(best, key=lambda record: record.metrics[COST]))


def _with(records: Sequence[RunRecord], metric: str) -> list[RunRecord]:
    return [record for record in records if metric in record.metrics and COST in record.metrics]


def _may_dominate(one: RunRecord, other: RunRecord) -> bool:
    return other.everything_sent or not one.everything_sent


def _dominates(one: RunRecord, other: RunRecord, quality: str) -> bool:
    gain = one.metrics[quality] - other.metrics[quality]
    saved = other.metrics[COST] - one.metrics[COST]
    return min(gain, saved) >= -EQUAL_WITHIN and max(gain, saved) > EQUAL_WITHIN
