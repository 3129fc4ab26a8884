"""Which vectors are refused, and what the refusal says."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.embedders.vectors import quoted, require_usable
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
