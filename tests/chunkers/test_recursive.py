from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chunkers.cutting import bounds, cut

from chunksweep.chunkers import make, split_document
from chunksweep.chunkers.boundaries import sentences
from chunksweep.chunkers.recursive import Recursive
from chunksweep.records import IntArray, Span
from chunksweep.rules import bundled_corpora
from chunksweep.settings import CorpusSettings
from chunksweep.stages import read_documents

CAMP = "pack the lantern, the rope and the stove. Then lock the shed."
GREEK = "alpha beta gamma delta epsilon zeta eta theta"
WEATHER = "气温上升。水面下降。风向转北。船只回港。" * 10


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        pytest.param(
            CAMP,
            20,
            ["pack the lantern,", "the rope and the", "stove.", "Then lock the shed."],
            id="a long sentence is flushed around and cut at white space",
        ),
        pytest.param("relay relay relay", 5, ["relay"] * 3, id="equal words"),
        pytest.param("a b\n\nc d\n\ne f g h", 8, ["a b\n\nc d", "e f g h"], id="paragraphs are put together"),
        pytest.param("One two. Three.\n\nFour.", 10, ["One two.", "Three.", "Four."], id="levels stay apart"),
        pytest.param("ab abcdefgh ab", 3, ["ab", "abc", "def", "gh", "ab"], id="a long word between short ones"),
        pytest.param(" \n\n a \n\n ", 400, ["a"], id="trimmed"),
        pytest.param(" \n ", 3, [], id="blank"),
    ],
)
def test_without_overlap(text: str, size: int, expected: list[str]) -> None:
    assert cut("recursive", text, size=size) == expected


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        pytest.param(
            "ABCDEFGHIJKL", 5, 2, ["ABCDE", "DEFGH", "GHIJK", "JKL"], id="exact where there is no white space"
        ),
        pytest.param("aa bb cc dd ee", 8, 5, ["aa bb cc", "bb cc dd", "cc dd ee"], id="from a word's start"),
        pytest.param("aa bb cc dd ee", 8, 4, ["aa bb cc", "cc dd ee"], id="never more than asked"),
        pytest.param("aa bb cccccc dd", 8, 5, ["aa bb", "cccccc", "dd"], id="less where the next piece would not fit"),
        pytest.param("aaaa bb cccc dd", 7, 3, ["aaaa bb", "bb cccc", "dd"], id="none where the last word is too long"),
        pytest.param("aa bb\n\ncccccccc", 6, 3, ["aa bb", "bb\n\ncc", "cccccc", "ccccc"], id="between levels"),
        pytest.param("a b\n\nccc", 6, 5, ["a b", "b\n\nccc"], id="not all of a short chunk"),
    ],
)
def test_with_overlap(text: str, size: int, overlap: int, expected: list[str]) -> None:
    assert cut("recursive", text, size=size, overlap=overlap) == expected


def test_overlap_across_paragraphs_keeps_its_place() -> None:
    text = f"{GREEK}\n\n{GREEK.upper()}\n\n{GREEK.title()}\n"
    assert len(GREEK) == 45
    # The second begins at "BETA" (47 + 6), the first word within 40 characters of 92.
    assert bounds("recursive", text, size=92, overlap=40) == [(0, 92), (53, 139)]


def test_overlap_in_a_text_without_white_space_is_in_characters() -> None:
    starts = range(0, 200, 30)
    assert bounds("recursive", WEATHER, size=40, overlap=10) == [(start, min(start + 40, 200)) for start in starts][:7]


def test_long_text_without_boundaries_is_cut() -> None:
    text = "山" * 1_000
    assert bounds("recursive", text, size=300) == [(0, 300), (300, 600), (600, 900), (900, 1_000)]


def test_no_text_of_a_full_chunk_is_lost() -> None:
    text = "\n\n".join(["a" * 90, "b" * 80, "c" * 2_500])
    chunks = cut("recursive", text, size=120)
    assert chunks == ["a" * 90, "b" * 80, *["c" * 120] * 20, "c" * 100]


def test_size_in_tokens() -> None:
    assert cut("recursive", "one two three four five", unit="tokens", size=2, overlap=1) == [
        "one two",
        "two three",
        "three four",
        "four five",
    ]


def by_strings(text: str, size: int, level: int = 0) -> list[str]:
    """The well-known way, with strings and without overlap."""
    if level == 3:
        return [text[start : start + size] for start in range(0, len(text), size)]
    splits = [
        lambda: re.split(r"(\n\s*\n)", text),
        lambda: at_sentences(text),
        lambda: re.split(r"(\s+)", text),
    ]
    chunks, current = [], ""
    for piece in splits[level]():
        if len((current + piece).strip()) <= size:
            current += piece
            continue
        chunks.append(current)
        current = ""
        if len(piece.strip()) > size:
            chunks += by_strings(piece.strip(), size, level + 1)
        else:
            current = piece
    return [chunk.strip() for chunk in [*chunks, current] if chunk.strip()]


def at_sentences(text: str) -> list[str]:
    starts = [span.start for span in sentences(text, Span(0, len(text)))]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


PLAIN = st.lists(st.sampled_from(["a", "bbb", "Cats run.", "So what?", "x" * 15, "\n\n"]), max_size=30).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(text=PLAIN, size=st.integers(1, 40))
def test_without_overlap_it_cuts_as_splitters_of_strings_do(text: str, size: int) -> None:
    assert cut("recursive", text, size=size) == by_strings(text.strip(), size)


class Letters:
    """A tokenizer whose tokens are the characters but white space."""

    fingerprint = "letters"

    def count(self, texts: Sequence[str]) -> IntArray:
        return np.array([len(self.encode(text)) for text in texts], dtype=np.int64)

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in "".join(text.split())]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(map(chr, ids))

    def offsets(self, text: str) -> tuple[IntArray, IntArray]:
        starts = np.array([place for place, letter in enumerate(text) if not letter.isspace()], dtype=np.int64)
        return starts, starts + 1


# What ends a paragraph, a sentence of the bundled corpora, a word and a character.
SEPARATORS = (r"\n(?:[^\S\n]*\n)+", r"(?<=[.!?])\s+", r"\s+", "")


@pytest.mark.parametrize("corpus", bundled_corpora())
@pytest.mark.parametrize("size", [3, 20, 60, 150, 400])
def test_the_same_chunks_as_langchain_with_the_same_boundaries(corpus: str, size: int) -> None:
    """White space is counted by neither, since LangChain counts the separators that it trims afterwards."""
    options = {"unit": "tokens", "separators": SEPARATORS, "is_separator_regex": True, "keep_separator": "end"}
    for document in read_documents(CorpusSettings(corpus)).documents:
        ours = split_document(Recursive(unit="tokens", size=size), document, Letters())
        theirs = split_document(make("langchain_recursive", options, size), document, Letters())
        assert ours == theirs
        assert len(ours) > 1


@pytest.mark.parametrize(
    ("text", "size", "overlap", "ours", "theirs"),
    [
        # The blank line counts with the paragraph after it, and the blank with the word after it: 2 + 2 + 3.
        pytest.param("aa\n\nbb cc", 5, 0, ["aa", "bb cc"], ["aa", "bb", "cc"], id="separators are counted"),
        pytest.param("aa bb\ncc dd", 8, 0, ["aa bb\ncc", "dd"], ["aa bb", "cc dd"], id="line breaks are boundaries"),
        pytest.param(
            "Aa bb cc. Dd ee.", 12, 0, ["Aa bb cc.", "Dd ee."], ["Aa bb cc. Dd", "ee."], id="ends of sentences are none"
        ),
        pytest.param(
            "aa bb\n\ncc dd\n\nee",
            12,
            3,
            ["aa bb\n\ncc dd", "dd\n\nee"],
            ["aa bb\n\ncc dd", "ee"],
            id="overlap of pieces",
        ),
    ],
)
def test_where_langchain_cuts_otherwise(text: str, size: int, overlap: int, ours: list[str], theirs: list[str]) -> None:
    assert cut("recursive", text, size=size, overlap=overlap) == ours
    assert cut("langchain_recursive", text, size=size, overlap=overlap) == theirs
