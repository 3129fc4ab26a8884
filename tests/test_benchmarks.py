"""What the benchmarks measure with: the text, the grid, the limit, the cost of a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import report, splitting
from benchmarks.contenders import arguments, carry_out
from benchmarks.limit import operations
from benchmarks.measured import Cost, measured
from benchmarks.text import write_corpus

from chunksweep.cli import hydra_app
from chunksweep.sweep.plan import grid_of


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder, 9_000, 10)
    return folder


def test_the_text_has_the_length_asked_for(corpus):
    texts = [path.read_text(encoding="utf-8") for path in sorted((corpus / "docs").iterdir())]
    assert len(texts) == 3  # 4,000 characters a document
    assert 9_000 <= sum(map(len, texts)) < 9_000 + 3 * 1_000  # each ends with the paragraph that it is full in


def test_a_shorter_text_is_the_beginning_of_a_longer_one(corpus, tmp_path):
    write_corpus(tmp_path, 4_000, 10)
    (first,) = (tmp_path / "docs").iterdir()
    assert first.read_bytes() == (corpus / "docs" / first.name).read_bytes()


def test_the_grid_has_the_cells_that_its_comment_says(corpus):
    for overrides, cells in (((), 64), (("overlap=0", "prefix=none"), 16), (("send=1,2,3,4",), 256)):
        grids = []
        hydra_app.compose(
            arguments(corpus, *overrides), lambda cells, _jobs, into=grids: into.append(grid_of(cells)), "bench"
        )
        (grid,) = grids
        assert (len(grid.cells), grid.duplicates, sum(grid.impossible.values())) == (cells, 0, 0)


def test_the_grid_of_many_has_480_cells(corpus):
    grids = []
    hydra_app.compose(arguments(corpus), lambda cells, _jobs: grids.append(grid_of(cells)), "many")
    assert [(len(grid.cells), {cell.embedder.name for cell in grid.cells}) for grid in grids] == [(480, {"test"})]


def test_the_corpus_can_be_swept(corpus, tmp_path):
    overrides = [f"cache.dir={tmp_path}", "embedder=test", "hydra.launcher.n_jobs=1", "overlap=0", "prefix=none"]
    outcomes = carry_out(corpus, overrides, lambda execution: list(execution.run(execution.plan())))
    assert [result.metrics["retrieval/ceiling"] > 0.5 for _, result in outcomes] == [True] * 16


def test_operations_of_the_model():
    # One token: 6 layers of 4 * 384² (queries, keys, values, output) and 2 * 384 * 1536 weights, two operations each;
    # and 2 * 384 for its product with itself, as many for the weighted sum.
    weights = 6 * (4 * 384 * 384 + 2 * 384 * 1_536)
    assert operations([1]) == 2 * weights + 6 * 4 * 384
    assert operations([10, 20]) == 30 * 2 * weights + 6 * 4 * 384 * (10 * 10 + 20 * 20)


def test_a_process_is_measured_with_its_children():
    spin = "import time\nwhile time.process_time() < 0.3: pass"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}]); print('{{\"done\": 1}}')"
    cost = measured([sys.executable, "-c", script])
    assert cost.cpu >= 0.3
    assert cost.said == {"done": 1}


def test_a_process_that_fails_is_an_error():
    with pytest.raises(subprocess.CalledProcessError):
        measured([sys.executable, "-c", "raise SystemExit(3)"])


def test_ratios_are_of_cpu_seconds():
    cpu = {"naive": 60, "langchain": 45, "engine": 15, "cold": 20, "warm": 4, "send": 16, "bf16": 6, "encode": 12}
    cpu |= {"many": 8, "context-grid": 6}
    text = report.document(
        size="small",
        threads=1,
        plan={"distinct_cells": 64, "texts": 10, "distinct_texts": 5, "embedded_tokens": 7, "operations": 1e12},
        costs={name: [Cost(seconds, 2 * seconds, 100)] for name, seconds in cpu.items()},
        rates=[{"float32": 0.5e11, "bfloat16": 5e11}, {"float32": 1.5e11, "bfloat16": 5e11}],
        deviation={"largest": 1e-4, "changed": 2, "asked": 640},
        growth=[("64 cells, text x1", Cost(3, 3, 50), Cost(1, 1, 50))],
        ranked=[(1_000, Cost(1, 1, 50, {"cpu": 0.01}))],
        ranked_questions=50,
    )
    # 1e12 operations at 1e11 a second take 10 seconds.
    expected = {
        "cold without MLflow / fp32 limit": "1.50",
        "the model alone / fp32 limit": "1.20",
        "all but encoding, share of cold without MLflow": "20%",
        "naive / cold without MLflow": "4.0",
        "LangChain / cold without MLflow": "3.0",
        "4 x naive / cold with a `send` axis of four": "15.0",
        "naive / bf16 cold without MLflow": "10.0",
        "warm, cells a minute on the clock": "480",
        "warm, cells a minute of CPU": "960",
        "context-grid / chunksweep, 480 chunkings": "0.75",
    }
    cells = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.count("|") == 3]
    rows = {name: value for _, name, value, _ in cells}
    assert {name: rows[name] for name in expected} == expected


def test_a_strategy_is_measured_in_its_units_and_beside_its_library():
    documents = splitting.texts("semchunk", 4_000)
    ours = splitting.rows("sentences", documents)
    assert [row[:2] for row in ours] == [["`sentences`", "sentences"]]
    theirs = splitting.rows("semchunk", documents)
    assert [row[:2] for row in theirs] == [["`semchunk`", "characters"], ["`semchunk`", "tokens"]]
    for row in theirs:
        placed, alone = float(row[2]), float(row[3])
        # To the rounding of both.
        assert float(row[4].rstrip("%")) == pytest.approx(100 * placed / alone, abs=2)


def test_what_cannot_be_measured_says_why(monkeypatch):
    monkeypatch.setattr("chunksweep.chunkers.library.find_spec", lambda name: None)
    rows = splitting.rows("semchunk", splitting.texts("semchunk", 4_000))
    assert [row[2] for row in rows] == [
        "semchunk is not installed. Install it: pip install 'chunksweep[semchunk]'."
    ] * 2
