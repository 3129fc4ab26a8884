"""The order of chunks: exact cosine, equal texts equal scores, ties in document order."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunksweep.errors import EmbeddingError
from chunksweep.retrieval import ranking
from chunksweep.retrieval.ranking import rank


def vectors(*rows):
    return np.array(rows, dtype=np.float32)


def rows(*texts):
    return np.array(texts, dtype=np.int64)


def by_definition(questions, passages, text_of_chunk, depth):
    """Every score on its own with exact sums, then one sort of all chunks."""
    found = []
    for question in questions:
        cosines = [
            math.fsum(q * p for q, p in zip(question, passages[text], strict=True))
            / math.sqrt(math.fsum(q * q for q in question) * math.fsum(p * p for p in passages[text]))
            for text in text_of_chunk
        ]
        scores = [round(cosine, 6) for cosine in cosines]
        order = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:depth]
        found.append((order, [scores[row] for row in order]))
    return found


def test_cosines_worked_out_by_hand():
    found = rank(vectors((3, 4), (1, 0)), vectors((4, 3), (0, 2), (-3, -4)), rows(0, 1, 2), 3)
    assert found.chunks.tolist() == [[0, 1, 2], [0, 1, 2]]
    # 24/25, 8/10, -1; then 4/5, 0, -3/5
    assert found.scores.tolist() == [[0.96, 0.8, -1.0], [0.8, 0.0, -0.6]]


small = st.integers(-3, 3)
some_vectors = st.lists(st.tuples(small, small, small).filter(any), min_size=1, max_size=8)


@settings(deadline=None)
@given(some_vectors, some_vectors, st.integers(1, 5), st.data())
def test_ranking_is_the_definition(questions, passages, block, data):
    text_of_chunk = data.draw(st.lists(st.integers(0, len(passages) - 1), max_size=20))
    depth = data.draw(st.integers(1, 25))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "PASSAGES_PER_BLOCK", block)
        found = rank(vectors(*questions), vectors(*passages), rows(*text_of_chunk), depth)
    expected = by_definition(questions, passages, text_of_chunk, depth)
    assert [(c, s) for c, s in zip(found.chunks.tolist(), found.scores.tolist(), strict=True)] == expected


@pytest.mark.parametrize("gold", [0, 9], ids=["inserted first", "inserted last"])
def test_among_equal_vectors_document_order_decides(gold):
    passages = np.ones((10, 4), dtype=np.float32)
    order = [gold, *(row for row in range(10) if row != gold)]
    found = rank(vectors((1, 2, 3, 4)), passages[order], rows(*range(10)), 1)
    assert found.chunks.tolist() == [[0]]


def test_a_tie_across_the_last_place_goes_to_the_first_in_document_order():
    passages = vectors((1, 0), (0, 1), (1, 1))
    found = rank(vectors((1, 0)), passages, rows(1, 2, 2, 0, 2, 1), 3)
    assert found.chunks.tolist() == [[3, 1, 2]]


@pytest.mark.parametrize("block", [1, 2, 3])
def test_a_tie_across_blocks_goes_to_the_first_in_document_order(monkeypatch, block):
    monkeypatch.setattr(ranking, "PASSAGES_PER_BLOCK", block)
    # Three texts with one direction: the first chunk has the text that is scored last.
    found = rank(vectors((1, 1)), vectors((1, 1), (2, 2), (3, 3)), rows(2, 0, 1, 2), 2)
    assert found.chunks.tolist() == [[0, 1]]


def test_scores_that_are_equal_when_rounded_are_in_document_order():
    # cos² = 1/(1 + t²), so the cosines are 1 - t²/2: 1 - 2e-8 and 1 - 8e-8, which both round to 1.
    found = rank(vectors((1, 0)), vectors((1, 0.0004), (1, 0.0002)), rows(0, 1), 1)
    assert (found.chunks.tolist(), found.scores.tolist()) == ([[0]], [[1.0]])


def test_a_text_of_many_chunks_does_not_crowd_out_the_others():
    found = rank(vectors((1, 0)), vectors((1, 1), (1, 0)), rows(*[0] * 1_000, 1), 3)
    assert found.chunks.tolist() == [[1_000, 0, 1]]


def test_vectors_of_no_chunk_are_not_looked_at():
    found = rank(vectors((1, 0)), vectors((np.nan, 0), (0, 0), (1, 0)), rows(2, 2), 5)
    assert found.chunks.tolist() == [[0, 1]]


MILLION = """
import resource, sys
import numpy as np
from chunksweep.retrieval.ranking import rank
generator = np.random.default_rng(0)
vectors = np.lib.format.open_memmap(sys.argv[1], mode="w+", dtype=np.float32, shape=(1_000_000, 384))
for first in range(0, len(vectors), 10_000):
    vectors[first : first + 10_000] = generator.standard_normal((10_000, 384), dtype=np.float32)
vectors.flush()
del vectors
vectors = np.load(sys.argv[1], mmap_mode="r")
asked = [3, 500_000, 999_999]
found = rank(vectors[asked], vectors, np.arange(len(vectors)), 10)
assert found.chunks[:, 0].tolist() == asked, found.chunks
assert found.scores[:, 0].tolist() == [1.0] * 3
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs")
def test_a_million_chunks_are_ranked_within_two_gigabytes(tmp_path):
    command = [sys.executable, "-c", MILLION, str(tmp_path / "vectors.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 2e9


def test_equal_texts_have_equal_scores():
    generator = np.random.default_rng(7)
    passages = generator.normal(size=(30, 384)).astype(np.float32)
    text_of_chunk = generator.integers(0, 30, 400)
    found = rank(generator.normal(size=(5, 384)).astype(np.float32), passages, text_of_chunk, 400)
    for chunks, scores in zip(found.chunks, found.scores, strict=True):
        assert all(len(set(scores[text_of_chunk[chunks] == text])) == 1 for text in set(text_of_chunk))


@pytest.mark.parametrize("passages_per_block", [1, 7, 64])
@pytest.mark.parametrize("scores_per_block", [1, 600, 10_000])
def test_blocks_do_not_change_a_score(monkeypatch, passages_per_block, scores_per_block):
    generator = np.random.default_rng(3)
    questions = generator.normal(size=(9, 384)).astype(np.float32)
    passages = generator.normal(size=(200, 384)).astype(np.float32)
    expected = rank(questions, passages, np.arange(200), 50)
    monkeypatch.setattr(ranking, "PASSAGES_PER_BLOCK", passages_per_block)
    monkeypatch.setattr(ranking, "SCORES_PER_BLOCK", scores_per_block)
    found = rank(questions, passages, np.arange(200), 50)
    assert np.array_equal(found.chunks, expected.chunks)
    assert np.array_equal(found.scores, expected.scores)


THREADS = """
import numpy as np
from chunksweep.retrieval.ranking import rank
generator = np.random.default_rng(5)
distinct = generator.normal(size=(20, 384)).astype(np.float32)
vectors = distinct[np.arange(200) % 20]
print(rank(generator.normal(size=(6, 384)).astype(np.float32), vectors, np.arange(200), 30).chunks.tolist())
"""


def test_threads_do_not_change_the_order():
    outputs = set()
    for threads in ("1", "4", "8"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, check=True, env=environment)
        outputs.add(done.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("depth", [3, 4, 1_000])
def test_a_depth_beyond_the_chunks_gives_all(depth):
    found = rank(vectors((1, 0)), vectors((1, 0), (0, 1)), rows(1, 0, 1), depth)
    assert found.chunks.tolist() == [[1, 0, 2]]


@pytest.mark.parametrize(
    ("questions", "chunks", "shape"),
    [
        pytest.param(np.empty((0, 2), dtype=np.float32), rows(0), (0, 1), id="no question"),
        pytest.param(vectors((1, 0)), rows(), (1, 0), id="no chunk"),
    ],
)
def test_nothing_to_rank(questions, chunks, shape):
    assert rank(questions, vectors((1, 0)), chunks, 3).chunks.shape == shape


@pytest.mark.parametrize(
    ("questions", "passages", "words"),
    [
        pytest.param([(0, 0, 0)], [(2, 0, 1), (0, 1, 0), (5, 5, 5)], "question 1 of 1 is zero", id="zero question"),
        pytest.param([(1, 0)], [(1, 1), (0, 0)], "passage text 2 of 2 is zero", id="zero passage"),
        pytest.param([(1, 0), (1, np.nan)], [(1, 1)], "question 2 of 2 is not finite", id="question not a number"),
        pytest.param([(1, 0)], [(1, np.inf)], "passage text 1 of 1 is not finite", id="infinite passage"),
        pytest.param([(1, 0, 0, 0)], [(1, 0, 0)], "dimension 4 came where dimension 3", id="another dimension"),
    ],
)
def test_vectors_without_an_order_are_refused(questions, passages, words):
    with pytest.raises(EmbeddingError, match=words):
        rank(vectors(*questions), vectors(*passages), rows(*range(len(passages))), 2)
