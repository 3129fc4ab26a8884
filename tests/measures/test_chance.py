"""Chance, beside the share of all orders counted one by one."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunksweep.measures.chance import MOST_FACTS, chance_at


def counted(holders, passages, k):
    """Share of all sets of k passages in which every fact has a holder."""
    sets = list(combinations(range(passages), min(k, passages)))
    return sum(all(any(row in rows for row in chosen) for rows in holders) for chosen in sets) / len(sets)


@settings(deadline=None)
@given(st.data(), st.integers(1, 7))
def test_chance_is_the_share_of_all_orders(data, passages):
    rows = st.frozensets(st.integers(0, passages - 1))
    holders = data.draw(st.lists(rows, min_size=1, max_size=4))
    cutoffs = list(range(1, passages + 3))
    found = chance_at(holders, passages, cutoffs)
    assert found == pytest.approx([counted(holders, passages, k) for k in cutoffs], abs=1e-12)
    assert all(0 <= value <= 1 for value in found)


@pytest.mark.parametrize(
    ("holders", "passages", "k", "value"),
    [
        pytest.param([{0}], 4, 1, 1 / 4, id="one of four"),
        pytest.param([{0, 1}], 4, 2, 1 - 1 / 6, id="two of four, two drawn"),
        pytest.param([{0}, {1}], 4, 2, 1 / 6, id="both of two facts"),
        pytest.param([{0}, {0}], 4, 1, 1 / 4, id="in the same passage"),
        pytest.param([{0}, {0, 1, 2}], 4, 1, 1 / 4, id="whoever has the first has both"),
        pytest.param([{0}, set()], 4, 4, 0.0, id="one is cut"),
        pytest.param([{0}], 4, 9, 1.0, id="all there are"),
        pytest.param([set()], 0, 3, 0.0, id="nothing there"),
        pytest.param([{row} for row in range(MOST_FACTS)], 16, 16, 1.0, id="as many facts as can be told apart"),
        pytest.param([set(range(50_000))], 100_000, 10, 0.99902388, id="many passages"),
    ],
)
def test_chance_worked_out_by_hand(holders, passages, k, value):
    # The last: drawn with putting back it is 1 - 2^-10; without, 2^-10 shrinks by about 45 in 100,000.
    assert chance_at([frozenset(rows) for rows in holders], passages, [k]) == [pytest.approx(value, abs=1e-8)]


def test_too_many_facts_are_given_up():
    holders = [frozenset({row}) for row in range(MOST_FACTS + 1)]
    assert chance_at(holders, 40, [1, 3]) is None
    # Facts that decide nothing do not count.
    assert chance_at([*holders[:2], *[frozenset(range(row + 3)) for row in range(20)]], 40, [2]) == [1 / comb(40, 2)]
