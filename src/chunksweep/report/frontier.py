"""The front of quality against tokens, and the best at equal budget, in sentences for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chunksweep.frontier import COST, QUALITY, at_budgets, filled_metric, pareto_front
from chunksweep.records import RunRecord

SHOWN = 6


def front_ids(records: Sequence[RunRecord]) -> frozenset[str]:
    """The run ids of the front; none where there is nothing to choose from."""
    finished = [record for record in records if record.status == "FINISHED"]
    return frozenset(record.run_id for record in pareto_front(finished)) if len(finished) > 1 else frozenset()


def sentences(records: Sequence[RunRecord], names: Mapping[str, str]) -> Iterator[str]:
    """The front and what is best at equal budget, a sentence each, of the cells of one corpus; none of a cell alone.

    names  run id -> what the leaderboard calls the cell
    """
    ids = front_ids(records)
    if not ids:
        return
    front = [record for record in pareto_front(records) if record.run_id in ids]
    steps = [
        f"{_named(group, names)} {_percent(group[0].metrics[QUALITY])} at {group[0].metrics[COST]:,.0f}"
        for group in _equal_rows(front)
    ]
    if len(steps) > SHOWN:
        # The ends say most: the cheapest, and the best.
        steps[SHOWN - 1 : -1] = [f"{len(steps) - SHOWN} more"]
    yield f"Front (^) of answerable against tokens: {'; '.join(steps)}."
    best = list(_at_budgets(records, names))
    if best:
        yield f"Best with passages up to a budget of tokens: {'; '.join(best)}."


def _at_budgets(records: Sequence[RunRecord], names: Mapping[str, str]) -> Iterator[str]:
    """The best at each budget, up to the first that answers everything."""
    for at in at_budgets(records):
        if at.filled:
            share = at.filled[0].metrics[filled_metric(at.tokens)]
            yield f"{_named(at.filled, names)} {_percent(share)} in {at.tokens:,}"
            if share == 1:
                return


def _equal_rows(front: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """Cells that are equal in quality and tokens as they are shown, together."""
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for record in front:
        groups.setdefault((_percent(record.metrics[QUALITY]), f"{record.metrics[COST]:,.0f}"), []).append(record)
    return list(groups.values())


def _named(tied: Sequence[RunRecord], names: Mapping[str, str]) -> str:
    first = names[tied[0].run_id]
    return first if len(tied) == 1 else f"{first} (and {len(tied) - 1} more)"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
