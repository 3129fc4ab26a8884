"""The bill of an index, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.indexing import MEASURABLE_S, Embedded, IndexBill, Parts, bill_json, index_bill, read_bill
from chunksweep.measures.chunk_stats import chunk_stats
from chunksweep.records import Chunks

NOTHING = Embedded(0, 0.0)


def chunks(*rows):
    document, start, end = np.array(rows, dtype=np.int64).T
    return Chunks(document, start, end)


def bill(rows, tokens, documents, window=None, embedded=NOTHING):
    return index_bill(documents, chunks(*rows), np.array(tokens, dtype=np.int64), window, embedded)


def test_chunks_that_do_not_overlap():
    # Three documents, the last without a chunk: 3 chunks and 60 tokens, a third of each for one. A character lies in
    # one chunk: 10 of 40 in that of 5 tokens, 10 in that of 15, 20 in that of 40: 1.25 + 3.75 + 20 = 25.
    found = bill([(0, 0, 10), (0, 10, 20), (1, 0, 20)], [5, 15, 40], 3)
    assert found == IndexBill(3, 3, 60, 1.0, 20.0, 1.0, 25.0)


def test_an_overlap_is_paid_at_every_change():
    # [0, 20) and [10, 30) of 8 tokens each cover 30 characters, ten of them twice: 40 / 30 chunks, 8 tokens for each.
    found = bill([(0, 0, 20), (0, 10, 30)], [8, 8], 1)
    assert found.character_chunks == pytest.approx(4 / 3)
    assert found.character_tokens == pytest.approx(8 * 4 / 3)


def test_the_model_reads_no_further_than_its_window():
    found = bill([(0, 0, 10), (1, 0, 10)], [100, 300], 2, window=256)
    assert (found.tokens, found.document_tokens, found.character_tokens) == (356, 178, 178)


def test_sentences_that_are_embedded_to_cut_by_cost_tokens_and_make_no_chunk():
    # One chunk of 20 characters and 9 tokens, cut by two sentences: 5 characters with 2 tokens, 15 with 300, of which
    # 256 are read. A character of the first costs 9 + 2, one of the others 9 + 256: (5 x 11 + 15 x 265) / 20.
    parts = Parts(np.array([5, 15]), np.array([2, 300]))
    found = index_bill(1, chunks((0, 0, 20)), np.array([9]), 256, NOTHING, parts=parts)
    assert (found.chunks, found.tokens, found.document_tokens) == (1, 9 + 2 + 256, 267)
    assert (found.character_chunks, found.character_tokens) == (1.0, 201.5)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), min_size=1, max_size=8))
def test_a_character_costs_one_chunk_and_the_effective_overlap(drawn):
    rows, at = [], 0
    for fresh, again in drawn:
        start = max(at - again, rows[-1][1] + 1 if rows else 0)
        at += fresh
        rows.append((0, min(start, at - 1), at))
    tokens = np.ones(len(rows), dtype=np.int64)
    stats = chunk_stats(chunks(*rows), tokens, tokens, None)
    assert bill(rows, tokens, 1).character_chunks == pytest.approx(1 + stats["chunks/effective_overlap"])


@pytest.mark.parametrize(
    ("embedded", "rate"),
    [
        pytest.param(Embedded(90_000, 30.0), 3_000, id="measured"),
        pytest.param(Embedded(0, 30.0), None, id="all from the cache"),
        pytest.param(Embedded(900, MEASURABLE_S - 1), None, id="too short: the model was being loaded"),
        pytest.param(NOTHING, None, id="nothing"),
    ],
)
def test_the_rate_is_measured_or_absent(embedded, rate):
    found = bill([(0, 0, 10)], [6_000], 1, embedded=embedded)
    assert found.tokens_per_second == rate
    assert found.seconds(6_000) == (None if rate is None else 2)


def test_it_is_kept_as_it_is():
    found = bill([(0, 0, 20), (0, 10, 30)], [8, 9], 3, embedded=Embedded(90_000, 30.0))
    assert read_bill(bill_json(found)) == found
