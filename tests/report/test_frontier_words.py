"""The front in sentences."""

from __future__ import annotations

from chunksweep.frontier import COST, QUALITY, filled_metric
from chunksweep.records import RunRecord
from chunksweep.report.frontier import front_ids, sentences


def cell(name, quality, tokens, status="FINISHED", **more):
    return RunRecord(name, status, {}, {QUALITY: quality, COST: tokens} | more)


def said(cells):
    return list(sentences(cells, {each.run_id: f"fixed {each.run_id}" for each in cells}))


def test_front_and_budgets():
    within = {filled_metric(256): 0.5, filled_metric(512): 0.9}
    assert said([cell("a", 0.9, 1234.4, **within), cell("b", 0.5, 99.6, **within), cell("c", 0.5, 100.4)]) == [
        "Front (^) of answerable against tokens: fixed b 50% at 100; fixed a 90% at 1,234.",
        "Best with passages up to a budget of tokens: "
        "fixed b (and 1 more) 50% in 256; fixed b (and 1 more) 90% in 512.",
    ]


def test_budgets_end_where_everything_is_answered():
    within = {filled_metric(256): 0.5, filled_metric(512): 1.0, filled_metric(1024): 1.0}
    _, text = said([cell("a", 0.9, 200, **within), cell("b", 0.5, 100)])
    assert text.endswith("fixed a 50% in 256; fixed a 100% in 512.")


def test_equal_cells_are_named_once():
    assert said([cell("a", 0.5, 100), cell("b", 0.5, 100), cell("c", 0.5, 100)]) == [
        "Front (^) of answerable against tokens: fixed a (and 2 more) 50% at 100."
    ]


def test_of_a_long_front_the_ends_are_named():
    (text,) = said([cell(f"{at}", at / 10, 10 * at + 10) for at in range(9)])
    assert text.endswith("fixed 4 40% at 50; 3 more; fixed 8 80% at 90.")


def test_a_cell_alone_has_no_front():
    failed = RunRecord("b", "FAILED", {}, {})
    assert said([cell("a", 0.5, 100), failed]) == []
    assert front_ids([cell("a", 0.5, 100), failed]) == frozenset()
