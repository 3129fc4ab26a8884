"""The embedder for tests: its vectors are worked out here by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunksweep.embedders.test import WordInitials
from chunksweep.errors import EmbeddingError


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("Bees buzz 3 times", {1: 2, 19: 1, 26: 1}, id="letters in either case, others apart"),
        pytest.param("apple", {0: 1}, id="one word"),
        pytest.param("水 1999 “x”", {26: 3}, id="no word begins with a letter of the alphabet"),
        pytest.param("zoo\n\tzebra", {25: 2}, id="any white space parts words"),
    ],
)
def test_words_are_counted_by_their_initial(text, columns):
    expected = np.zeros(27)
    length = math.sqrt(sum(count**2 for count in columns.values()))
    for column, count in columns.items():
        expected[column] = count / length
    np.testing.assert_allclose(WordInitials().embed([text], "passage")[0], expected, atol=1e-7)


def test_a_blank_text_has_no_direction():
    with pytest.raises(EmbeddingError, match="zero"):
        WordInitials().embed(["a", " \n"], "passage")


def test_a_word_is_a_token_and_there_is_no_window():
    embedder = WordInitials()
    assert embedder.count_tokens(["one two", "", "a\nb  c"]).tolist() == [2, 0, 3]
    assert embedder.window is None


def test_nothing_gives_nothing():
    assert WordInitials().embed([], "question").shape == (0, 27)
    assert WordInitials().count_tokens([]).shape == (0,)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1).filter(lambda text: not text.isspace()), max_size=5))
def test_every_text_has_a_unit_vector_that_depends_on_it_alone(texts):
    embedder = WordInitials()
    together = embedder.embed(texts, "passage")
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed([text], "question")[0], vector)
