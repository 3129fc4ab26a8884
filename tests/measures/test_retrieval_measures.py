"""Retrieval measures of a question, worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import document, fact, passage, place, question

from chunksweep.measures import retrieval
from chunksweep.records import Section, Span


def ranks(delivered, gold):
    """Ranks where the chunk at each place delivers some named facts."""
    holders = [frozenset(row for row, facts in enumerate(delivered) if name in facts) for name in gold]
    return retrieval.fact_ranks(range(len(delivered)), holders)


@pytest.mark.parametrize(
    ("delivered", "gold", "recalls"),
    [
        pytest.param(["b", "b", "b", ""], "abcd", [0.25] * 4, id="a fact delivered again gains nothing"),
        pytest.param(["a"], "aa", [1.0], id="a fact named twice"),
        pytest.param(["x", "d", "y", "a"], "abcd", [0, 0.25, 0.25, 0.5], id="over all facts, not those delivered"),
        pytest.param(["a"], "abc", [1 / 3], id="not capped at k"),
        pytest.param(["", "q"] + [""] * 8, "abcdefghijklmnopqrst", [0] + [0.05] * 9, id="one of twenty"),
        pytest.param([], "a", [0.0, 0.0], id="nothing retrieved"),
        pytest.param(["ab", "c"], "abc", [2 / 3, 1, 1], id="k beyond what exists"),
    ],
)
def test_recall_is_the_share_of_all_facts(delivered, gold, recalls):
    found = ranks(delivered, gold)
    assert [retrieval.recall_at(found, k) for k in range(1, len(recalls) + 1)] == pytest.approx(recalls, abs=1e-12)
    assert [retrieval.hit_at(found, k) for k in range(1, len(recalls) + 1)] == [float(share > 0) for share in recalls]


@pytest.mark.parametrize(
    ("found", "k", "reciprocal", "ndcg"),
    [
        pytest.param([1], 3, 1.0, 1.0, id="first"),
        pytest.param([3], 3, 1 / 3, 1 / 2, id="third: log2(4) is 2"),
        pytest.param([4], 3, 0.0, 0.0, id="beyond k"),
        pytest.param([None], 3, 0.0, 0.0, id="not ranked"),
        pytest.param([3, 1, None, None], 3, 1.0, (1 / 2 + 1) / 4, id="mean over all facts"),
        pytest.param([1, 1], 1, 1.0, 1.0, id="one chunk that holds both"),
        pytest.param([7, 2], 10, 1 / 2, (1 / 3 + 1 / math.log2(3)) / 2, id="log2(8) is 3"),
    ],
)
def test_ranks_are_discounted(found, k, reciprocal, ndcg):
    assert retrieval.reciprocal_rank(found, k) == pytest.approx(reciprocal)
    assert retrieval.ndcg_at(found, k) == pytest.approx(ndcg)


@settings(deadline=None)
@given(st.lists(st.none() | st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 12))
def test_measures_lie_between_0_and_1_and_grow_with_k(found, k):
    for measure in (retrieval.hit_at, retrieval.recall_at, retrieval.reciprocal_rank, retrieval.ndcg_at):
        assert 0 <= measure(found, k) <= measure(found, k + 1) <= 1
    assert retrieval.ndcg_at(found, k) <= retrieval.recall_at(found, k) <= retrieval.hit_at(found, k)


@pytest.mark.parametrize(
    ("passages", "rank"),
    [
        pytest.param([passage("a", (0, 20))], 1, id="one holds both"),
        pytest.param([passage("a", (0, 9)), passage("b", (0, 9)), passage("a", (10, 20))], 3, id="together"),
        pytest.param([passage("a", (0, 12)), passage("a", (13, 20))], None, id="the second is cut"),
        pytest.param([], None, id="nothing retrieved"),
    ],
)
def test_an_answer_needs_all_facts(passages, rank):
    facts = (fact(("a", 2, 5)), fact(("a", 11, 15)))
    found = retrieval.answer_rank(passages, facts)
    assert found == rank
    assert [retrieval.answerable_at(found, k) for k in (1, 2, 3, 4)] == [
        float(rank is not None and k >= rank) for k in (1, 2, 3, 4)
    ]


@pytest.mark.parametrize(
    ("holders", "value"),
    [
        pytest.param([{1}, {2}], 1.0, id="not the same passage"),
        pytest.param([{1}, set()], 0.0, id="one is cut"),
    ],
)
def test_the_ceiling_asks_that_each_fact_is_somewhere_whole(holders, value):
    assert retrieval.ceiling([frozenset(rows) for rows in holders]) == value


TEXT = "one  two\nsix ten"  # twelve non-blank characters, three a word
NAMED = [place("a", 0, 5), place("b", 0, 16)]


@pytest.mark.parametrize(
    ("spans", "chunk", "value"),
    [
        pytest.param(NAMED, (0, 8), 1.0, id="half: blanks do not count"),
        pytest.param(NAMED, (0, 12), 0.0, id="a third"),
        pytest.param([*NAMED, place("a", 9, 12)], (0, 16), 1.0, id="with what lies below it"),
        pytest.param(NAMED, (9, 16), 0.0, id="elsewhere"),
        pytest.param([place("a", 3, 5)], (3, 5), 0.0, id="blank"),
        pytest.param([], (0, 5), 0.0, id="named in another document only"),
    ],
)
def test_the_best_chunk_lies_in_the_section_named(spans, chunk, value):
    asked = question(section="S", section_spans=spans)
    text = document("a", TEXT, [Section(Span(0, 16), Span(0, 16), "", 0, ())])
    assert retrieval.section_at_1(asked, text, Span(*chunk)) == value


def test_without_a_named_section_it_is_undefined():
    assert retrieval.section_at_1(question(), document("a", TEXT), Span(0, 5)) is None


def test_without_a_chunk_it_is_0():
    assert retrieval.section_at_1(question(section="S"), None, Span(0, 0)) == 0
