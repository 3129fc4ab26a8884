"""The word for what became of a question; the first that is true."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.builders import fact, passage, place, question

from chunksweep.measures.holding import holds
from chunksweep.measures.outcomes import OUTCOMES, outcome
from chunksweep.measures.retrieval import answer_rank

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


# Five passages made of one chunk each, with the chunks around it: the chunks are (0, 10), (10, 20) and so on of
# document a, a passage reaches half a chunk further on either side, and the document ends at 50.
WIDER = [
    passage("a", (0, 15)),
    passage("a", (5, 25)),
    passage("a", (15, 35)),
    passage("a", (25, 45)),
    passage("a", (35, 50)),
]
SENT = 2


@pytest.mark.parametrize(
    ("facts", "best", "word"),
    [
        pytest.param([(8, 12)], [0, 3, 4, 2, 1], "answered", id="a boundary of chunks cuts it, the passage does not"),
        pytest.param([(8, 12), (28, 32)], [1, 3, 0, 2, 4], "not first", id="two facts in two passages"),
        pytest.param([(8, 12), (16, 24)], [1, 3, 0, 2, 4], "answered", id="two facts in one passage"),
        pytest.param([(2, 40)], [1, 3, 0, 2, 4], "cut", id="longer than any passage"),
        pytest.param([(8, 12), (2, 40)], [1, 3, 0, 2, 4], "cut", id="one of two is longer"),
        pytest.param([(8, 12), (46, 49)], [1, 3, 0, 2, 4], "thin", id="one of two is sent"),
        pytest.param([(36, 44)], [1, 2, 3, 0, 4], "not found", id="only the third"),
        pytest.param([(33, 37)], [1, 2, 3, 0, 4], "thin", id="the end of it is not sent"),
    ],
)
def test_passages_wider_than_their_chunks(facts, best, word):
    asked = question(*(fact(("a", *where)) for where in facts))
    assert became(asked, [WIDER[row] for row in best]) == word


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 49), st.integers(1, 12)).map(lambda run: (run[0], min(50, sum(run)))),
            min_size=2,
            max_size=4,
        ),
        min_size=1,
        max_size=6,
    ),
    st.permutations(WIDER),
)
def test_outcomes_of_wider_passages_add_up(questions, ranked):
    asked = [question(*(fact(("a", *where)) for where in facts)) for facts in questions]
    count = Counter(became(one, ranked) for one in asked)
    ranks = [answer_rank(ranked, one.facts) for one in asked]
    first, answerable = (sum(rank is not None and rank <= k for rank in ranks) for k in (1, SENT))
    ceiling = sum(all(any(holds(other, f) for other in WIDER) for f in one.facts) for one in asked)
    assert count.total() == len(asked)
    assert count["answered"] == first
    assert count["not first"] == answerable - first
    assert count["thin"] + count["not found"] == ceiling - answerable
    assert count["cut"] == len(asked) - ceiling


def became(asked, ranked):
    """The outcome where the best two passages are sent."""
    holders = [frozenset(row for row, other in enumerate(WIDER) if holds(other, f)) for f in asked.facts]
    return outcome(asked, answer_rank(ranked, asked.facts), holders, ranked[:SENT])
