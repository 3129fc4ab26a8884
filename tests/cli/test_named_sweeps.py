"""Named sweeps: ours, the user's, and what the command line makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tests.cli.program import invoke, write

from chunksweep.paths import sweep_names

# Cells, added up by hand from the files in sweeps/.
CELLS = {
    "first_look": 1 + 2 + 3 + 1 + 1 + 2,
    "handbook": 2 * (2 + 1 + 1 + 1 + 1),
    "handbook_prefix": 2,
    "prefix": 3 * 4,
    "retrieval": 2 * 4 + 3 * 2,
    "runbooks": 1 + 3 + 1 + 2 + 2,
    "size_overlap": 2 * 4 * 3,
}
MINE = """\
# Windows of two sizes.
defaults:
  - config
  - override chunker: fixed
  - _self_
send: 1
hydra:
  mode: MULTIRUN
  sweeper:
    params:
      size: [100, 300]
"""


def test_every_named_sweep_is_counted_here() -> None:
    assert sweep_names() == sorted(CELLS)


@pytest.mark.parametrize("name", CELLS)
def test_named_sweeps_compose_and_plan(place: Path, name: str) -> None:
    shape = invoke("sweep", name, "embedder=test", "--dry-run", "--format", "json").json
    plan = shape["plan"]
    assert (plan["cells"], plan["distinct_cells"], shape["planned"]) == (CELLS[name],) * 3
    assert plan["distinct_texts"] == plan["embedded_texts"] + plan["cached_texts"] > 0
    assert (shape["sweep_id"], shape["runs"], shape["finished"]) == (None, [], 0)
    assert not list(place.iterdir())


@pytest.mark.parametrize(
    ("arguments", "cells"),
    [
        pytest.param(["size=300"], [("fixed", 300)], id="a value replaces the axis"),
        pytest.param(["size=100,200,300"], [("fixed", 100), ("fixed", 200), ("fixed", 300)], id="an axis replaces it"),
        pytest.param(["chunker=recursive"], [("recursive", 100), ("recursive", 300)], id="a fixed value is replaced"),
        pytest.param([], [("fixed", 100), ("fixed", 300)], id="as it stands"),
    ],
)
def test_a_sweep_of_the_user_runs_from_the_folder_given(
    place: Path, arguments: list[str], cells: list[tuple[str, int]]
) -> None:
    write(place, {"mine/windows.yaml": MINE})
    outcome = invoke(
        "sweep",
        "windows",
        "--config-dir",
        "mine",
        "embedder=test",
        *arguments,
        "hydra.launcher.n_jobs=1",
        "--format=json",
    )
    runs = outcome.json["runs"]
    assert [(run["params"]["chunker"], run["params"]["size"]) for run in runs] == cells
    assert all(run["params"]["send"] == 1 for run in runs)
    assert outcome.json["sweep_name"] == "windows"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--cfg", "job", "size=300", "--config-dir", "mine"], id="flags around an override"),
        pytest.param(["size=300", "--config-dir=mine", "--cfg=job"], id="values attached"),
        pytest.param(["--config-dir", "mine", "size=300", "-c", "job", "send=1"], id="overrides around flags"),
    ],
)
def test_flags_of_hydra_may_stand_anywhere(place: Path, arguments: list[str]) -> None:
    write(place, {"mine/windows.yaml": MINE})
    outcome = invoke("run", *arguments)
    assert outcome.code == 0
    assert yaml.safe_load(outcome.out)["size"] == 300


def test_asking_for_the_configuration_runs_nothing(place: Path) -> None:
    outcome = invoke("sweep", "runbooks", "embedder=test", "--cfg", "job")
    shown = yaml.safe_load(outcome.out)
    assert outcome.code == 0
    assert (shown["send"], shown["embedder"]["name"], shown["corpus"]["name"]) == (2, "test", "runbooks")
    assert not list(place.iterdir())


@pytest.mark.parametrize("flag", ["--info", "-i"])
def test_information_without_a_topic_leaves_the_overrides_alone(place: Path, flag: str) -> None:
    assert invoke("run", flag, "embedder=test").code == 0
    assert not list(place.iterdir())
