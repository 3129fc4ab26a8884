"""The tables of docs/retrieval.md, computed by the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.program import invoke, working_folder

from chunksweep.report.labels import label, telling

PAGE = (Path(__file__).parents[1] / "docs" / "retrieval.md").read_text(encoding="utf-8")
COLUMNS = ("retrieval/answerable_at_1", "retrieval/answerable", "cost/sent_tokens")
TABLE = re.compile(r"^\| configuration \| ans@1 \| answ \| tokens \|\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
COMMANDS = re.findall(r"^chunksweep (sweep .*)$", PAGE, re.MULTILINE)


def written() -> list[dict[str, tuple[str, ...]]]:
    """Each table of results: what its rows are called, and their numbers."""
    rows = [[line.strip("| ").split(" | ") for line in table.splitlines()] for table in TABLE.findall(PAGE)]
    return [{name: tuple(numbers) for name, *numbers in table} for table in rows]


def test_every_sweep_has_its_table():
    assert len(COMMANDS) == len(written()) > 5


def test_the_tables_are_what_the_sweeps_give(tmp_path):
    """In one test, so that the model is loaded once and texts are embedded once."""
    found = []
    with working_folder(tmp_path):
        for command in COMMANDS:
            done = invoke(*shlex.split(command), "hydra.launcher.n_jobs=1", f"cache.dir={tmp_path}", "--format", "json")
            assert done.code == 0, done.err
            keys = telling([run["params"] for run in done.json["runs"]])
            found.append({label(run["params"], keys): shown(run["metrics"]) for run in done.json["runs"]})
    assert found == written()


def shown(metrics: dict[str, float]) -> tuple[str, str, str]:
    first, answered, tokens = (metrics[name] for name in COLUMNS)
    return f"{100 * first:.0f}%", f"{100 * answered:.0f}%", f"{tokens:.0f}"


def test_the_sentence_about_the_questions_that_are_lost():
    dense = written()[1]["sentences 1 dense expand parent"]
    assert dense[0] == f"{100 * 20 / 24:.0f}%"
    assert "20 of 24 questions at the same 69 tokens" in PAGE
    assert dense[2] == written()[2]["paragraphs 1 send 1"][2] == "69"
