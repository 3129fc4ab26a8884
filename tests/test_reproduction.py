"""What the exchange of nearly equal hits may explain, and what it may not."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.records import Ranking
from chunksweep.reproduction import Comparison, _comparison, exchanges


def ranking(*scores: list[float]) -> Ranking:
    """Rankings whose chunks are numbered by rank."""
    rows = np.array(scores, dtype=np.float64)
    return Ranking(np.tile(np.arange(rows.shape[1]), (rows.shape[0], 1)), rows)


@pytest.mark.parametrize(
    ("scores", "orders"),
    [
        pytest.param([0.9, 0.8, 0.7], {(0, 1, 2)}, id="far apart: one order"),
        pytest.param([0.9, 0.899999, 0.7], {(0, 1, 2), (1, 0, 2)}, id="two tied"),
        pytest.param([0.9, 0.899998, 0.7], {(0, 1, 2), (1, 0, 2)}, id="2e-6 apart is tied"),
        pytest.param([0.9, 0.899997, 0.7], {(0, 1, 2)}, id="3e-6 apart is not"),
        pytest.param([0.9, 0.9, 0.5, 0.5], {(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)}, id="two pairs"),
        pytest.param(
            [0.900002, 0.900001, 0.9],
            {(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)},
            id="a chain of ties is one group",
        ),
    ],
)
def test_tied_hits_change_places(scores: list[float], orders: set[tuple[int, ...]]) -> None:
    assert {tuple(other.chunks[0].tolist()) for other in exchanges(ranking(scores))} == orders


def test_a_question_with_fewer_orders_takes_part_in_every_ranking() -> None:
    found = [other.chunks.tolist() for other in exchanges(ranking([0.9, 0.9], [0.9, 0.5]))]
    assert found == [[[0, 1], [0, 1]], [[1, 0], [0, 1]]]


def test_a_large_group_is_looked_at_as_it_stands_and_reversed() -> None:
    found = [other.chunks[0].tolist() for other in exchanges(ranking([0.5] * 6))]
    assert found == [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]


def test_the_best_ranks_change_places_first() -> None:
    # Seven pairs have 128 orders, of which 64 are tried: all of the first six pairs, none of the last.
    found = [
        other.chunks[0].tolist() for other in exchanges(ranking([score for score in range(7, 0, -1) for _ in "ab"]))
    ]
    assert found[1] == [1, 0, *range(2, 14)]
    assert found[2] == [0, 1, 3, 2, *range(4, 14)]
    assert len({tuple(order[:12]) for order in found}) == len(found) == 64
    assert {tuple(order[12:]) for order in found} == {(12, 13)}


@pytest.mark.parametrize(
    ("name", "logged", "now", "reach", "expected"),
    [
        pytest.param("retrieval/mrr", 0.5, 0.5, {}, (True, False), id="equal"),
        pytest.param("retrieval/mrr", 0.5, 0.6, {}, (False, False), id="different, nothing tied"),
        pytest.param(
            "retrieval/mrr", 0.5, 0.6, {"retrieval/mrr": (0.4, 0.6)}, (True, True), id="within the reach of ties"
        ),
        pytest.param("retrieval/mrr", 0.3, 0.6, {"retrieval/mrr": (0.4, 0.6)}, (False, False), id="beyond their reach"),
        pytest.param("retrieval/mrr", None, 0.6, {"retrieval/mrr": (0.4, 0.6)}, (False, False), id="was not logged"),
        pytest.param("retrieval/mrr", 0.5, None, {}, (False, False), id="is not there any more"),
        pytest.param("retrieval/dilution", 0.1, 0.100009, {}, (True, False), id="a similarity, to 1e-5"),
        pytest.param("retrieval/dilution", 0.1, 0.10002, {}, (False, False), id="a similarity, further"),
        pytest.param("cost/sent_tokens", 100.0, 100.0001, {}, (False, False), id="costs are exact"),
    ],
)
def test_a_metric_is_identical_or_explained_by_ties(
    name: str,
    logged: float | None,
    now: float | None,
    reach: dict[str, tuple[float, float]],
    expected: tuple[bool, bool],
) -> None:
    identical, tied = expected
    assert _comparison(name, logged, now, reach) == Comparison(logged, now, identical=identical, tied=tied)
