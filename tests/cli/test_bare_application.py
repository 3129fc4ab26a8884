"""`python -m chunksweep` and the console script."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from tests.cli.program import PATIENCE, invoke, spawn

import chunksweep
from chunksweep.cli import COMMANDS


def run_as_module(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["chunksweep", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("chunksweep", run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        pytest.param(["chunker=fixed", "size=200"], [("fixed", 200)], id="one configuration"),
        pytest.param(
            ["--multirun", "chunker=fixed,recursive", "size=200,400"],
            [("fixed", 200), ("fixed", 400), ("recursive", 200), ("recursive", 400)],
            id="a grid",
        ),
        pytest.param(["chunker=fixed", "size=200,400", "-m"], [("fixed", 200), ("fixed", 400)], id="the flag last"),
    ],
)
def test_the_module_is_the_bare_application(
    place: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sizes: list[tuple[str, int]]
) -> None:
    given = [*arguments, "embedder=test", "hydra.launcher.n_jobs=1"]
    assert run_as_module(given, monkeypatch) == 0
    runs = invoke("compare", "--format", "json").json["runs"]
    assert sorted((run["params"]["chunker"], run["params"]["size"]) for run in runs) == sizes
    assert [path.name for path in place.iterdir()] == ["mlruns"]


def test_the_module_is_a_process_that_composes_and_prints_to_standard_output_alone(tmp_path: Path) -> None:
    process = spawn(["--cfg", "job"], tmp_path, {}, (sys.executable, "-m", "chunksweep"))
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert "name: minilm" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["--help"], 0, id="asked for"),
        pytest.param([], 2, id="nothing given"),
    ],
)
def test_the_overview_names_every_command(arguments: list[str], code: int) -> None:
    outcome = invoke(*arguments)
    assert outcome.code == code
    assert [name for name in COMMANDS if f"\n  {name} " not in outcome.out] == []


def test_the_version_is_that_of_the_package() -> None:
    assert invoke("--version").out == f"chunksweep {chunksweep.__version__}\n"
