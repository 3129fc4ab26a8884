"""Verdicts of a sweep: on what, kept where, said how."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sweep.carrying_out import swept
from tests.tiny_corpus import QUESTIONS, settings, write

from chunksweep import stages
from chunksweep.errors import ConfigError
from chunksweep.records import RunRecord
from chunksweep.report.verdict import read_verdicts, verdict_json
from chunksweep.sweep.verdicts import require_baseline, verdicts_of
from chunksweep.tracking import Store

KEYS = [
    "corpus",
    "metric",
    "n",
    "clusters",
    "cluster_unit",
    "contenders",
    "recommended",
    "status",
    "ruled_out",
    "detectable",
    "more_questions",
    "optimism",
    "baseline",
    "effects",
    "stability",
    "holdout",
    "warnings",
]


@pytest.fixture
def tiny(tmp_path):
    return write(tmp_path / "tiny")


@pytest.fixture
def store(tmp_path):
    return Store(f"sqlite:///{tmp_path / 'mlruns' / 'mlflow.db'}")


def grid(tiny, **changes):
    return [
        settings(tiny, chunker=chunker, **(changes | {"k": [1, 3]})) for chunker in ("paragraphs", "sentences", "whole")
    ]


def test_a_sweep_has_a_verdict_under_the_keys_of_the_contract(tiny, store):
    outcome = swept(grid(tiny), store)
    (judged,) = outcome.judged
    run_ids = {record.run_id for record in outcome.records}
    assert list(judged.shape) == KEYS
    assert (judged.shape["n"], judged.shape["metric"]) == (len(QUESTIONS), "retrieval/answerable")
    assert {*judged.shape["contenders"], *(cell["run_id"] for cell in judged.shape["ruled_out"])} == run_ids
    assert judged.shape["recommended"] in run_ids
    assert judged.words


def test_it_is_kept_with_the_sweep_and_comes_back(tiny, store):
    outcome = swept(grid(tiny), store)
    assert store.judged(outcome.sweep_id) == outcome.judged == read_verdicts(verdict_json(outcome.judged))
    assert store.judged("no such sweep") == ()


def test_a_run_alone_has_none(tiny, store):
    outcome = swept([settings(tiny)], store)
    assert outcome.judged == ()
    assert store.judged(outcome.sweep_id) == ()


def test_each_corpus_has_its_own(tiny, store, tmp_path):
    two = write(tmp_path / "two")
    (two / "docs" / "more.txt").write_text("More to read.", encoding="utf-8")
    outcome = swept([*grid(tiny), *grid(two)], store)
    contenders = [set(judged.shape["stability"]) for judged in outcome.judged]
    assert len(contenders) == 2
    assert not contenders[0] & contenders[1]


def test_earlier_sweeps_on_the_same_questions_are_counted(tiny, store):
    swept(grid(tiny), store)
    swept([settings(tiny)], store)
    (judged,) = swept(grid(tiny), store).judged
    assert any(warning.startswith("2 sweeps and runs on these questions") for warning in judged.shape["warnings"])


def test_cells_that_failed_are_left_out_and_said(tiny):
    cells = grid(tiny)
    inputs = {cells[0].corpus: stages.read_inputs(cells[0].corpus)}
    metrics = {"cost/sent_tokens": 5.0}
    records = {cell: RunRecord(cell.chunker.name, "FINISHED", cell.params(), metrics) for cell in cells}
    names = {record.run_id: record.run_id for record in records.values()}
    scores = dict(zip(cells[:2], ([1.0, 0.0, 1.0], [0.0, 1.0, 1.0]), strict=True))
    values = {cell: np.array(of) for cell, of in scores.items()}
    (verdict,) = verdicts_of(inputs, records, values, names, {})
    assert verdict.cells == 2
    assert any(warning.startswith("1 cell failed") for warning in verdict.warnings)
    assert list(verdicts_of(inputs, records, {cells[0]: values[cells[0]]}, names, {})) == []


@pytest.mark.parametrize(
    ("baseline", "fitting"),
    [
        pytest.param("chunker=whole", 1, id="one"),
        pytest.param("corpus=own", 3, id="several"),
        pytest.param("chunker=fixed", 0, id="none"),
        pytest.param("colour=3", 0, id="no key of a cell"),
    ],
)
def test_a_baseline_is_one_cell_of_the_grid(tiny, baseline, fitting):
    cells = grid(tiny, verdict__baseline=baseline)
    if fitting == 1:
        require_baseline(cells)
        return
    with pytest.raises(ConfigError, match=f"{baseline}: {fitting} cells of own are such"):
        require_baseline(cells)
