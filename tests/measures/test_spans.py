"""Measures in source characters, beside sets of characters counted one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import LENGTH, chunks, corpus, fact, place, some_chunks

from chunksweep.measures.holding import Holders
from chunksweep.measures.spans import Overlap, overlap, precision_omega
from chunksweep.records import Fact, Place

CORPUS = corpus(a="a" * LENGTH, b="b" * LENGTH)


def located(split):
    """Where each chunk lies."""
    return [Place("ab"[index], span) for index, span in split.rows()]


def touching(split):
    """From a place to the chunks that touch it, as a cell finds them."""
    finder, places = Holders(CORPUS, split), located(split)
    return lambda where: [places[row] for row in finder.touching(where)]


some_places = (
    st.tuples(st.sampled_from("ab"), st.integers(0, LENGTH - 1), st.integers(1, LENGTH))
    .filter(lambda where: where[1] < where[2])
    .map(lambda where: place(*where))
)
some_facts = st.lists(
    st.lists(some_places, min_size=1, max_size=3).map(lambda places: Fact("quote", tuple(places))),
    min_size=1,
    max_size=3,
)


def characters(*places):
    return {(where.document_id, position) for where in places for position in range(where.span.start, where.span.end)}


@settings(deadline=None)
@given(some_chunks(), some_facts, st.data())
def test_overlap_beside_sets_of_characters(split, facts, data):
    retrieved = data.draw(st.lists(st.sampled_from(located(split)), unique=True)) if len(split) else []
    read = characters(*retrieved)
    chosen = []
    for one in facts:
        most = max(len(characters(where) & read) for where in one.places)
        chosen.append(next(where for where in one.places if len(characters(where) & read) == most))
    wanted = characters(*chosen)
    expected = Overlap(len(wanted & read), len(wanted), sum(len(characters(chunk)) for chunk in retrieved))
    assert overlap(retrieved, facts) == expected
    assert 0 <= expected.iou <= min(expected.recall, expected.precision) if retrieved else expected.recall == 0


@settings(deadline=None)
@given(some_chunks(), some_facts)
def test_precision_omega_beside_sets_of_characters(split, facts):
    def share(places):
        wanted = characters(*places)
        touched = [chunk for chunk in located(split) if characters(chunk) & wanted]
        retrieved = sum(len(characters(chunk)) for chunk in touched)
        return Fraction(len(wanted & characters(*touched)), retrieved) if retrieved else Fraction(0)

    chosen = []
    for one in facts:
        most = max(share([where]) for where in one.places)
        chosen.append(next(where for where in one.places if share([where]) == most))
    assert precision_omega(facts, touching(split)) == pytest.approx(float(share(chosen)))


@pytest.mark.parametrize(
    ("retrieved", "facts", "expected"),
    [
        pytest.param([("a", 0, 10)], [fact(("a", 2, 7))], Overlap(5, 5, 10), id="inside"),
        pytest.param([("a", 0, 5), ("a", 5, 10)], [fact(("a", 2, 7))], Overlap(5, 5, 10), id="in two chunks"),
        pytest.param([("a", 0, 6), ("a", 4, 10)], [fact(("a", 2, 7))], Overlap(5, 5, 12), id="retrieved twice"),
        pytest.param([("a", 0, 4)], [fact(("a", 2, 7), ("a", 0, 5))], Overlap(4, 5, 4), id="the place covered most"),
        pytest.param([("a", 5, 9)], [fact(("a", 0, 2), ("b", 0, 8))], Overlap(0, 2, 4), id="none covered: the first"),
        pytest.param([("a", 0, 9)], [fact(("a", 1, 5)), fact(("a", 3, 8))], Overlap(7, 7, 9), id="facts united"),
        pytest.param([("b", 0, 9)], [fact(("a", 1, 5))], Overlap(0, 4, 9), id="another document"),
        pytest.param([], [fact(("a", 1, 5))], Overlap(0, 4, 0), id="nothing retrieved"),
    ],
)
def test_overlap_worked_out_by_hand(retrieved, facts, expected):
    assert overlap([place(*chunk) for chunk in retrieved], facts) == expected


@pytest.mark.parametrize(
    ("found", "recall", "precision", "iou"),
    [
        pytest.param(Overlap(5, 10, 20), 1 / 2, 1 / 4, 5 / 25, id="half of it"),
        pytest.param(Overlap(10, 10, 10), 1.0, 1.0, 1.0, id="exactly it"),
        pytest.param(Overlap(10, 10, 40), 1.0, 1 / 4, 1 / 4, id="with much else"),
        pytest.param(Overlap(0, 10, 0), 0.0, 0.0, 0.0, id="nothing retrieved"),
    ],
)
def test_shares_of_an_overlap(found, recall, precision, iou):
    assert (found.recall, found.precision, found.iou) == (recall, precision, iou)


@pytest.mark.parametrize(
    ("rows", "facts", "value"),
    [
        pytest.param([(0, 0, 10), (0, 10, 20)], [fact(("a", 8, 12))], 4 / 20, id="both halves are touched"),
        pytest.param([(0, 0, 10), (0, 10, 20)], [fact(("a", 6, 10))], 4 / 10, id="a neighbour is not"),
        pytest.param([(0, 0, 10), (0, 5, 20)], [fact(("a", 6, 8))], 2 / 25, id="in the overlap: both are retrieved"),
        pytest.param([(0, 0, 20), (1, 0, 5)], [fact(("a", 0, 3), ("b", 0, 3))], 3 / 5, id="the place that gives most"),
        pytest.param([(0, 0, 10)], [fact(("a", 0, 3)), fact(("a", 5, 8))], 6 / 10, id="a chunk counts once for both"),
        pytest.param([(0, 0, 10)], [fact(("a", 12, 15))], 0.0, id="left out with a heading"),
    ],
)
def test_precision_omega_worked_out_by_hand(rows, facts, value):
    assert precision_omega(facts, touching(chunks(*rows))) == pytest.approx(value)


@settings(deadline=None)
@given(some_chunks(), some_places)
def test_touching_beside_a_comparison_of_characters(split, where):
    expected = [row for row, chunk in enumerate(located(split)) if characters(chunk) & characters(where)]
    assert list(Holders(CORPUS, split).touching(where)) == expected
