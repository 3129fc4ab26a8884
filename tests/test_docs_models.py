"""The tables of docs/models.md, computed by the program."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import invoke, working_folder

from chunksweep.embedders.minilm import model_folder

PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
BEST, SENT = "retrieval/answerable_at_1", "retrieval/answerable"


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A working folder with the model that an example names."""
    with working_folder(tmp_path_factory.mktemp("models")) as folder:
        (folder / "models").mkdir()
        (folder / "models" / "minilm").symlink_to(model_folder())
        yield


def table_after(command: str) -> list[list[str]]:
    """The cells of the first table after a command of the page, without its head."""
    rest = PAGE[PAGE.index(command) :]
    (rows,) = re.findall(r"^\|[-|]+\n((?:\|.*\n)+)", rest, re.MULTILINE)[:1]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]


def runs_of(beginning: str) -> tuple[str, list[dict[str, Any]]]:
    """The command of the page that begins so, and what it measures."""
    (command,) = re.findall(rf"^{re.escape(beginning)}.*$", PAGE, re.MULTILINE)
    outcome = invoke(*shlex.split(command)[1:], "hydra.launcher.n_jobs=1", "--format", "json")
    assert outcome.code == 0, outcome.err
    return command, outcome.json["runs"]


def percent(run: dict[str, Any], metric: str = BEST) -> str:
    return str(round(100 * run["metrics"][metric]))


@pytest.mark.parametrize(
    ("beginning", "keys", "embedders", "metric"),
    [
        pytest.param(
            "chunksweep sweep embedder=minilm,static",
            ("corpus", "size", "prefix"),
            ("minilm", "static"),
            BEST,
            id="static",
        ),
        pytest.param(
            "chunksweep sweep embedder=minilm,late", ("corpus", "size"), ("minilm", "late"), SENT, id="late chunking"
        ),
    ],
)
def test_two_embedders(beginning: str, keys: tuple[str, ...], embedders: tuple[str, ...], metric: str) -> None:
    command, runs = runs_of(beginning)
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for run in runs:
        cell = tuple(str(run["params"][key]) for key in keys)
        found.setdefault(cell, {})[run["params"]["embedder"]] = percent(run, metric)
    assert sorted([*cell, *map(of.get, embedders)] for cell, of in found.items()) == sorted(table_after(command))


@pytest.mark.parametrize(
    ("beginning", "key"),
    [
        pytest.param(
            "chunksweep sweep embedder=sentence_transformers embedder.model=models/minilm",
            "embedder.dimension",
            id="dimensions",
        ),
        pytest.param(
            "chunksweep sweep corpus=handbook_headed chunker=sentences prefix=template",
            "prefix.template",
            id="templates",
        ),
    ],
)
def test_one_axis(beginning: str, key: str) -> None:
    command, runs = runs_of(beginning)
    assert [[str(run["params"][key]), percent(run)] for run in runs] == table_after(command)
