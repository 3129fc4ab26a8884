from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.chunkers.ruler import Characters, Ruler, Tokens, Words
from chunksweep.records import Span
from chunksweep.tokens import load_tokenizer

O200K = load_tokenizer("o200k")

# a  bb    c: three tokens, white space in none.
WORDS = Tokens(starts=(0, 3, 9), ends=(1, 5, 10), total=12, tokenizer=O200K)
# x, one character of three tokens, y.
EMOJI = Tokens(starts=(0, 1, 1, 1, 2), ends=(1, 2, 2, 2, 3), total=3, tokenizer=O200K)


@pytest.mark.parametrize(
    ("ruler", "start", "units", "end"),
    [
        pytest.param(Characters(10), 2, 3, 5, id="characters"),
        pytest.param(Characters(10), 8, 5, 10, id="the text ends"),
        pytest.param(WORDS, 0, 1, 3, id="blanks before the next token are reached"),
        pytest.param(WORDS, 4, 2, 12, id="a token that is begun counts"),
        pytest.param(WORDS, 5, 1, 12, id="from a blank"),
        pytest.param(EMOJI, 0, 2, 1, id="not into a character of several tokens"),
        pytest.param(EMOJI, 0, 4, 2, id="a character of several tokens that fits"),
        pytest.param(EMOJI, 1, 2, 2, id="a character that is too long alone"),
    ],
)
def test_reach(ruler: Ruler, start: int, units: int, end: int) -> None:
    assert ruler.reach(start, units) == end


@pytest.mark.parametrize(
    ("ruler", "end", "units", "start"),
    [
        pytest.param(Characters(10), 5, 3, 2, id="characters"),
        pytest.param(Characters(10), 2, 5, 0, id="the text begins"),
        pytest.param(WORDS, 10, 1, 5, id="blanks after the token before are reached"),
        pytest.param(WORDS, 4, 1, 1, id="a token that is begun counts"),
        pytest.param(WORDS, 9, 0, 9, id="nothing, though the blanks have no length"),
        pytest.param(EMOJI, 3, 3, 2, id="not into a character of several tokens"),
        pytest.param(EMOJI, 3, 4, 1, id="a character of several tokens that fits"),
        pytest.param(EMOJI, 2, 2, 2, id="a character that is too long alone"),
    ],
)
def test_reach_back(ruler: Ruler, end: int, units: int, start: int) -> None:
    assert ruler.reach_back(end, units) == start


@st.composite
def measured(draw: st.DrawFn) -> Tokens:
    """Tokens with gaps between them, or sharing a character."""
    tokens = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.integers(1, 3)), max_size=12))
    ends = list(accumulate(gap + width for gap, width, _ in tokens))
    spans = [
        (end - width, end)
        for end, (_, width, times) in zip(ends, tokens, strict=True)
        for _ in range(times if width == 1 else 1)
    ]
    total = (ends[-1] if ends else 0) + draw(st.integers(1, 3))
    return Tokens(tuple(start for start, _ in spans), tuple(end for _, end in spans), total, O200K)


def touched(ruler: Tokens, start: int, end: int) -> int:
    return int(np.count_nonzero((np.array(ruler.starts) < end) & (np.array(ruler.ends) > start))) if end > start else 0


@given(ruler=measured(), data=st.data(), units=st.integers(1, 6))
def test_tokens_are_measured_as_by_looking_at_each(ruler: Tokens, data: st.DataObject, units: int) -> None:
    place = data.draw(st.integers(0, ruler.total - 1))
    fitting = [end for end in range(place + 1, ruler.total + 1) if touched(ruler, place, end) <= units]
    single = [end for end in range(place + 1, ruler.total + 1) if touched(ruler, end - 1, end) and end == place + 1]
    if fitting:
        assert ruler.reach(place, units) == fitting[-1]
    else:
        assert single
        assert touched(ruler, place, ruler.reach(place, units)) == touched(ruler, place, place + 1)
    end = place + 1
    assert ruler.reach_back(end, units) == next(s for s in range(end + 1) if touched(ruler, s, end) <= units)
    assert ruler.length(Span(place, end)) == touched(ruler, place, end)


def test_words() -> None:
    ruler = Words.of("ab  cd\u00a0e\n")
    assert ruler == Words(starts=(0, 4, 7), ends=(2, 6, 8), total=9)
    assert [ruler.length(Span(*bounds)) for bounds in ((0, 9), (1, 5), (2, 4), (3, 8))] == [3, 2, 0, 2]
    assert (ruler.reach(0, 2), ruler.reach_back(9, 2), ruler.count(" x  y ")) == (7, 2, 2)


def test_each_chinese_character_is_a_word() -> None:
    # 雨 停 了。 a pump , 他 and then nothing: the full stop goes with the character before it.
    ruler = Words.of("雨停了。a pump，他")
    assert ruler.starts == (0, 1, 2, 4, 6, 11)
    assert ruler.ends == (1, 2, 4, 5, 11, 12)
    assert ruler.count("雨停了。a pump，他") == 6


def test_words_have_no_numbers() -> None:
    ruler = Words.of("ab cd")
    with pytest.raises(ValueError, match="no numbers"):
        ruler.encode("ab")
    with pytest.raises(ValueError, match="no numbers"):
        ruler.decode([1])
