"""How texts are put into batches; the engine itself is run in test_minilm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunksweep.embedders.sentence_transformers import batches


@pytest.mark.parametrize(
    ("tokens", "budget", "groups"),
    [
        pytest.param([2, 5, 3, 2], 10, [[1, 2], [0, 3]], id="padded to the longest of the batch"),
        pytest.param([4, 4, 4], 8, [[0, 1], [2]], id="equal lengths keep their order"),
        pytest.param([50, 1], 10, [[0], [1]], id="a text beyond the budget is alone"),
        pytest.param([0, 0], 1, [[0], [1]], id="a text without tokens"),
        pytest.param([], 10, [], id="nothing"),
    ],
)
def test_batches_hold_about_equal_texts(tokens, budget, groups):
    assert [batch.tolist() for batch in batches(np.array(tokens, dtype=np.int64), budget)] == groups


@settings(deadline=None)
@given(st.lists(st.integers(0, 300), max_size=60), st.integers(1, 1_024))
def test_every_row_is_in_one_batch_within_the_budget(tokens, budget):
    found = [batch.tolist() for batch in batches(np.array(tokens, dtype=np.int64), budget)]
    assert sorted(row for batch in found for row in batch) == list(range(len(tokens)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(tokens[row] for row in batch) <= budget
