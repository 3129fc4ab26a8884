"""What is said of the chunks themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.measures.builders import chunks, some_chunks

from chunksweep.measures.chunk_stats import chunk_stats, cut_facts


def counts(*numbers):
    return np.array(numbers, dtype=np.int64)


def test_stats_worked_out_by_hand():
    # 10 + 10 + 4 characters, of which 10 + 6 + 4 are covered.
    split = chunks((0, 0, 10), (0, 6, 16), (1, 2, 6))
    assert chunk_stats(split, counts(3, 4, 2), counts(5, 257, 256), 256) == {
        "chunks/count": 3,
        "chunks/mean_chars": 8,
        "chunks/mean_tokens": 3,
        "chunks/max_tokens": 4,
        "chunks/truncated": 1,
        "chunks/effective_overlap": pytest.approx(24 / 20 - 1),
    }


def test_without_a_window_nothing_is_truncated():
    assert chunk_stats(chunks((0, 0, 9)), counts(1), counts(10**6), None)["chunks/truncated"] == 0


def test_without_chunks_there_are_no_means():
    assert chunk_stats(chunks(), counts(), counts(), 256) == {"chunks/count": 0, "chunks/truncated": 0}


@settings(deadline=None)
@given(some_chunks().filter(len))
def test_effective_overlap_beside_a_set_of_characters(split):
    covered = {(document, place) for document, span in split.rows() for place in range(span.start, span.end)}
    total = sum(len(span) for _, span in split.rows())
    nothing = np.zeros(len(split), dtype=np.int64)
    found = chunk_stats(split, nothing, nothing, None)["chunks/effective_overlap"]
    assert found == pytest.approx(total / len(covered) - 1)


def test_cut_facts_are_counted_over_all_questions():
    empty, one = frozenset(), frozenset({1})
    assert cut_facts([[one, empty], [empty], [one]]) == 2
