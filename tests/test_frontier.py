"""The front and what is best at equal budget, by hand and beside the definition read aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.frontier import COST, QUALITY, at_budgets, filled_metric, pareto_front
from chunksweep.records import RunRecord


def cell(name, quality, tokens, *, everything=False, **filled):
    metrics = {QUALITY: quality, COST: tokens} | {filled_metric(int(key[2:])): of for key, of in filled.items()}
    return RunRecord(name, "FINISHED", {}, metrics, everything)


def ids(records):
    return "".join(record.run_id for record in records)


@pytest.mark.parametrize(
    ("cells", "front"),
    [
        pytest.param([cell("a", 0.9, 200), cell("b", 0.5, 100), cell("c", 0.4, 150)], "ba", id="c sends more for less"),
        pytest.param([cell("a", 0.9, 100), cell("b", 0.9, 150)], "a", id="as good for more"),
        pytest.param([cell("a", 0.9, 100), cell("b", 0.8, 100)], "a", id="worse for as much"),
        pytest.param([cell("a", 0.9, 100), cell("b", 0.9, 100)], "ab", id="equal in both"),
        pytest.param([cell("a", 0.1 + 0.2, 100), cell("b", 0.3, 100)], "ab", id="equal but for the last digit"),
        pytest.param([cell("a", 0.5, 100), cell("b", 1, 900, everything=True)], "ab", id="everything sent: shown"),
        pytest.param([cell("a", 0.9, 1000), cell("b", 1, 900, everything=True)], "ba", id="but it dominates none"),
        pytest.param(
            [cell("a", 1, 900, everything=True), cell("b", 1, 950, everything=True)], "a", id="unless they do so too"
        ),
        pytest.param([cell("a", 1, 800), cell("b", 1, 900, everything=True)], "a", id="it can be dominated"),
        pytest.param([RunRecord("a", "FAILED", {}, {}), cell("b", 0, 5)], "b", id="a failed cell is none"),
        pytest.param([], "", id="none"),
    ],
)
def test_front(cells, front):
    assert ids(pareto_front(cells)) == front


def test_another_measure_of_quality():
    cells = [RunRecord(name, "FINISHED", {}, {"m": value, COST: tokens}) for name, value, tokens in (("a", 1, 2),)]
    assert ids(pareto_front(cells, "m")) == "a"


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=12)


@given(rows)
def test_front_is_as_defined(drawn):
    cells = [
        cell(f"{at}", quality / 5, tokens, everything=all_of) for at, (quality, tokens, all_of) in enumerate(drawn)
    ]
    front = {record.run_id for record in pareto_front(cells)}
    for at, (quality, tokens, all_of) in enumerate(drawn):
        beaten = any(
            q >= quality and t <= tokens and (q, t) != (quality, tokens) and (all_of or not other)
            for q, t, other in drawn
        )
        assert (f"{at}" in front) == (not beaten)


@given(rows)
def test_along_the_front_more_tokens_answer_more(drawn):
    cells = [cell(f"{at}", quality / 5, tokens) for at, (quality, tokens, _) in enumerate(drawn)]
    steps = [(record.metrics[COST], record.metrics[QUALITY]) for record in pareto_front(cells)]
    assert steps == sorted(steps)
    assert len({tokens for tokens, _ in steps}) == len({quality for _, quality in steps}) == len(set(steps))


def test_at_budgets():
    cells = [
        cell("a", 0.9, 300, in256=0.4, in512=0.9),
        cell("b", 0.5, 100, in256=0.6, in512=0.9),
        cell("c", 0.5, 90, in256=0.6, in512=0.8),
        cell("d", 1.0, 200, everything=True, in256=0.1),
    ]
    small, large, none = at_budgets(cells, (256, 512, 1024))
    assert (ids(small.filled), ids(small.sending)) == ("cb", "cb")
    assert (ids(large.filled), ids(large.sending)) == ("ba", "a")
    assert (ids(none.filled), ids(none.sending)) == ("", "a")
    assert ids(at_budgets(cells, (80,))[0].sending) == ""
    # What sends everything stands in only where nothing else is within the budget.
    assert ids(at_budgets(cells[3:], (256,))[0].sending) == "d"
