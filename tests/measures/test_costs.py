"""Costs, worked out by hand and, for repeated tokens, beside a comparison character by character."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import Words, passage

from chunksweep.measures.costs import index_costs, repeated_tokens, sending_costs, sent_chars, sent_tokens

TEXT = "the relay of the old mill feeds the small pump by the gate"
OFFSETS = Words().offsets
NOTHING = np.zeros(0, dtype=np.int64)


def cut(start, end, document_id="a", head="", sources=()):
    return passage(document_id, (start, end), *sources, text=head + TEXT[start:end])


def test_each_passage_is_counted_alone():
    passages = [cut(0, 9), cut(4, 9), cut(0, 9)]
    assert sent_tokens(passages, {"the relay": 2, "relay": 1}) == 5
    assert sent_chars(passages) == 23


@pytest.mark.parametrize(
    ("passages", "repeated"),
    [
        pytest.param([cut(0, 9), cut(4, 16)], 1, id="the overlap: relay"),
        pytest.param([cut(0, 7), cut(4, 16)], 0, id="half a token"),
        pytest.param([cut(0, 9), cut(4, 16, "b")], 0, id="another document"),
        pytest.param([cut(0, 9), cut(12, 16)], 0, id="the same word elsewhere"),
        pytest.param([cut(0, 7), cut(7, 16), cut(4, 12)], 2, id="by two earlier passages together"),
        pytest.param([cut(0, 16), cut(4, 9), cut(4, 9)], 2, id="each time"),
        pytest.param([cut(4, 9)], 0, id="a passage does not repeat itself"),
        pytest.param([], 0, id="nothing sent"),
    ],
)
def test_tokens_are_repeated_where_all_their_characters_were_sent(passages, repeated):
    assert repeated_tokens(passages, OFFSETS) == repeated


@pytest.mark.parametrize(
    ("passages", "repeated"),
    [
        pytest.param(
            [cut(10, 16, head="the relay: ", sources=[(0, 9)]), cut(17, 25, head="the relay: ", sources=[(0, 9)])],
            2,
            id="copied there before",
        ),
        pytest.param([cut(0, 12), cut(17, 25, head="the relay: ", sources=[(0, 9)])], 2, id="its source was sent"),
        pytest.param([cut(0, 7), cut(17, 25, head="the relay: ", sources=[(0, 9)])], 0, id="half of its source"),
        pytest.param([cut(0, 9), cut(17, 25, head="a > b. ", sources=[(0, 3), (4, 9)])], 3, id="all of its sources"),
        pytest.param([cut(0, 3), cut(17, 25, head="a > b. ", sources=[(0, 3), (4, 9)])], 0, id="one of its sources"),
        pytest.param(
            [cut(10, 16, head="the relay: ", sources=[(0, 9)]), cut(0, 16)], 4, id="the chunk repeats a sent prefix"
        ),
        pytest.param([cut(0, 9, head="file. "), cut(10, 16, head="file. ")], 1, id="words without a source"),
        pytest.param([cut(0, 9), cut(10, 16, head="file. ")], 0, id="words without a source for the first time"),
        pytest.param([cut(0, 9, "b", "file. "), cut(10, 16, head="file. ")], 0, id="another document's prefix"),
        pytest.param([cut(0, 9, head="x-"), cut(4, 16, head="x-")], 1, id="a token of prefix and chunk, both repeated"),
        pytest.param([cut(0, 9, head="x-"), cut(10, 16, head="x-")], 0, id="a token of prefix and chunk, one repeated"),
    ],
)
def test_a_prefix_is_repeated_as_one(passages, repeated):
    assert repeated_tokens(passages, OFFSETS) == repeated


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 57), st.integers(1, 30)), max_size=5))
def test_repeated_tokens_beside_a_comparison_of_characters(cuts):
    passages = [cut(start, min(start + length, len(TEXT)), id) for id, start, length in cuts]
    sent, repeated = set(), 0
    for one in passages:
        first = one.spans[0].start
        for token in re.finditer(r"\S+", one.text):
            characters = {(one.document_id, first + position) for position in range(*token.span())}
            repeated += characters <= sent
        sent |= {(one.document_id, position) for position in range(first, one.spans[0].end)}
    assert repeated_tokens(passages, OFFSETS) == repeated


def test_what_is_sent_costs_money_where_its_price_is_known():
    # Twenty questions: 95 % of the way from the first to the twentieth is beyond the nineteenth, so the twentieth.
    tokens = [100] * 18 + [200, 400]
    assert sending_costs(tokens, [4 * count for count in tokens], 2.5) == {
        "cost/sent_tokens_p95": 400.0,
        "cost/sent_chars_p95": 1600.0,
        "cost/usd_per_1k_questions": pytest.approx(120 * 1_000 * 2.5 / 1e6),
    }
    assert "cost/usd_per_1k_questions" not in sending_costs(tokens, tokens, None)
    assert sending_costs([], [], 2.5) == {}


@pytest.mark.parametrize(
    ("window", "tokens"), [pytest.param(256, 612, id="the model reads no further"), pytest.param(None, 656, id="all")]
)
def test_an_index_takes_tokens_and_bytes(window, tokens):
    assert index_costs(np.array([100, 256, 300]), NOTHING, window, 384, 0.02) == {
        "cost/embedded_tokens": tokens,
        "cost/index_vectors": 3,
        "cost/index_mb": pytest.approx(3 * 384 * 4 / 1e6),
        "cost/embedding_usd": pytest.approx(tokens * 0.02 / 1e6),
    }


def test_what_is_embedded_to_cut_by_is_embedded_too():
    costs = index_costs(np.array([100, 300]), np.array([7, 257]), 256, 384, None)
    assert (costs["cost/embedded_tokens"], costs["cost/index_vectors"]) == (100 + 256 + 7 + 256, 2)


def test_an_unknown_price_gives_no_money_and_a_price_of_nothing_gives_0():
    assert "cost/embedding_usd" not in index_costs(np.array([100]), NOTHING, None, 384, None)
    assert index_costs(np.array([100]), NOTHING, None, 384, 0.0)["cost/embedding_usd"] == 0
