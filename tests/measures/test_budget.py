"""Answers within a budget, beside passages taken one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.measures.budget import most_within, tokens_to_answer

some_tokens = st.lists(st.sampled_from([1, 7, 60, 250, 600]), max_size=12)


def taken(tokens, budget):
    """How many passages fit, taken in order until the next does not."""
    for count in range(len(tokens), -1, -1):
        if sum(tokens[:count]) <= budget:
            return count
    raise AssertionError("no passages fit into any budget")


@given(some_tokens, st.data(), st.sampled_from([0, 1, 256, 512, 1024]))
def test_answerable_beside_passages_taken_one_by_one(tokens, data, budget):
    ranks = data.draw(
        st.lists(st.none() | st.integers(1, len(tokens)) if tokens else st.none(), min_size=1, max_size=3)
    )
    held = all(rank is not None and rank <= taken(tokens, budget) for rank in ranks)
    assert (tokens_to_answer(ranks, np.array(tokens, dtype=np.int64)) <= budget) == held


@given(some_tokens, st.integers(0, 2048), st.randoms())
def test_no_order_fits_more(tokens, budget, random):
    most = most_within(budget, np.array(tokens, dtype=np.int64))
    assert taken(sorted(tokens), budget) == most
    random.shuffle(tokens)
    assert taken(tokens, budget) <= most


@pytest.mark.parametrize(
    ("ranks", "tokens", "needed"),
    [
        pytest.param([2], [100, 156, 70], 256, id="to the passage that holds it"),
        pytest.param([3], [100, 200, 10], 310, id="none is left out for a smaller one"),
        pytest.param([1, 2], [200, 50, 70], 250, id="both facts"),
        pytest.param([1, 1], [200, 50, 70], 200, id="both in one"),
        pytest.param([1, None], [10], math.inf, id="a fact is not ranked"),
        pytest.param([None], [], math.inf, id="nothing retrieved"),
    ],
)
def test_tokens_to_answer_worked_out_by_hand(ranks, tokens, needed):
    assert tokens_to_answer(ranks, np.array(tokens, dtype=np.int64)) == needed
