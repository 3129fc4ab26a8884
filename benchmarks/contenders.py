"""The ways to embed a grid, each as a process of its own.

    python -m benchmarks.contenders NAME FOLDER [OVERRIDE ...]

FOLDER holds docs/ and questions.jsonl, and after `prepare` texts.json: what a loop over the cells embeds.
"""

from __future__ import annotations

import contextlib
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunksweep import stages
from chunksweep.cli import hydra_app
from chunksweep.embedders.minilm import WINDOW, MiniLM, model_folder
from chunksweep.sweep.execute import Execution
from chunksweep.sweep.plan import Plan, grid_of, texts_of
from chunksweep.sweep.worker import Split

CONF = Path(__file__).parent / "conf"
BEST = 10
NEAR_ENOUGH = 2e-6


class Silent:
    """Shows no progress."""

    def step(self, name: str, total: int) -> None:
        """Nothing."""

    def advance(self, parts: int = 1) -> None:
        """Nothing."""


def arguments(folder: Path, *overrides: str) -> list[str]:
    """The overrides of the benchmark's grid over the corpus in `folder`."""
    return [
        f"--config-dir={CONF}",
        f"corpus.path={folder / 'docs'}",
        f"corpus.questions={folder / 'questions.jsonl'}",
        *overrides,
    ]


def carry_out(folder: Path, overrides: Sequence[str], work: Callable[[Execution], Any]) -> Any:
    """Composes the grid as the command does and hands its execution on; no tracking store is touched."""
    done = []

    def cells(configurations: Sequence[Any], n_jobs: int) -> None:
        with tempfile.TemporaryDirectory() as workspace:
            execution = Execution(grid_of(configurations), n_jobs, Silent(), Path(workspace))
            execution.read()
            done.append(work(execution))

    hydra_app.compose(arguments(folder, *overrides), cells, "bench")
    return done[0]


def prepare(folder: Path, *overrides: str) -> dict[str, Any]:
    """Writes what a loop over the cells would embed; gives the plan's counts and the lengths of the distinct texts."""

    def plan_only(execution: Execution) -> dict[str, Any]:
        plan = execution.plan()
        (work,) = plan.embeddings.values()
        texts, cells = _texts(plan)
        (folder / "texts.json").write_text(
            json.dumps({"texts": texts, "cells": cells, "passages": work.passages, "questions": work.questions})
        )
        read = np.minimum(MiniLM().count_tokens([*work.passages, *work.questions]), WINDOW)
        return plan.counts() | {"lengths": read.tolist(), "characters": sum(map(len, texts))}

    said: dict[str, Any] = carry_out(folder, overrides, plan_only)
    return said


def engine(folder: Path, *overrides: str) -> dict[str, Any]:
    """All of a sweep but MLflow."""
    return {"cells": carry_out(folder, overrides, lambda execution: len(list(execution.run(execution.plan()))))}


def encode(folder: Path, precision: str = "fp32") -> dict[str, Any]:
    """The model alone, on the distinct texts."""
    prepared, model = _prepared(folder), MiniLM(precision=precision)
    return {"vectors": len(model.embed([*prepared["passages"], *prepared["questions"]], "passage"))}


def naive(folder: Path) -> dict[str, Any]:
    """sentence-transformers, loaded once, embeds the texts of every cell anew and ranks them."""
    prepared, model = _prepared(folder), _library()
    for cell in prepared["cells"]:
        passages = model.encode([prepared["texts"][row] for row in cell], batch_size=32, normalize_embeddings=True)
        asked = model.encode(prepared["questions"], batch_size=32, normalize_embeddings=True)
        np.argsort(-(asked @ passages.T), axis=1)[:, :BEST]
    return {"cells": len(prepared["cells"])}


def langchain(folder: Path) -> dict[str, Any]:
    """The same through LangChain's CacheBackedEmbeddings over files, its cache of queries on as well."""
    from langchain_classic.embeddings import CacheBackedEmbeddings  # noqa: PLC0415
    from langchain_classic.storage import LocalFileStore  # noqa: PLC0415
    from langchain_core.embeddings import Embeddings  # noqa: PLC0415

    prepared, model = _prepared(folder), _library()

    class Model(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = model.encode(texts, batch_size=32, normalize_embeddings=True).tolist()
            return vectors

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    with tempfile.TemporaryDirectory() as files:
        cached = CacheBackedEmbeddings.from_bytes_store(
            Model(), LocalFileStore(files), namespace="minilm", query_embedding_cache=True, key_encoder="sha256"
        )
        for cell in prepared["cells"]:
            passages = np.array(cached.embed_documents([prepared["texts"][row] for row in cell]))
            asked = np.array([cached.embed_query(question) for question in prepared["questions"]])
            np.argsort(-(asked @ passages.T), axis=1)[:, :BEST]
    return {"cells": len(prepared["cells"])}


def context_grid(folder: Path) -> dict[str, Any]:
    """As many chunkings by context-grid with its TF-IDF, which tracks nothing."""
    from contextgrid.cli import main  # noqa: PLC0415

    chunkers = [f"{name}:{size}" for name in ("fixed", "recursive") for size in range(20, 260)]
    grid = {
        "chunker": chunkers,
        **{"ingestion": ["plain"], "parser": ["markdown"], "embedder": ["tfidf"], "index": ["dense"]},
        **{"transform": [None], "retrieval": ["simple"], "reranker": [None], "candidates": [50], "generator": [None]},
    }
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), contextlib.redirect_stdout(sys.stderr):
        asked = Path(place, "questions.csv")
        with asked.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "question", "source_id", "quote"])
            for number, line in enumerate((folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()):
                entry = json.loads(line)
                holding = next(path for path in (folder / "docs").iterdir() if entry["fact"] in path.read_text())
                rows.writerow([number, entry["question"], holding.name, entry["fact"]])
        run = {"mode": "factorial", "k": 10, "headline": "recall@5", "cache": "memory"}
        experiment = {"name": "peer", "corpus": str(folder / "docs"), "evalset": str(asked), "grid": grid, "run": run}
        configuration = Path(place, "experiment.json")  # YAML too
        configuration.write_text(json.dumps(experiment), encoding="utf-8")
        if main(["run", "--quiet", str(configuration)]):
            raise SystemExit("context-grid failed")
    return {"cells": len(chunkers)}


def deviation(folder: Path) -> dict[str, Any]:
    """How far bf16 is from fp32 on the distinct texts, and for how many questions of all cells the best one changes."""
    prepared = _prepared(folder)
    exact, rough = (
        [MiniLM(precision=precision).embed(prepared[kind], "passage") for kind in ("passages", "questions")]
        for precision in ("fp32", "bf16")
    )
    cosines = [float(1 - (one * other).sum(axis=1).min()) for one, other in zip(exact, rough, strict=True)]
    of_text = {text: row for row, text in enumerate(prepared["passages"])}
    changed = asked = 0
    for cell in prepared["cells"]:
        rows = [of_text[text] for row in cell if (text := prepared["texts"][row]) in of_text]
        scores, others = (questions @ passages[rows].T for passages, questions in (exact, rough))
        best, now = scores.argmax(axis=1), others.argmax(axis=1)
        every = np.arange(len(best))
        changed += int((scores[every, best] - scores[every, now] > NEAR_ENOUGH).sum())
        asked += len(best)
    return {"largest": max(cosines), "changed": changed, "asked": asked}


def _texts(plan: Plan) -> tuple[list[str], list[list[int]]]:
    """Every text that is embedded, and for each cell the rows of its own."""
    rows: dict[str, int] = {}
    cells = []
    for cell in plan.grid.cells:
        split, corpus = plan.split_of(cell), plan.inputs[cell.corpus].corpus
        if isinstance(split, Split):
            texts = stages.embedded_texts(cell, corpus, split.chunks, texts_of(plan, cell).prefixes)
            cells.append([rows.setdefault(text, len(rows)) for text in texts])
    return list(rows), cells


def _prepared(folder: Path) -> dict[str, Any]:
    prepared: dict[str, Any] = json.loads((folder / "texts.json").read_text())
    return prepared


def _library() -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    return SentenceTransformer(str(model_folder()), device="cpu", local_files_only=True)


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])))
