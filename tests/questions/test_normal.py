"""The normal form: what is forgiven, what is not, and the way back."""

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunksweep.questions.normal import NormalText, normal_form
from chunksweep.records import Span


def found(quote, text):
    return list(NormalText.of(text).find(normal_form(quote)))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        pytest.param("HELLO  world", "hello world", id="case and a run of blanks"),
        pytest.param("hello world", "  HELLO\n\tWorld ", id="in the quote alike"),
        pytest.param(
            "n\u2009=\u202f7, drop\u00a0\u22123\u20135\u00a0%", "n = 7, drop -3-5 %", id="thin blanks, minus, en dash"
        ),
        pytest.param("n = 7, drop -3-5 %", "n\u2009=\u202f7, drop \u22123\u20135 %", id="and the other way round"),
        pytest.param("one\x0ctwo\u2028three\r", "one two three", id="form feed and line separator are blanks"),
        pytest.param("a—b‐c‑d―e", "a-b-c-d-e", id="dashes and hyphens"),
        pytest.param("“So” ‘it’s’ „da‟ «ici»", '"So" \'it\'s\' "da" "ici"', id="quotation marks"),
        pytest.param("caf\u00e9", "cafe\u0301", id="an accent written as a character of its own"),
        pytest.param("cafe\u0301", "CAF\u00c9", id="and in the text"),
        pytest.param("ﬁne oﬀer", "fine offer", id="ligatures"),
        pytest.param("Straße", "STRASSE", id="a capital of two letters"),
        pytest.param("ΟΔΟΣ", "οδος", id="final sigma"),
    ],
)
def test_forgiven(text, quote):
    assert found(quote, text) == [Span(0, len(text.rstrip("\r")))]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        pytest.param("hello, world", "hello world", id="a comma"),
        pytest.param("helloworld", "hello world", id="a blank that is not there"),
        pytest.param("hel lo", "hello", id="a blank too many"),
        pytest.param("caf\u00e9", "cafe", id="an accent"),
        pytest.param("10\u00b2", "102", id="a superscript"),
        pytest.param("wait…", "wait...", id="an ellipsis"),
        pytest.param("`x`", "'x'", id="code marks are no quotation marks"),
        pytest.param("Straße", "Stras", id="half a character at the end"),
        pytest.param("Straße", "se", id="half a character at the beginning"),
        pytest.param("abc", "", id="nothing"),
    ],
)
def test_not_forgiven(text, quote):
    assert found(quote, text) == []


@pytest.mark.parametrize(
    ("text", "quote", "spans"),
    [
        pytest.param("a b  a\tb", "a b", [Span(0, 3), Span(5, 8)], id="every match"),
        pytest.param("aaaaa", "aa", [Span(0, 2), Span(2, 4)], id="not overlapping"),
        pytest.param("  \n x", "X", [Span(4, 5)], id="after blanks at the beginning"),
        pytest.param("x\n\n", "x", [Span(0, 1)], id="before blanks at the end"),
        pytest.param("ßs ss", "ss", [Span(0, 1), Span(3, 5)], id="ß is two letters long and one character"),
        pytest.param("ßßs", "sss", [Span(1, 3)], id="a match that would begin in half a character is passed over"),
        pytest.param("subset", "bse", [Span(2, 5)], id="no whole words are asked for"),
    ],
)
def test_spans_are_of_the_source(text, quote, spans):
    assert found(quote, text) == spans


def slow_normal_form(text):
    """The same by the letter of the documentation, a character at a time."""
    parts = []
    for character in text:
        if character.isspace():
            parts.append(" ")
        elif character in "‘’‚‛‹›ʼ＇":
            parts.append("'")
        elif character in "“”„‟«»＂":
            parts.append('"')
        elif character in "‐‑‒–—―−﹘﹣－":
            parts.append("-")
        else:
            decomposed = unicodedata.normalize("NFD", character)
            parts.append(unicodedata.normalize("NFD", decomposed.casefold()))
    return re.sub(" +", " ", "".join(parts))


TEXTS = st.text(
    st.one_of(st.sampled_from('aAß ﬁé\u0301\n\u00a0–"”İ한'), st.characters(exclude_categories=["Cs"])), max_size=40
)


@given(TEXTS)
def test_a_text_is_normalised_as_documented_and_every_character_knows_its_source(text):
    normal = NormalText.of(text)
    assert normal.text == slow_normal_form(text)
    assert normal_form(text) == slow_normal_form(text).strip(" ")
    assert len(normal.source) == len(normal.text) + 1
    for character, source in zip(normal.text, normal.source.tolist(), strict=False):
        assert character in slow_normal_form(text[source])


@given(TEXTS, st.data())
def test_every_part_of_a_text_is_found_where_it_stands_or_like_it(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assume(text[start:end].strip())
    spans = found(text[start:end], text)
    assert spans
    for span in spans:
        assert normal_form(text[span.start : span.end]) == normal_form(text[start:end])
    assert all(before.end <= after.start for before, after in pairwise(spans))
