from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chunkers.cutting import bounds, cut, spans

from chunksweep.records import Span
from chunksweep.tokens import load_tokenizer

CLUSTERS = "a👨‍👩‍👧‍👦b🇪🇺cé̂d"
MIXED = "価格は一万二千円です。🧰🔩🪛 naïve façade 漢字かな交じり文。"


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        pytest.param("abcdefghijkl", 9, 5, [(0, 9), (4, 12)], id="no last window inside its neighbour"),
        pytest.param("abcd", 9, 5, [(0, 4)], id="shorter than a window"),
        pytest.param("m" * 23, 10, 3, [(0, 10), (7, 17), (14, 23)], id="the end is reached once"),
        pytest.param("ABCDEFGHIJKL", 5, 2, [(0, 5), (3, 8), (6, 11), (9, 12)], id="exact overlap"),
        pytest.param("    ab      c", 3, 0, [(3, 6), (12, 13)], id="blank windows are left out"),
        pytest.param("   a", 3, 1, [(2, 4)], id="blank at the start, overlapped"),
        pytest.param("", 3, 1, [], id="nothing"),
        pytest.param(" \n ", 2, 1, [], id="blank"),
    ],
)
def test_windows_of_characters(text: str, size: int, overlap: int, expected: list[tuple[int, int]]) -> None:
    assert bounds("fixed", text, size=size, overlap=overlap) == expected


@pytest.mark.parametrize("size", range(1, 7))
def test_characters_are_code_points(size: int) -> None:
    chunks = cut("fixed", CLUSTERS, size=size)
    assert chunks == [CLUSTERS[start : start + size] for start in range(0, len(CLUSTERS), size)]


@pytest.mark.parametrize(("size", "overlap"), [(size, overlap) for size in range(1, 13) for overlap in range(size)])
def test_windows_of_tokens_never_part_a_character(size: int, overlap: int) -> None:
    starts, ends = load_tokenizer("o200k").offsets(MIXED)
    for span in spans("fixed", MIXED, unit="tokens", size=size, overlap=overlap):
        tokens = sum((starts < span.end) & (ends > span.start))
        assert tokens <= size or len(span) == 1


def test_size_in_tokens_counts_those_of_the_document() -> None:
    # The encoding takes a word with the blank before it: one token a word.
    assert cut("fixed", "one two three four five", unit="tokens", size=2, overlap=1) == [
        "one two",
        " two three",
        " three four",
        " four five",
    ]


@settings(max_examples=100)
@given(text=st.text("ab \n", max_size=80), size=st.integers(1, 9), data=st.data())
def test_windows_are_those_of_arithmetic(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    last = max(len(text) - overlap, 1)
    windows = [Span(start, min(start + size, len(text))) for start in range(0, last, size - overlap)]
    assert spans("fixed", text, size=size, overlap=overlap) == [
        window for window in windows if text[window.start : window.end].strip()
    ]


def test_marker_of_a_special_token_is_ordinary_text() -> None:
    text = "The marker <|endoftext|> ends a job; [MASK] and </s> too."
    chunks = cut("fixed", text, unit="tokens", size=4)
    assert "".join(chunks) == text
    assert load_tokenizer("o200k").count([text])[0] > 4 * (len(chunks) - 1)


def test_last_window_adds_text() -> None:
    found = spans("fixed", "word " * 50, unit="tokens", size=7, overlap=6)
    assert all(one.end < two.end for one, two in pairwise(found))
