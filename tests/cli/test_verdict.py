"""The verdict as `sweep` and `compare` show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import invoke

SWEEP = ("sweep", "chunker=fixed,whole,sentences", "size=1", "embedder=test", "hydra.launcher.n_jobs=1")


def test_it_is_printed_below_the_leaderboard_and_again_by_compare(place: Path) -> None:
    printed = invoke(*SWEEP)
    assert printed.code == 0
    verdict = printed.out[printed.out.index("Verdict. ") : printed.out.index("These runs")]
    assert "10 questions, 3 cells" in verdict
    assert max(map(len, verdict.splitlines())) <= 80
    assert verdict in invoke("compare").out


def test_json_holds_it(place: Path) -> None:
    baseline = 'verdict.baseline="chunker=sentences"'
    shape = invoke(*SWEEP, baseline, "verdict.holdout=0.2", "--format", "json").json
    (verdict,) = shape["verdict"]
    assert invoke("compare", "--format", "json").json["verdict"] == shape["verdict"]
    by_chunker = {run["params"]["chunker"]: run["run_id"] for run in shape["runs"]}
    assert (verdict["n"], verdict["holdout"]["n"]) == (8, 2)
    assert verdict["baseline"]["run_id"] == by_chunker["sentences"]
    assert verdict["recommended"] in (by_chunker["sentences"], by_chunker["fixed"])


def test_a_run_alone_has_none(place: Path) -> None:
    assert "Verdict" not in invoke("run", "embedder=test").out
    assert invoke("compare", "--format", "json").json["verdict"] is None


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("verdict.cluster=file", "verdict.cluster=file: one of auto, document, question is needed."),
        ('verdict.baseline="chunker=headings"', "0 cells of runbooks are such"),
        ("verdict.margin=0.1,0.2", "one value"),
    ],
)
def test_what_cannot_be_is_one_line(place: Path, override: str, said: str) -> None:
    outcome = invoke(*SWEEP, override)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert outcome.err.count("\n") == 1
