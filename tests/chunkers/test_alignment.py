from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import texts

from chunksweep.chunkers.alignment import UnplacedError, align
from chunksweep.records import Span


def placed(text: str, chunks: list[str], overlap: int = 0) -> list[tuple[int, int]]:
    aligned = align(text, chunks, lambda before: max(before.end - overlap, 0))
    return [(span.start, span.end) for span in aligned.spans]


@pytest.mark.parametrize(
    ("text", "chunks", "overlap", "expected"),
    [
        pytest.param("relay relay relay", ["relay"] * 3, 0, [(0, 5), (6, 11), (12, 17)], id="equal texts in order"),
        pytest.param("abababab", ["abab", "abab"], 0, [(0, 4), (4, 8)], id="no overlap asked for, none found"),
        pytest.param("ababab", ["abab", "abab"], 2, [(0, 4), (2, 6)], id="nothing is left over at the end"),
        pytest.param("a\n\nb  c", ["a", "b c"], 0, [(0, 1), (3, 7)], id="white space changed"),
        pytest.param("NASA's Café", ["nasa ' s", "cafe"], 0, [(0, 6), (7, 11)], id="case, accents, blanks put in"),
        pytest.param("# H\n\none\n\n# H\n\none", ["one", "one"], 0, [(5, 8), (15, 18)], id="left out between chunks"),
        pytest.param("ab🧰cd", ["ab\ufffd", "\ufffdcd"], 0, [(0, 2), (3, 5)], id="a character cut in two"),
        pytest.param("a\ufffdb", ["a\ufffd", "b"], 0, [(0, 2), (2, 3)], id="a replacement character of the text"),
        pytest.param("one two", ["one two", "two"], 3, [(0, 7), (4, 7)], id="a chunk inside the one before"),
        pytest.param("a b", ["a", " ", "b"], 0, [(0, 1), (2, 3)], id="blank chunks are left out"),
        pytest.param("a\u0378b a\ue000b ab", ["ab"], 0, [(8, 10)], id="no name, no use, yet no control character"),
        pytest.param("a\x07b ab", ["ab"], 0, [(0, 3)], id="a control character taken out"),
        pytest.param("abc", [], 0, [], id="no chunk"),
    ],
)
def test_places(text: str, chunks: list[str], overlap: int, expected: list[tuple[int, int]]) -> None:
    assert placed(text, chunks, overlap) == expected


def test_what_is_counted() -> None:
    aligned = align("a  b c", ["a b", "\ufffd", "c"], lambda before: before.end)
    assert (aligned.altered, aligned.left_out) == (1, 1)


def test_what_stands_nowhere_is_not_guessed() -> None:
    with pytest.raises(UnplacedError) as caught:
        align("one two", ["one", "three"], lambda before: before.end)
    assert (caught.value.number, caught.value.chunk) == (2, "three")


@st.composite
def cuts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and spans that cover it without overlap, none of them blank."""
    text = draw(texts())
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)) | {0, len(text)})
    spans = [Span(start, end) for start, end in pairwise(places)]
    return text, [span for span in spans if text[span.start : span.end].strip("\ufffd").strip()]


@settings(max_examples=200, deadline=None)
@given(cuts())
def test_pieces_of_a_text_are_found_where_they_were_cut(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    aligned = align(text, [text[span.start : span.end] for span in spans], lambda before: before.end)
    assert list(aligned.spans) == spans
    assert aligned.altered == aligned.left_out == 0
