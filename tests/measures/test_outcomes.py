"""The word for what became of a question; the first that is true."""

from __future__ import annotations

import pytest
from tests.measures.builders import fact, passage, place, question

from chunksweep.measures.outcomes import OUTCOMES, outcome

ASKED = question(fact(("a", 10, 20)), section="S", section_spans=[place("b", 0, 50)])
HELD, CUT = [frozenset({1})], [frozenset()]
NEAR, FAR = passage("a", (0, 11)), passage("a", (0, 10))


@pytest.mark.parametrize(
    ("rank", "holders", "sent", "word"),
    [
        pytest.param(1, HELD, [NEAR], "answered", id="the best passage alone"),
        pytest.param(2, HELD, [FAR, NEAR], "not first", id="with the second"),
        pytest.param(3, HELD, [FAR, NEAR], "thin", id="with one that is not sent"),
        pytest.param(None, CUT, [NEAR], "cut", id="a boundary cuts it"),
        pytest.param(None, CUT, [FAR], "cut", id="cut comes before not found"),
        pytest.param(None, HELD, [FAR, NEAR], "thin", id="a character of the fact"),
        pytest.param(None, HELD, [passage("b", (49, 60))], "thin", id="a character of the section named"),
        pytest.param(None, HELD, [FAR, passage("b", (50, 60))], "not found", id="beside both"),
        pytest.param(None, HELD, [], "not found", id="nothing sent"),
    ],
)
def test_the_first_word_that_is_true(rank, holders, sent, word):
    assert outcome(ASKED, rank, holders, sent) == word
    assert word in OUTCOMES
