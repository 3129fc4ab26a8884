"""The bill of an index in words."""

from __future__ import annotations

import pytest

from chunksweep.indexing import IndexBill
from chunksweep.report.indexing import duration, sentence

BILL = IndexBill(120, 2_400, 480_000, 20.0, 4_000.0, 1.25, 250.0, tokens_per_second=2_000.0)


def test_whole_and_changes_with_money_and_time():
    # At $10 a million tokens: 480,000 cost $4.80, 4,000 $0.04, 250 $0.0025.
    assert sentence(BILL, "fixed 400", 4.8) == (
        "Indexing with fixed 400: 2,400 chunks (480,000 tokens), $4.8, 4 minutes at 2,000 tokens/s as measured "
        "here. When one of 120 documents changes: 20 chunks (4,000 tokens), $0.04, 2 s. When one character does and "
        "no boundary moves: 1.2 chunks (250 tokens), under a cent, 0.12 s."
    )


def test_what_is_not_known_is_left_out():
    assert sentence(IndexBill(1, 1, 50, 1.0, 50.0, 1.0, 50.0), "whole", None) == (
        "Indexing with whole: 1 chunk (50 tokens). When the document changes: 1 chunk (50 tokens). When one character "
        "does and no boundary moves: 1 chunk (50 tokens)."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.034, "0.034 s"), (45, "45 s"), (89, "89 s"), (90, "1.5 minutes"), (5_399, "90 minutes"), (12_600, "3.5 hours")],
)
def test_duration(seconds, words):
    assert duration(seconds) == words
