"""The numbers of docs/dilution.md, computed by the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from tests.cli.program import invoke, working_folder

from chunksweep.documents import plain
from chunksweep.embedders.minilm import MiniLM
from chunksweep.measures import CellVectors, run_texts
from chunksweep.measures.dilution import dilution
from chunksweep.records import Corpus, Fact, Place, Question, Span
from chunksweep.retrieval.ranking import cosines

PAGE = (Path(__file__).parents[1] / "docs" / "dilution.md").read_text(encoding="utf-8")
QUESTION, ALONE, IN_COMPANY, OTHER = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


def rows_under(head: str) -> dict[str, float]:
    """A table of the page as its first cells and the numbers beside them."""
    (table,) = re.findall(rf"^\| {head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    return {name: float(value) for name, value in rows}


def subtraction() -> tuple[float, ...]:
    """The numbers of "a - b = c"."""
    (said,) = re.findall(r"([\d.]+) - ([\d.]+) = ([\d.]+\d)", PAGE)
    return tuple(map(float, said))


def test_the_cosines_of_the_example() -> None:
    model = MiniLM()
    found = cosines(model.embed([QUESTION], "question"), model.embed([ALONE, IN_COMPANY, OTHER], "passage"))[0]
    assert found == pytest.approx(list(rows_under("chunk").values()), abs=0.0006)
    assert found[0] > found[2] > found[1]
    assert subtraction()[:2] == tuple(rows_under("chunk").values())[:2]


def test_the_dilution_of_the_example_is_that_of_the_measure() -> None:
    document = plain.read(IN_COMPANY, "a.txt")
    quote = "the kernel killed the container"
    start = IN_COMPANY.index(quote)
    place = Place(document.id, Span(start, start + len(quote)))
    asked = Question("q", QUESTION, (Fact(quote, (place,)),))
    ((run,),) = run_texts(Corpus((document,)), [asked])
    assert run == ALONE
    alone, company, lost = subtraction()
    assert lost == pytest.approx(alone - company)
    model = MiniLM()
    vectors = CellVectors(
        model.embed([QUESTION], "question"), model.embed([IN_COMPANY, run], "passage"), np.array([0]), ((1,),)
    )
    assert dilution(vectors, 0, [frozenset({0})]) == pytest.approx(lost, abs=0.0006)


def test_the_sweep_of_the_example(tmp_path: Path) -> None:
    (line,) = re.findall(r"^(chunksweep sweep .*)$", PAGE, re.MULTILINE)
    with working_folder(tmp_path):
        done = invoke(*shlex.split(line)[1:], "hydra.launcher.n_jobs=1", "--format", "json")
    assert done.code == 0, done.err
    found = {str(run["params"]["size"]): run["metrics"]["retrieval/dilution"] for run in done.json["runs"]}
    assert found == pytest.approx(rows_under("size"), abs=0.0006)
