from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chunkers.cutting import bounds, cut, spans

from chunksweep.chunkers import find
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


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        pytest.param("one two three", {"size": 9}, ["one two", "three"], id="the last white space before the size"),
        pytest.param("one two three", {"size": 7}, ["one two", "three"], id="a word that just fits"),
        pytest.param("one  \n two", {"size": 4}, ["one", "two"], id="no white space at either end"),
        pytest.param("a bcdefgh i", {"size": 3}, ["a", "bcd", "efg", "h", "i"], id="a word alone is longer"),
        pytest.param("aa bb cc dd", {"size": 8, "overlap": 3}, ["aa bb cc", "cc dd"], id="an overlap of whole words"),
        pytest.param("aa bb cc dd", {"size": 8, "overlap": 1}, ["aa bb cc", "dd"], id="no word within the overlap"),
        # In o200k "it", " was", " unc", "opyright", "able": the last word has three tokens, all in a chunk or none.
        pytest.param(
            "it was uncopyrightable", {"size": 4, "unit": "tokens"}, ["it was", "uncopyrightable"], id="tokens"
        ),
        pytest.param("one two three", {"size": 2, "unit": "words"}, ["one two", "three"], id="words"),
        pytest.param("a b c d", {"size": 3, "overlap": 1, "unit": "words"}, ["a b c", "c d"], id="words overlap"),
        pytest.param("雨停了。他走了。", {"size": 2, "unit": "words"}, ["雨停", "了。他", "走了。"], id="Chinese"),
    ],
)
def test_whole_words(text: str, options: dict[str, Any], expected: list[str]) -> None:
    assert cut("fixed", text, **{"whole_words": True} | options) == expected


@settings(max_examples=100, deadline=None)
@given(
    words=st.lists(st.text(st.characters(categories=["Ll", "Lo", "So", "Nd"]), min_size=1, max_size=9), max_size=15),
    size=st.integers(1, 12),
    unit=st.sampled_from(["characters", "tokens"]),
)
def test_a_word_is_cut_only_where_it_alone_is_too_long(words: list[str], size: int, unit: str) -> None:
    text = " ".join(words)
    found = cut("fixed", text, size=size, unit=unit, whole_words=True)
    offsets = load_tokenizer("o200k").offsets(text)
    at = 0
    fitting = set()
    for word in words:
        count = len(word) if unit == "characters" else int(((offsets[0] < at + len(word)) & (offsets[1] > at)).sum())
        fitting |= {word} if count <= size else set()
        at += len(word) + 1
    long = "".join(word for word in words if word not in fitting)
    parts = {part for chunk in found for part in chunk.split()}
    assert all(part in fitting or part in long for part in parts)
    assert fitting <= parts


def test_sizes_in_words_are_always_of_whole_words() -> None:
    assert find("fixed")(unit="words") == find("fixed")(unit="words", whole_words=True)
