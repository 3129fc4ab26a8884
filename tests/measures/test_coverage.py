"""What chunks leave of the documents."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import chunks, corpus

from chunksweep.measures.coverage import coverage
from chunksweep.records import Chunks


def test_worked_out_by_hand():
    # Of "ab cd ef" [3, 5) is in no chunk, of "xyz" the last; [1, 2) lies in [0, 2).
    split = chunks((0, 0, 2), (0, 1, 2), (0, 6, 8), (1, 0, 2))
    assert coverage(corpus(a="ab cd ef", b="xyz"), split) == {"chunks/lost_chars": 3, "chunks/nested": 1}


def test_documents_without_chunks_are_lost():
    assert coverage(corpus(a="a b", b="c"), chunks((1, 0, 1)))["chunks/lost_chars"] == 2


def test_what_the_strategy_counted_is_kept():
    whole = chunks((0, 0, 1))
    split = Chunks(whole.document, whole.start, whole.end, counts={"altered": 0, "unparsed": 2})
    assert coverage(corpus(a="a"), split) == {
        "chunks/lost_chars": 0,
        "chunks/nested": 0,
        "chunks/altered": 0,
        "chunks/unparsed": 2,
    }


SPANS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 11), st.integers(1, 6)), max_size=6)


@settings(deadline=None)
@given(SPANS)
def test_lost_characters_beside_a_set(drawn):
    rows = sorted((document, start, min(start + length, 12)) for document, start, length in drawn)
    split = chunks(*rows) if rows else Chunks(*np.zeros((3, 0), dtype=np.int64))
    covered = {(document, place) for document, start, end in rows for place in range(start, end)}
    text = "ab c\n\nd efgh"
    lost = [place for document in (0, 1) for place in range(12) if (document, place) not in covered]
    expected = sum(not text[place].isspace() for place in lost)
    assert coverage(corpus(a=text, b=text), split)["chunks/lost_chars"] == expected
