"""Which passages say again what a better one has said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.builders import corpus

from chunksweep.records import Chunks
from chunksweep.retrieval import NearDuplicates
from chunksweep.retrieval.duplicates import resemblance, runs_of_words


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        pytest.param("A b c d.", "a B, c  d", 1, id="case, marks and white space aside"),
        pytest.param("a b c d", "a b c e", 1 / 3, id="one run of three in common"),
        pytest.param("a b c d", "d c b a", 0, id="the same words in another order"),
        pytest.param("a b", "a b", 1, id="fewer words than a run"),
        pytest.param("a b", "a b c", 0, id="a shorter run is another"),
        pytest.param("?!", "?!", 1, id="no word at all"),
        pytest.param("?!", "...", 0, id="other marks"),
    ],
)
def test_resemblance(one, other, share):
    assert resemblance(runs_of_words(one), runs_of_words(other)) == pytest.approx(share)


def near(texts, threshold):
    whole, ends = "".join(texts), np.cumsum([len(text) for text in texts])
    starts = ends - [len(text) for text in texts]
    return NearDuplicates(corpus(a=whole), Chunks(np.zeros(len(texts), dtype=np.int64), starts, ends), threshold)


some_texts = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=7)


@given(some_texts, st.sampled_from([0.1, 0.34, 0.5, 1.0]), st.integers(1, 8), st.randoms())
def test_what_is_kept_beside_a_comparison_of_all_pairs(texts, threshold, limit, random):
    def triples(text):
        words = text.split()
        return {tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2))}

    order = list(range(len(texts)))
    random.shuffle(order)
    expected = []
    for place, row in enumerate(order):
        shares = [
            len(triples(texts[row]) & triples(texts[order[other]]))
            / len(triples(texts[row]) | triples(texts[order[other]]))
            for other in expected
        ]
        if max(shares, default=0) < threshold:
            expected.append(place)
    assert near([f"{text} " for text in texts], threshold).without(order, limit) == expected[:limit]
