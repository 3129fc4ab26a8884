"""The drill-down's data: small enough, and nothing in it that is not so."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.html.sweeps import TEXT, row

from chunksweep.report.html.drill import Drill, union

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted).map(tuple), max_size=8)


@given(spans)
def test_union_covers_the_same_characters(drawn):
    found = union(drawn)
    covered = {at for start, end in drawn for at in range(start, end)}
    assert {at for start, end in found for at in range(start, end)} == covered
    # In order, and with a gap between any two: a text stands in one piece.
    assert all(one[1] < other[0] for one, other in pairwise(found))


def decoded(data):
    """The passages that cells sent, as (document, start, end), from what travels."""
    passages = [
        (data["documents"][number], start, start + length)
        for number, flat in enumerate(data["passages"])
        for start, length in zip(accumulate(flat[0::3]), flat[1::3], strict=True)
    ]
    return [[[passages[number] for number in sent] for sent in of_cell] for of_cell in data["sent"]]


def test_passages_come_back():
    rows = [
        [row("q", "thin", (5, 9), (0, 9)), row("r", "thin", (5, 9))],
        [row("q", "answered", (2, 30)), row("r", "cut")],
    ]
    data = json.loads(Drill(["a", "b"], rows, {"pets.md": TEXT}).json(10_000))
    assert decoded(data) == [
        [[("pets.md", 5, 9), ("pets.md", 0, 9)], [("pets.md", 5, 9)]],
        [[("pets.md", 2, 30)], []],
    ]
    assert data["ranks"] == [[None, None], [1, None]]


def drill(cells=8):
    """Cells that each send another 1,000 characters of a text."""
    text = "".join(chr(0x4E00 + at % 5000) for at in range(1_000 * cells))
    rows = [[row("q", "thin", (1_000 * cell, 1_000 * cell + 1_000))] for cell in range(cells)]
    return Drill([str(cell) for cell in range(cells)], rows, {"pets.md": text})


def test_what_there_is_no_room_for_is_left_out_step_by_step():
    # A character is three bytes: 24,000 for all of the text, 12,000 for half of each passage, and so on.
    found = {most: json.loads(drill().json(most)) for most in (30_000, 20_000, 7_000, 4_000, 390, 330, 100)}
    kept = [(data["length"], len(data["sent"])) for data in found.values()]
    assert kept[:5] == [(4_000, 8), (500, 8), (250, 8), (120, 8), (0, 8)]
    # Then the cells at the end of the leaderboard have no passages; what became of their questions stays.
    assert [length for length, _ in kept[5:]] == [0, 0]
    assert 0 < kept[5][1] < 8
    assert kept[6][1] == 0
    assert all(data["outcomes"] == ["3"] * 8 for data in found.values())


@pytest.mark.parametrize("most", [30_000, 20_000, 7_000, 4_000, 390, 330])
def test_it_is_never_larger_than_allowed_where_that_can_be(most):
    assert len(drill().json(most).encode()) <= most


def test_a_document_that_is_gone_has_no_text():
    found = json.loads(Drill(["a"], [[row("q", "thin", (0, 5))]], {}).json(1_000))
    assert found["texts"] == [[]]
