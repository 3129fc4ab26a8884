"""What is said of costs below a leaderboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import invoke

SWEEP = (
    *("sweep", "chunker=fixed,whole,sentences", "embedder=test", "hydra.launcher.n_jobs=1"),
    *("prices.input=2.5", "prices.embedding=1000"),
)


@pytest.fixture
def printed(place: Path) -> str:
    outcome = invoke(*SWEEP)
    assert outcome.code == 0, outcome.err
    assert max(map(len, outcome.out.splitlines())) <= 80
    return outcome.out


def test_a_sweep_names_the_front_the_prices_and_the_bill(printed: str) -> None:
    assert "Front (^) of answerable against tokens: " in printed
    assert "$/1k" in printed.splitlines()[3]
    bills = [line for line in printed.splitlines() if line.startswith("Indexing with ")]
    assert len(bills) == 1  # of the cell that is recommended
    assert "$" in bills[0]


def test_compare_says_the_same(printed: str) -> None:
    again = invoke("compare").out
    assert printed[printed.index("Front (^)") :] == again[again.index("Front (^)") :]


def test_a_run_alone_has_a_bill_and_no_front(place: Path) -> None:
    run = invoke("run", "embedder=test", "chunker=whole").out
    assert "Indexing with whole: 1 chunk (" in run
    assert "Front" not in run
    compared = invoke("compare").out
    assert "Indexing with whole: 1 chunk (" in compared
    assert "^" not in compared
