"""Which chunks and passages hold a fact, beside a comparison of every chunk with every place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import (
    LENGTH,
    chunks,
    corpus,
    fact,
    passage,
    place,
    question,
    some_chunks,
    some_nested_chunks,
    some_prefixes,
    some_spans,
)

from chunksweep.measures.holding import Holders, holds, touches
from chunksweep.records import Chunks, Place, Prefix, Span

CORPUS = corpus(a="a" * LENGTH, b="b" * LENGTH)


some_places = st.builds(Place, st.sampled_from("ab"), some_spans())


@settings(deadline=None)
@given(some_chunks() | some_nested_chunks(), st.lists(some_places, min_size=1, max_size=4), st.data())
def test_holders_are_the_chunks_whose_span_contains_a_place(split, places, data):
    prefixes = data.draw(st.none() | st.lists(some_prefixes, min_size=len(split), max_size=len(split)))
    spans_of = [
        ("ab"[index], (span, *(prefixes[row].sources if prefixes and prefixes[row] else ())))
        for row, (index, span) in enumerate(split.rows())
    ]
    expected = {
        row
        for row, (id, spans) in enumerate(spans_of)
        for where in places
        if where.document_id == id and any(set(_of(where.span)) <= set(_of(span)) for span in spans)
    }
    wanted = fact(*((where.document_id, where.span.start, where.span.end) for where in places))
    assert Holders(CORPUS, split, prefixes).of_fact(wanted) == expected
    touching = [
        row
        for row, (id, spans) in enumerate(spans_of)
        if places[0].document_id == id and set(_of(places[0].span)) & set(_of(spans[0]))
    ]
    assert list(Holders(CORPUS, split).touching(places[0])) == touching
    assert Holders(CORPUS, split, prefixes).of_questions([question(wanted, wanted)]) == [[expected, expected]]


def test_words_that_a_strategy_added_hold_what_they_were_copied_from():
    split = chunks((0, 0, 10), (0, 10, 20))
    headed = Chunks(split.document, split.start, split.end, (None, Prefix("p", (Span(2, 6),))))
    assert Holders(CORPUS, headed).of_fact(fact(("a", 3, 5))) == {0, 1}
    assert Holders(CORPUS, headed).of_fact(fact(("a", 3, 7))) == {0}
    assert Holders(CORPUS, headed, (Prefix("q", (Span(12, 19),)), None)).of_fact(fact(("a", 12, 13))) == {0, 1}


def _of(span):
    return range(span.start, span.end)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([(0, 0, 100), (0, 100, 200)], set(), id="a boundary cuts it"),
        pytest.param([(0, 0, 100), (0, 70, 170), (0, 140, 200)], {1}, id="an overlap of 30 mends it"),
        pytest.param([(0, 92, 116)], {0}, id="exactly it"),
        pytest.param([(0, 92, 115)], set(), id="one character short"),
        pytest.param([(1, 0, 200)], set(), id="another document"),
    ],
)
def test_a_fact_is_held_whole_or_not_at_all(rows, expected):
    text = "a" * 91 + " the key is under the mat " + "b" * 90
    start = text.index("the key")
    assert (start, start + 24) == (92, 116)
    found = Holders(corpus(a=text, b=text), chunks(*rows)).of_fact(fact(("a", start, start + 24)))
    assert found == expected


@pytest.mark.parametrize(
    ("one", "held", "touched"),
    [
        pytest.param(passage("a", (0, 10)), True, True, id="inside"),
        pytest.param(passage("b", (0, 10)), False, False, id="another document"),
        pytest.param(passage("a", (0, 6), (6, 10)), False, True, id="spans are never joined"),
        pytest.param(passage("a", (20, 30), (5, 8)), True, True, id="in the second span"),
        pytest.param(passage("a", (7, 10)), False, True, id="one character"),
        pytest.param(passage("a", (8, 10)), False, False, id="beside it"),
        pytest.param(passage("a", (22, 40)), True, True, id="its other place"),
    ],
)
def test_passages_hold_and_touch(one, held, touched):
    wanted = fact(("a", 5, 8), ("a", 30, 35))
    assert holds(one, wanted) is held
    assert touches(one, wanted.places) is touched


def test_touching_nothing():
    assert not touches(passage("a", (0, 10)), [])
    assert not touches(passage("a", (0, 10)), [place("a", 5, 5)])
