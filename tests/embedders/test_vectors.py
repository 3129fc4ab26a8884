"""Which vectors are refused, and what the refusal says."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.embedders.vectors import quoted, require_usable, shortened
from chunksweep.errors import EmbeddingError


def test_usable_vectors_pass():
    require_usable(np.array([[0, 1e-30], [-1, 2]], dtype=np.float32), 2, str)
    require_usable(np.empty((0, 2), dtype=np.float32), 2, str)


@pytest.mark.parametrize(
    ("vectors", "dimension", "words"),
    [
        pytest.param([[1, 2], [0, 0]], 2, ["text 1", "zero"], id="zero"),
        pytest.param([[1, 2], [0, np.nan]], 2, ["text 1", "not finite"], id="not a number"),
        pytest.param([[np.inf, 0], [1, 1]], 2, ["text 0", "not finite"], id="infinite"),
        pytest.param([[1, 2, 3]], 4, ["dimension 3", "dimension 4"], id="both dimensions are named"),
        pytest.param([1, 2], 2, ["dimension"], id="one vector is no table of vectors"),
    ],
)
def test_unusable_vectors_are_refused_in_one_line(vectors, dimension, words):
    with pytest.raises(EmbeddingError) as refusal:
        require_usable(np.array(vectors, dtype=np.float32), dimension, lambda row: f"text {row}")
    assert all(word in str(refusal.value) for word in words)
    assert "\n" not in str(refusal.value)


def test_a_beginning_of_a_vector_is_scaled_again():
    # The cosine with (1, 0) is 0.6 / sqrt(0.6**2 + 0.64**2), not 0.6.
    vectors = np.array([[0.6, 0.64, 0.48]], dtype=np.float32)
    assert shortened(vectors, 2, str)[0, 0] == pytest.approx(0.683941, abs=1e-6)
    np.testing.assert_allclose(shortened(vectors, 3, str), vectors, atol=1e-6)


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        pytest.param([0.6, 0.8], ["embedder.dimension=3", "the 2 that"], id="too short"),
        pytest.param([0, 0, 0, 1], ["text 0", "zero"], id="nothing at the beginning"),
    ],
)
def test_vectors_that_have_no_such_beginning_are_refused(vector, words):
    with pytest.raises(EmbeddingError) as refusal:
        shortened(np.array([vector], dtype=np.float32), 3, lambda row: f"text {row}")
    assert all(word in str(refusal.value) for word in words)


@pytest.mark.parametrize(
    ("text", "limit", "name"),
    [
        pytest.param("two\n words", 9, '"two words"', id="one line"),
        pytest.param("a" * 10, 5, '"aaaaa…"', id="cut"),
        pytest.param("two words", 4, '"two…"', id="no blank before the cut"),
        pytest.param("", 5, '""', id="empty"),
    ],
)
def test_texts_are_named_by_their_beginning(text, limit, name):
    assert quoted(text, limit) == name
