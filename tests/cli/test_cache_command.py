"""`chunksweep cache`: shown as a table and as JSON, pruned, and refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import invoke

from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.maker import Maker
from chunksweep.embedders.test import WordInitials

GONE = Maker("discontinued", {"size": "large"}, WordInitials().fingerprint)


@pytest.fixture
def cache(place: Path) -> str:
    """Four texts of the test embedder and one of an embedder that is not any more."""
    CachedEmbedder(WordInitials(), place / "c", Maker("test", {}, WordInitials().fingerprint).text).embed(
        ["ant", "bee", "cow", "dog"], "passage"
    )
    CachedEmbedder(WordInitials(), place / "c", GONE.text).embed(["eel"], "passage")
    return "cache.dir=c"


def test_info(cache: str) -> None:
    shape = invoke("cache", "info", cache, "--format", "json").json
    assert list(shape) == ["path", "vectors", "bytes", "models", "damaged"]
    assert shape["vectors"] == 5
    assert [(model["model"], model["vectors"], model["known"]) for model in shape["models"]] == [
        ("test", 4, True),
        ("discontinued", 1, False),
    ]
    shown = invoke("cache", "info", cache).out
    assert "5 vectors" in shown
    assert "discontinued  size=large" in shown
    assert max(map(len, shown.splitlines()[1:])) <= 80


def test_a_dry_run_shows_what_goes_and_keeps_it(cache: str) -> None:
    would = invoke("cache", "prune", cache, "--dry-run", "--format", "json").json
    assert (would["dry_run"], would["vectors"], would["freed_bytes"]) == (True, 1, 0)
    done = invoke("cache", "prune", cache, "--format", "json").json
    assert (
        [model["model"] for model in done["models"]]
        == [model["model"] for model in would["models"]]
        == ["discontinued"]
    )
    assert invoke("cache", "info", cache, "--format", "json").json["vectors"] == 4
    assert "0 vectors dropped" in invoke("cache", "prune", cache).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["info", "--dry-run"], "flags of prune", id="a flag of the other"),
        pytest.param(["clear"], "invalid choice", id="another action"),
        pytest.param(["info", "c"], "cache.dir=FOLDER is needed", id="a bare folder"),
        pytest.param(["prune", "--older-than", "-1"], "older-than", id="days below 0"),
        pytest.param(["prune", "--model", "mini"], "no embedder is called so", id="no such model"),
    ],
)
def test_refused(place: Path, arguments: list[str], words: str) -> None:
    outcome = invoke("cache", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert words in outcome.err
