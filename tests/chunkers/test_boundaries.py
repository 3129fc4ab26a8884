from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import prose

from chunksweep.chunkers.boundaries import paragraphs, sentences, trimmed, words
from chunksweep.records import Span


def slices(text: str, spans: list[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param(
            "Dr. Vale met Ms. Orr at 3.15 p.m. near St. Anne. Rain fell.",
            "en",
            ["Dr. Vale met Ms. Orr at 3.15 p.m. near St. Anne.", "Rain fell."],
            id="abbreviations and decimals",
        ),
        pytest.param(
            "“It is shut.” “Open it.” The U.S. plant agreed.",
            "en",
            ["“It is shut.”", "“Open it.”", "The U.S. plant agreed."],
            id="a closing quote belongs to its sentence",
        ),
        pytest.param(
            "Use wood (e.g. oak or ash) here. Not pine.",
            "en",
            ["Use wood (e.g. oak or ash) here.", "Not pine."],
            id="an abbreviation in brackets",
        ),
        pytest.param("Lift the lid with\fboth hands only.", "en", ["Lift the lid with\fboth hands only."], id="pages"),
        pytest.param("Lift the\nlid. Then\twait.", "en", ["Lift the\nlid.", "Then\twait."], id="line break and tab"),
        pytest.param("他走了……雨停了。", "en", ["他走了……雨停了。"], id="an ellipsis is no boundary"),
        pytest.param("他走了……雨停了。", "zh", ["他走了……雨停了。"], id="nor is it in Chinese"),
        pytest.param("朝は晴れ．昼は雨．夜は雪．", "en", ["朝は晴れ．", "昼は雨．", "夜は雪．"], id="full-width stops"),
        pytest.param("朝は晴れ．昼は雨．夜は雪．", "ja", ["朝は晴れ．", "昼は雨．", "夜は雪．"], id="in Japanese"),
        pytest.param(
            "約３．１４です。真的吗？！「行く。」次",
            "en",
            ["約３．１４です。", "真的吗？！", "「行く。」", "次"],
            id="more",
        ),
        pytest.param(
            "Am 3. Mai kam z. B. Vale. Es war Nr. 2.", "de", ["Am 3. Mai kam z. B. Vale.", "Es war Nr. 2."], id="de"
        ),
        pytest.param("no end", "en", ["no end"], id="no full stop"),
        pytest.param(" \t ", "en", [], id="blank"),
        pytest.param("", "de", [], id="nothing"),
    ],
)
def test_sentences(text: str, language: str, expected: list[str]) -> None:
    assert slices(text, sentences(text, Span(0, len(text)), language)) == expected


def test_sentences_across_the_blocks_that_a_long_text_is_read_in() -> None:
    sentence = "Der Deckel ist zu. "
    text = sentence * 1_000 + "Ohne Punkt " * 1_000 + "ist Schluss. Nun ja."
    long = "Ohne Punkt " * 1_000 + "ist Schluss."
    assert slices(text, sentences(text, Span(0, len(text)), "de")) == [sentence.strip()] * 1_000 + [long, "Nun ja."]


@pytest.mark.parametrize(
    ("text", "verbatim", "expected"),
    [
        pytest.param("a\nb\n\nc", [], ["a\nb", "c"], id="a blank line"),
        pytest.param("\n \n a\n\t\n\f\nb \n\n", [], ["a", "b"], id="lines of blanks, around and between"),
        pytest.param("a\n\nb\n\nc\n", [Span(0, 5)], ["a\n\nb", "c"], id="not inside verbatim text"),
        pytest.param("a\n\nb\n\nc\n", [Span(3, 8)], ["a", "b\n\nc"], id="but before it"),
        pytest.param("a\u2028\u2028b\x0b\x0bc", [], ["a\u2028\u2028b\x0b\x0bc"], id="only line feeds end lines"),
        pytest.param(" \n ", [], [], id="blank"),
    ],
)
def test_paragraphs(text: str, verbatim: list[Span], expected: list[str]) -> None:
    assert slices(text, paragraphs(text, Span(0, len(text)), verbatim)) == expected


@pytest.mark.parametrize("cut", [paragraphs, sentences, words])
@settings(max_examples=50, deadline=None)
@given(text=prose(), data=st.data())
def test_pieces_are_tight_and_hold_all_that_is_not_blank(cut, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))
    pieces = cut(text, span)
    parts = slices(text, pieces)
    assert all(part and part == part.strip() for part in parts)
    assert "".join("".join(parts).split()) == "".join(text[span.start : span.end].split())
    assert pieces == sorted(pieces)


def test_trimmed_of_blank_is_empty() -> None:
    assert len(trimmed("a  b", Span(1, 3))) == 0
    assert trimmed(" a b ", Span(0, 5)) == Span(1, 4)
