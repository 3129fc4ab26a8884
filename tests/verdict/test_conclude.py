"""Verdicts on small grids that can be worked out by hand."""

from __future__ import annotations

import pytest
from tests.verdict.grids import Row, evidence, judge

from chunksweep.settings import VerdictSettings
from chunksweep.verdict.conclude import conclude, matches

ALL, NONE = "1" * 20, "0" * 20
TWELVE = "1" * 12 + "0" * 8


@pytest.mark.parametrize(
    ("rows", "contenders", "recommended", "status"),
    [
        pytest.param(
            {"good": Row(ALL), "bad": Row(NONE, 10)}, ["good"], "good", "winner", id="one is beaten on every question"
        ),
        pytest.param(
            {"good": Row(ALL[:19]), "bad": Row(NONE[:19])},
            ["good"],
            "good",
            "provisional",
            id="nineteen questions make no winner",
        ),
        pytest.param(
            {"dear": Row(ALL, 300), "cheap": Row(ALL, 100), "bad": Row(NONE, 10)},
            ["dear", "cheap"],
            "cheap",
            "winner",
            id="identical cells win together, the cheaper is recommended",
        ),
        pytest.param(
            {"one": Row("1" * 10 + "0" * 10), "other": Row("0" * 10 + "1" * 10, 50), "bad": Row(NONE)},
            ["one", "other"],
            "other",
            "provisional",
            id="two remain, the cheaper of equals is recommended",
        ),
        pytest.param(
            {"good": Row("1" * 19 + "0", 200), "cheap": Row("1" * 17 + "000", 20)},
            ["good", "cheap"],
            "good",
            "provisional",
            id="the cheaper one is possible and further than margin from the best",
        ),
        pytest.param(
            {"good": Row(ALL, 200), "cheap": Row("1" * 19 + "0", 20)},
            ["good", "cheap"],
            "cheap",
            "provisional",
            id="exactly margin from the best is within it",
        ),
        pytest.param(
            {"one": Row(ALL, 200), "other": Row(ALL, 20)},
            ["one", "other"],
            "other",
            "provisional",
            id="nothing discordant in twenty is neither a winner nor equivalence",
        ),
        pytest.param(
            {"one": Row("1" * 60, 200), "other": Row("1" * 60, 20)},
            ["one", "other"],
            "other",
            "shown_equivalent",
            id="nothing discordant in sixty: at most 2.7 in 60 differ",
        ),
        pytest.param(
            {"one": Row("1" * 50, 200), "other": Row("1" * 50, 20)},
            ["one", "other"],
            "other",
            "provisional",
            id="nothing discordant in fifty: 2.7 in 50 are more than margin",
        ),
        pytest.param(
            {"one": Row("1" * 400, 200), "other": Row("1" * 399 + "0", 20)},
            ["one", "other"],
            "other",
            "shown_equivalent",
            id="one discordant in four hundred",
        ),
    ],
)
def test_contenders_recommended_status(rows, contenders, recommended, status):
    verdict = judge(rows)
    assert (list(verdict.contenders), verdict.recommended, verdict.status) == (contenders, recommended, status)
    assert {*verdict.contenders, *(cell.run_id for cell in verdict.ruled_out)} == rows.keys()
    assert len(verdict.contenders) + len(verdict.ruled_out) == len(rows)


@pytest.mark.parametrize(
    ("rows", "contenders", "recommended", "status"),
    [
        pytest.param(
            {"whole": Row(ALL, 900, everything=True), "some": Row(TWELVE, 50), "bad": Row(NONE, 10)},
            ["whole", "some"],
            "some",
            "winner",
            id="it rules none out and stands in no winner's way",
        ),
        pytest.param(
            {"whole": Row(ALL, 5, everything=True), "some": Row(ALL, 50)},
            ["whole", "some"],
            "some",
            "provisional",
            id="not recommended though cheaper and no worse",
        ),
        pytest.param(
            {"whole": Row(NONE, 5, everything=True), "some": Row(ALL, 50)},
            ["some"],
            "some",
            "winner",
            id="it can be ruled out",
        ),
        pytest.param(
            {"whole": Row(ALL, 5, everything=True), "all": Row(ALL, 7, everything=True)},
            ["whole", "all"],
            "whole",
            "provisional",
            id="recommended where there is nothing else",
        ),
    ],
)
def test_everything_sent(rows, contenders, recommended, status):
    verdict = judge(rows)
    assert (list(verdict.contenders), verdict.recommended, verdict.status) == (contenders, recommended, status)


def test_ruled_out_by_the_strongest():
    verdict = judge({"best": Row(ALL), "good": Row("1" * 15 + "0" * 5), "bad": Row(NONE)})
    bad = next(cell for cell in verdict.ruled_out if cell.run_id == "bad")
    # z is sqrt(20) against best and sqrt(15) against good.
    assert (bad.beaten_by, bad.difference) == ("best", 1.0)
    assert bad.low > 0
    assert bad.high - bad.difference == pytest.approx(bad.difference - bad.low)
    assert bad.p <= 0.05


def test_a_beater_with_identical_others_is_named_by_the_cheapest():
    verdict = judge({"dear": Row(ALL, 9), "cheap": Row(ALL, 3), "bad": Row(NONE)})
    assert [cell.beaten_by for cell in verdict.ruled_out] == ["cheap"]


def test_without_discordance_nothing_is_said_of_differences():
    verdict = judge({"one": Row(ALL), "other": Row(ALL)})
    assert (verdict.detectable, verdict.more_questions, verdict.ruled_out) == (None, None, ())
    assert verdict.best.interval.low < 1


def test_the_questions_that_are_missing():
    # A quarter of 100 questions is discordant; a single pair's c is about 1.96, so (1.96 + 0.84)^2 / 0.0025 * 0.25
    # questions show 5 points: 785, of which 100 are there.
    verdict = judge({"one": Row("10" * 12 + "01" + "0" * 74), "other": Row("01" * 12 + "10" + "0" * 74)})
    low, high = verdict.more_questions
    assert low == high
    assert low + 100 == pytest.approx(785, rel=0.15)
    assert verdict.detectable == pytest.approx(2.8 * 0.5 / 10, rel=0.1)


def test_stability_shares_ties_and_identical_cells_have_one_figure():
    verdict = judge({"one": Row(ALL), "same": Row(ALL), "bad": Row(NONE), "whole": Row(ALL, everything=True)})
    assert verdict.stability == {"one": 1.0, "same": 1.0, "bad": 0.0}


def test_clusters_are_what_is_independent():
    documents = [f"{question // 2}.md" for question in range(20)]
    by_document = judge({"one": Row(ALL), "other": Row(NONE)}, documents, cluster="auto")
    assert (by_document.clusters, by_document.cluster_unit) == (10, "document")
    assert by_document.ruled_out[0].p == pytest.approx(2 / 2**10)
    by_question = judge({"one": Row(ALL), "other": Row(NONE)}, ["a.md"] * 20, cluster="auto")
    assert (by_question.clusters, by_question.cluster_unit) == (20, "question")
    assert any("nothing is said about other documents" in warning for warning in by_question.warnings)


BASELINE = {
    "fixed": Row(NONE, params={"chunker": "fixed", "size": 400}),
    "good": Row(ALL, params={"chunker": "recursive", "size": 400}),
    "same": Row(NONE, params={"chunker": "recursive", "size": 200}),
}


def test_cells_against_a_baseline():
    baseline = judge(BASELINE, baseline="chunker=fixed size=400").baseline
    good, same = baseline.cells
    assert (baseline.run_id, good.run_id, good.difference) == ("fixed", "good", 1.0)
    assert 0 < good.low < 1 < good.high
    assert (same.run_id, same.difference, same.low, same.high, same.p) == ("same", 0, None, None, 1)


def test_a_baseline_that_did_not_finish_is_said():
    verdict = judge(BASELINE, baseline="chunker=whole")
    assert verdict.baseline is None
    assert any("chunker=whole" in warning for warning in verdict.warnings)


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        pytest.param({"size": 400}, True, id="one key"),
        pytest.param({"size": 400, "chunker": "fixed"}, True, id="two"),
        pytest.param({"size": 200}, False, id="another value"),
        pytest.param({"unit": None}, False, id="a key it lacks"),
    ],
)
def test_matches(wanted, fits):
    assert matches({"size": 400, "chunker": "fixed"}, wanted) == fits


def test_what_is_held_out_takes_no_part_in_choosing():
    # The same verdict whatever the scores of the questions held out are, but for the score there.
    documents = [f"{question // 2}.md" for question in range(40)]
    rows = {"good": Row("1" * 30 + "0" * 10, 20), "bad": Row("0" * 40, 10)}
    first = judge(rows, documents, cluster="document", holdout=0.25, seed=2)
    assert (first.n, first.clusters, first.holdout.n, first.holdout.clusters) == (30, 15, 10, 5)
    assert first.holdout.run_id == first.recommended == "good"
    means = first.best.mean * first.n + first.holdout.mean * first.holdout.n
    assert means == pytest.approx(30)


def test_less_than_a_cluster_cannot_be_held_out():
    verdict = judge({"one": Row("10"), "other": Row("01")}, holdout=0.4)
    assert (verdict.holdout, verdict.n) == (None, 2)
    assert any("nothing was held out" in warning for warning in verdict.warnings)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({"failed": 1}, "1 cell failed", id="failed"),
        pytest.param({"failed": 3}, "3 cells failed", id="several failed"),
        pytest.param({"ambiguous": 2}, "2 questions with a fact that stands in several places", id="ambiguous"),
        pytest.param({"corpus_tokens": 487}, "fit a prompt: 487 tokens", id="the corpus is small"),
        pytest.param({"earlier": 4}, "4 sweeps and runs on these questions came before", id="looked at before"),
    ],
)
def test_warnings(more, said):
    rows = {"one": Row(ALL), "other": Row(TWELVE)}
    usual = judge(rows).warnings
    (added,) = set(conclude(evidence(rows, **more), VerdictSettings(cluster="question")).warnings) - set(usual)
    assert said in added


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        pytest.param({"one": Row("10"), "other": Row("01")}, "fewer than 20 questions", id="few questions"),
        pytest.param({"one": Row(ALL, everything=True), "other": Row(ALL)}, "1 cell sent all there is", id="a row"),
        pytest.param(
            {"one": Row(ALL, everything=True), "other": Row(ALL, everything=True)}, "nothing was retrieved", id="all"
        ),
    ],
)
def test_warnings_of_the_rows(rows, said):
    assert any(said in warning for warning in judge(rows).warnings)


def test_a_large_corpus_fits_no_prompt():
    rows = {"one": Row(ALL), "other": Row(TWELVE)}
    assert conclude(evidence(rows, corpus_tokens=100_001, context_window=100_000), VerdictSettings()).warnings == ()


def test_values_for_other_questions_are_refused():
    with pytest.raises(ValueError, match="values for 2 questions"):
        evidence({"one": Row("10"), "other": Row("010")})
