"""What run, sweep, compare and list print as JSON, and the tables beside it."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Outcome, invoke, working_folder

from chunksweep.embedders.store import VectorStore
from chunksweep.embedders.test import WordInitials

# 3 chunkers x 2 sizes x 2 overlaps x 2 prefixes x 2 numbers of passages: 48 cells asked.
GRID = shlex.split(
    "corpus=runbooks chunker=whole,fixed,recursive size=200,400 overlap=0,0.2 prefix=none,heading send=1,3 "
    "embedder=test hydra.launcher.n_jobs=1"
)
ASKED = 48
# whole takes neither size nor overlap, so its 2 x 2 of them are one: of 16 cells 4 are distinct. The other two
# chunkers have 16 distinct cells each: 4 + 16 + 16.
DISTINCT = 36
QUESTIONS = 10
# Beside what the contract of the outside names: whether everything there is was sent, and why a run failed.
RUN_KEYS = {"run_id", "status", "params", "metrics", "everything_sent"}
SWEEP_KEYS = {"sweep_id", "sweep_name", "planned", "finished", "failed", "skipped", "runs", "verdict", "no_retrieval"}
PLAN_KEYS = {
    "cells",
    "distinct_cells",
    "texts",
    "distinct_texts",
    "cached_texts",
    "embedded_texts",
    "embedded_tokens",
}


def scores(shape: Mapping[str, Any]) -> list[tuple[Any, dict[str, float]]]:
    """Parameters and metrics of every run but what a clock measured."""
    return [
        (run["params"], {name: value for name, value in run["metrics"].items() if not name.startswith("time/")})
        for run in shape["runs"]
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with working_folder(tmp_path_factory.mktemp("json")) as folder:
        yield folder


@pytest.fixture(scope="module")
def first(folder: Path) -> Outcome:
    return invoke("sweep", *GRID, "--format", "json")


@pytest.fixture(scope="module")
def again(first: Outcome) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WordInitials, "embed", lambda *_, **__: pytest.fail("something was embedded again"))
        return invoke("sweep", *GRID, "--format", "json")


def test_a_sweep_counts_its_cells(first: Outcome) -> None:
    shape = first.json
    assert first.code == 0
    assert shape.keys() == SWEEP_KEYS | {"plan"}
    assert (shape["planned"], shape["finished"], shape["failed"]) == (DISTINCT, DISTINCT, 0)
    assert shape["skipped"] == {"duplicate": ASKED - DISTINCT, "impossible": 0, "resumed": 0}
    assert len(shape["runs"]) == DISTINCT
    assert shape["sweep_name"] is None
    assert shape["verdict"] is None or isinstance(shape["verdict"], list)
    assert [corpus["fits"] for corpus in shape["no_retrieval"]] == [True]


def test_a_plan_counts_its_texts(first: Outcome, folder: Path) -> None:
    plan, runs = first.json["plan"], first.json["runs"]
    assert plan.keys() == PLAN_KEYS
    assert (plan["cells"], plan["distinct_cells"]) == (ASKED, DISTINCT)
    assert plan["texts"] == sum(run["metrics"]["chunks/count"] + QUESTIONS for run in runs)
    assert plan["distinct_texts"] == plan["cached_texts"] + plan["embedded_texts"]
    assert plan["cached_texts"] == 0
    assert plan["embedded_texts"] == VectorStore(folder.parent / "cache").info().entries


def test_a_second_sweep_embeds_nothing_and_measures_the_same(first: Outcome, again: Outcome) -> None:
    plan = again.json["plan"]
    assert (plan["embedded_texts"], plan["embedded_tokens"]) == (0, 0)
    assert plan["cached_texts"] == plan["distinct_texts"] == first.json["plan"]["distinct_texts"]
    assert scores(again.json) == scores(first.json)
    assert again.json["sweep_id"] != first.json["sweep_id"]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        pytest.param("corpus", {"runbooks"}, id="a group's key holds the name of its choice"),
        pytest.param("chunker", {"whole", "fixed", "recursive"}, id="an axis over a group"),
        pytest.param("size", {None, 200, 400}, id="whole numbers, null where ignored"),
        pytest.param("overlap", {None, 0, 0.2}, id="a share stays as it was asked"),
        pytest.param("prefix", {"none", "heading"}, id="prefix"),
        pytest.param("prefix.send", {None, False}, id="truth values, null where there is no prefix"),
        pytest.param("send", {1, 3}, id="send"),
    ],
)
def test_params_are_typed(first: Outcome, key: str, values: set[Any]) -> None:
    found = {run["params"][key] for run in first.json["runs"]}
    assert found == values
    assert {type(value) for value in found} == {type(value) for value in values}


def test_lists_stay_lists(first: Outcome) -> None:
    assert all(run["params"]["k"] == [1, 3, 5, 10] for run in first.json["runs"])


def test_compare_reads_back_what_the_sweep_printed(first: Outcome, again: Outcome) -> None:
    printed = first.json
    read = invoke("compare", "--sweep", printed["sweep_id"], "--format", "json").json
    assert read.keys() == SWEEP_KEYS
    for key in ("sweep_id", "sweep_name", "planned", "finished", "failed", "skipped"):
        assert read[key] == printed[key]
    by_id = {run["run_id"]: run for run in read["runs"]}
    assert by_id == {run["run_id"]: run for run in printed["runs"]}
    assert all(run.keys() == RUN_KEYS for run in read["runs"])


def test_compare_puts_the_best_first_then_the_cheaper(first: Outcome) -> None:
    read = invoke("compare", "--sweep", first.json["sweep_id"], "--format", "json").json
    keys = [(-run["metrics"]["retrieval/answerable_at_1"], run["metrics"]["cost/sent_tokens"]) for run in read["runs"]]
    assert keys == sorted(keys)


def test_compare_takes_the_latest_sweep_sorts_by_any_metric_and_limits_what_is_shown(again: Outcome) -> None:
    read = invoke("compare", "--sort", "cost/sent_tokens", "--limit", "3", "--format", "json").json
    costs = sorted(run["metrics"]["cost/sent_tokens"] for run in again.json["runs"])
    assert read["sweep_id"] == again.json["sweep_id"]
    assert [run["metrics"]["cost/sent_tokens"] for run in read["runs"]] == costs[:3]
    assert read["finished"] == DISTINCT


def test_compare_as_csv_holds_every_param_and_metric(again: Outcome) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("compare", "--format", "csv").out)))
    runs = again.json["runs"]
    named = {name for run in runs for name in (*run["params"], *run["metrics"])}
    assert rows[0].keys() == {"run_id", "status"} | named
    assert {(row["run_id"], float(row["cost/sent_tokens"])) for row in rows} == {
        (run["run_id"], run["metrics"]["cost/sent_tokens"]) for run in runs
    }


def test_a_run_is_a_sweep_of_one_cell(first: Outcome) -> None:
    choice = shlex.split("chunker=fixed size=200 overlap=0.2 prefix=heading send=3 embedder=test")
    outcome = invoke("run", *choice, "--format", "json")
    assert outcome.code == 0
    assert outcome.json.keys() == RUN_KEYS
    assert outcome.json["status"] == "FINISHED"
    assert scores({"runs": [outcome.json]})[0] in scores(first.json)


def test_list_names_what_can_be_chosen_and_what_was_run(first: Outcome) -> None:
    listed = invoke("list", "--format", "json").json
    assert listed.keys() == {"corpora", "chunkers", "embedders", "sweeps", "past_sweeps"}
    assert {"runbooks", "handbook_explicit", "own"} <= listed["corpora"].keys()
    assert {"whole", "fixed", "recursive", "sentences", "paragraphs", "headings"} <= listed["chunkers"].keys()
    assert {"minilm", "test"} <= listed["embedders"].keys()
    assert {"runbooks", "first_look"} <= listed["sweeps"].keys()
    assert all(what for group in ("corpora", "chunkers", "embedders", "sweeps") for what in listed[group].values())
    past = {sweep["sweep_id"]: sweep for sweep in listed["past_sweeps"]}
    assert past[first.json["sweep_id"]]["status"] == "FINISHED"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["sweep", "embedder=test", "size=200,400", "hydra.launcher.n_jobs=1"], id="sweep"),
        pytest.param(["sweep", *GRID, "--dry-run"], id="the plan alone"),
        pytest.param(["run", "embedder=test"], id="run"),
        pytest.param(["compare"], id="compare"),
        pytest.param(["compare", "--sort", "chunks/effective_overlap"], id="compare by what is not shown otherwise"),
        pytest.param(["list"], id="list"),
    ],
)
def test_what_is_printed_fits_80_columns(first: Outcome, command: list[str]) -> None:
    outcome = invoke(*command)
    assert outcome.code == 0
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert "…" not in outcome.out


def test_a_sweep_of_nothing_lists_the_names(place: Path) -> None:
    outcome = invoke("sweep")
    assert outcome.code == 2
    assert {"runbooks", "first_look"} <= set(outcome.out.split())
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_a_leaderboard_tells_its_rows_apart(first: Outcome) -> None:
    table = invoke("compare", "--sweep", first.json["sweep_id"]).out.split("\n\n")[1]
    names: list[str] = []
    for line in table.splitlines()[1:]:
        name = line[:33].rstrip()  # the metrics stand to the right of it
        if name.startswith(("whole", "fixed", "recursive")):
            names.append(name)
        else:
            names[-1] += f" {name}"
    assert len(set(names)) == len(names) == DISTINCT


def test_nothing_but_the_tracking_store_is_left(first: Outcome, again: Outcome, folder: Path) -> None:
    assert [path.name for path in folder.iterdir()] == ["mlruns"]
