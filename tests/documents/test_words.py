"""Words of reports."""

import pytest

from chunksweep.documents.words import said, some_of


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        pytest.param([3], "row 3", id="one"),
        pytest.param([3, 5], "rows 3 and 5", id="two"),
        pytest.param([1, 2, 3, 4, 5, 6], "rows 1, 2, 3, 4, 5 and 6", id="all, where one more would be left"),
        pytest.param(list(range(1, 13)), "rows 1, 2, 3, 4, 5 and 7 more", id="many"),
    ],
)
def test_some_of(numbers, words):
    assert some_of("row", numbers) == words


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(ValueError("no\nmore"), "ValueError: no", id="the first line"),
        pytest.param(ValueError(), "ValueError", id="no words"),
    ],
)
def test_said(error, words):
    assert said(error) == words
