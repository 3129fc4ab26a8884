"""Carries out a grid: split, plan, embed every distinct text once, rank and measure over worker processes."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed

from chunksweep import stages
from chunksweep.embedders.rates import remember
from chunksweep.errors import EmbeddingError, EndpointError, ScratchError
from chunksweep.records import Vectors
from chunksweep.retrieval.reranking import CrossEncoder
from chunksweep.settings import Choice, CorpusSettings, Settings
from chunksweep.sweep.estimate import name_of
from chunksweep.sweep.plan import Compared, Grid, Plan, by_key, compare, counted_by, embedded_rows, make_plan, texts_of
from chunksweep.sweep.worker import (
    Failure,
    Outcome,
    PartsTask,
    PartVectors,
    RankingTask,
    Split,
    SplitTask,
    TaskVectors,
    index_of,
    run_parts,
    run_ranking,
    run_split,
)


class Progress(Protocol):
    """Shows how far a long step is."""

    def step(self, name: str, total: int) -> None:
        """A step with `total` parts begins; the one before is done."""
        ...

    def advance(self, parts: int = 1) -> None:
        """So many parts more are done."""
        ...


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files by which parent and workers share inputs and vectors; gone with the sweep."""

    folder: Path

    def write_inputs(self, index: int, inputs: stages.Inputs) -> Path:
        """Documents and questions of one corpus."""
        path = self.folder / f"inputs-{index}.pickle"
        with _writing(self.folder):
            path.write_bytes(pickle.dumps(inputs, protocol=pickle.HIGHEST_PROTOCOL))
        return path

    def write_vectors(self, name: str, vectors: Vectors) -> Path:
        """An array that workers map into memory."""
        path = self.folder / f"{name}.npy"
        with _writing(self.folder):
            np.save(path, vectors)
        return path


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Raises ScratchError where a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        raise ScratchError(
            f"temporary files cannot be written to {folder}: {error.strerror or error}. "
            "Make room there, or name another folder with TMPDIR=FOLDER."
        ) from error


@dataclass(frozen=True, slots=True)
class Embedded:
    """The files of an embedder's vectors: all passages of the grid, and the questions of each corpus."""

    passages: Path
    questions: Mapping[CorpusSettings, Path]


class Execution:
    """One sweep on its way: `read()`, then `plan()`, then `run()`.

    n_jobs  worker processes; -1: one a core; 1: none, all in this process

    unknown      cells that were left out of a plan for which nothing may be embedded
    embedding_s  embedder -> wall seconds of embedding what the cache lacked, loading the model and reading the cache
                 included; filled before the first outcome of a cell comes
    """

    def __init__(self, grid: Grid, n_jobs: int, progress: Progress, folder: Path) -> None:
        self.grid = grid
        self.n_jobs = n_jobs
        self.progress = progress
        self.workspace = Workspace(folder)
        self.inputs: dict[CorpusSettings, stages.Inputs] = {}
        self.inputs_files: dict[CorpusSettings, Path] = {}
        self.embedding_s: dict[Choice, float] = {}
        self.unknown = 0

    def read(self) -> None:
        """Reads documents, questions and tokenizers, and opens the cache: all that can be wrong with the input.

        Raises ChunksweepError for what cannot be used.
        """
        for cell in self.grid.cells:
            for tokenizer in filter(None, (cell.tokenizer, cell.size_tokenizer)):
                stages.tokenizer_of(tokenizer, cell.embedder)
        corpora = dict.fromkeys(cell.corpus for cell in self.grid.cells)
        self.inputs = {corpus: stages.read_inputs(corpus) for corpus in corpora}
        for index, (corpus, inputs) in enumerate(self.inputs.items()):
            self.inputs_files[corpus] = self.workspace.write_inputs(index, inputs)

    def leave_out(self, done: Collection[Settings]) -> None:
        """Takes cells out of the grid that need not run; their inputs stay."""
        self.grid = replace(self.grid, cells=tuple(cell for cell in self.grid.cells if cell not in done))

    def plan(self, *, embed: bool = True) -> Plan:
        """Splits the corpora in every way that is asked for, and finds what has to be embedded.

        embed  whether to embed what strategies cut by; otherwise cells that need what the cache lacks are left out and
               counted in `unknown`

        A strategy that fails is kept as a Failure.
        """
        compared = self._compare()
        if not embed:
            unknown = [cell for cell in self.grid.cells if _lacks_vectors(cell, compared)]
            self.unknown = len(unknown)
            self.leave_out(unknown)
        files = self._embed_parts(compared)
        groups = by_key(self.grid.cells, stages.chunking_key)
        splits: dict[Hashable, Split | Failure] = {}
        tasks: dict[Hashable, SplitTask] = {}
        for key, cells in groups.items():
            parts = compared.parts.get(stages.reading_key(cells[0]))
            if isinstance(parts, Failure):
                splits[key] = parts
            else:
                tasks[key] = self._split_task(cells, compared, files)
        self.progress.step("splitting", len(tasks))
        for key, outcome in zip(tasks, self._parallel(run_split, list(tasks.values()), ordered=True), strict=True):
            splits[key] = outcome
            self.progress.advance()
        return make_plan(self.grid, self.inputs, splits, stages.cached_embedder, compared)

    def _compare(self) -> Compared:
        """Finds what strategies cut by, and what of it the cache lacks."""
        cells = [cell for cell in self.grid.cells if stages.cuts_by_vectors(cell)]
        groups = by_key(cells, stages.reading_key)
        tasks = [PartsTask(self.inputs_files[sharing[0].corpus], sharing[0]) for sharing in groups.values()]
        parts = dict(zip(groups, self._parallel(run_parts, tasks, ordered=True), strict=True))
        return compare(cells, parts, stages.cached_embedder)

    def _embed_parts(self, compared: Compared) -> dict[Choice, Path]:
        """Embeds what the strategies of the grid cut by; gives the file of each embedder's vectors."""
        files = {}
        needed = {cell.embedder for cell in self.grid.cells if compared.rows_of(cell)}
        for index, choice in enumerate(needed & compared.embeddings.keys()):
            work = compared.embeddings[choice]
            self.progress.step("embedding", len(work.passages))
            began = time.perf_counter()
            vectors = work.embedder.embed(work.passages, "passage", self.progress.advance)
            remember(work.embedder.folder, name_of(choice), work.missing_tokens, time.perf_counter() - began)
            files[choice] = self.workspace.write_vectors(f"parts-{index}", vectors)
        return files

    def _split_task(self, cells: Sequence[Settings], compared: Compared, files: Mapping[Choice, Path]) -> SplitTask:
        cell = cells[0]
        rows = compared.rows_of(cell)
        parts = None
        if rows:
            passage_of = compared.embeddings[cell.embedder].passage_of
            parts = PartVectors(files[cell.embedder], tuple(passage_of[of_document] for of_document in rows))
        expansions = tuple(dict.fromkeys(map(stages.expansion_of, cells)))
        return SplitTask(self.inputs_files[cell.corpus], cell, counted_by(cells), expansions, parts)

    def run(self, plan: Plan) -> Iterator[tuple[Settings, Outcome]]:
        """Embeds, then yields the outcome of every cell as it is done."""
        for cell in self.grid.cells:
            split = plan.split_of(cell)
            if isinstance(split, Failure):
                yield cell, split
        embedded = self._embed_all(plan)
        for cell in self.grid.cells:
            failure = _vectors_of(cell, embedded)
            if isinstance(failure, Failure) and not isinstance(plan.split_of(cell), Failure):
                yield cell, failure
        tasks = self._tasks(plan, embedded)
        self.progress.step("measuring", sum(len(task.cells) for task in tasks))
        for outcomes in self._parallel(run_ranking, tasks, ordered=False):
            yield from outcomes
            self.progress.advance(len(outcomes))

    def tasks(self, plan: Plan) -> list[RankingTask]:
        """Embeds; one task for all cells that share a ranking, none for those whose chunking failed.

        Raises EmbeddingError where something could not be embedded.
        """
        embedded = self._embed_all(plan)
        for failure in embedded.values():
            if isinstance(failure, Failure):
                raise EmbeddingError(failure.reason)
        return self._tasks(plan, embedded)

    def _tasks(self, plan: Plan, embedded: Mapping[Choice, Embedded | Failure]) -> list[RankingTask]:
        groups = by_key(self.grid.cells, stages.ranking_key).values()
        tasks = [
            self._ranking_task(plan, vectors, cells, split)
            for cells in groups
            if isinstance(split := plan.split_of(cells[0]), Split)
            and not isinstance(vectors := _vectors_of(cells[0], embedded), Failure)
        ]
        return self._reranked(tasks)

    def _reranked(self, tasks: Sequence[RankingTask]) -> list[RankingTask]:
        """The tasks with the scores of their rerankers: torch is in no worker, and takes all cores here."""
        asked = [task for task in tasks if stages.retriever_of(task.cells[0]).rerank]
        if not asked:
            return list(tasks)
        self.progress.step("reranking", len(asked))
        models: dict[tuple[str, str], CrossEncoder] = {}
        done = []
        for task in tasks:
            cell = task.cells[0]
            retriever = stages.retriever_of(cell)
            if not retriever.rerank:
                done.append(task)
                continue
            key = retriever.rerank, cell.embedder.option("device") or "cpu"
            model = models.setdefault(key, CrossEncoder(Path(key[0]), key[1]))
            index = index_of(task)
            hits = retriever.rank(index, retriever.rerank_candidates or 0).chunks
            pairs = [
                (question, index.texts[chunk])
                for question, chunks in zip(index.questions, hits.tolist(), strict=True)
                for chunk in chunks
            ]
            done.append(replace(task, reranked=model.scores(pairs).reshape(hits.shape)))
            self.progress.advance()
        return done

    def _embed_all(self, plan: Plan) -> dict[Choice, Embedded | Failure]:
        """What each embedder has to embed, or why it could not: the cells of the others need not wait for that.

        Raises EmbeddingError where no model could be used at all; a server that fails is a result of its cells.
        """
        embedded: dict[Choice, Embedded | Failure] = {}
        errors: list[EmbeddingError] = []
        for index, choice in enumerate(plan.embeddings):
            try:
                embedded[choice] = self._embed(index, plan, choice)
            except EmbeddingError as error:
                errors.append(error)
                embedded[choice] = Failure(str(error))
        if errors and len(errors) == len(embedded) and not any(isinstance(error, EndpointError) for error in errors):
            raise errors[0]
        return embedded

    def _embed(self, index: int, plan: Plan, choice: Choice) -> Embedded:
        """Embeds all that one embedder has to and writes the vectors where the workers find them."""
        work = plan.embeddings[choice]
        self.progress.step("embedding", len(work.passages) + len(work.questions))
        began = time.perf_counter()
        passages = work.embedder.embed(work.passages, "passage", self.progress.advance)
        asked = work.embedder.embed(work.questions, "question", self.progress.advance)
        self.embedding_s[choice] = time.perf_counter() - began
        remember(work.embedder.folder, name_of(choice), work.missing_tokens, self.embedding_s[choice])
        row = {text: row for row, text in enumerate(work.questions)}
        corpora = [corpus for corpus, of in plan.runs if of == choice]
        return Embedded(
            self.workspace.write_vectors(f"passages-{index}", passages),
            {
                corpus: self.workspace.write_vectors(
                    f"questions-{index}-{number}",
                    asked[[row[question.text] for question in plan.inputs[corpus].questions]],
                )
                for number, corpus in enumerate(corpora)
            },
        )

    def _ranking_task(
        self, plan: Plan, embedded: Embedded | None, cells: Sequence[Settings], split: Split
    ) -> RankingTask:
        cell = cells[0]
        return RankingTask(
            inputs=self.inputs_files[cell.corpus],
            cells=tuple(cells),
            split=split,
            prefixes=texts_of(plan, cell).prefixes,
            part_tokens=plan.compared.tokens_of(cell),
            vectors=_task_vectors(plan, embedded, cell) if embedded else None,
        )

    def _parallel(self, function: Any, tasks: Sequence[Any], *, ordered: bool) -> Iterator[Any]:
        if not tasks:
            return iter(())
        jobs = 1 if len(tasks) == 1 else self.n_jobs
        returns = "generator" if ordered else "generator_unordered"
        results: Iterator[Any] = Parallel(n_jobs=jobs, return_as=returns)(delayed(function)(task) for task in tasks)
        return results


def _vectors_of(cell: Settings, embedded: Mapping[Choice, Embedded | Failure]) -> Embedded | Failure | None:
    """What the cell ranks by, or why it is not there; None where it does not rank by vectors."""
    return embedded[cell.embedder] if stages.by_vectors(cell) else None


def _lacks_vectors(cell: Settings, compared: Compared) -> bool:
    """Whether a cell cuts by vectors that the cache does not hold yet."""
    return bool(compared.rows_of(cell)) and compared.embeddings[cell.embedder].missing > 0


def _task_vectors(plan: Plan, embedded: Embedded, cell: Settings) -> TaskVectors:
    work = plan.embeddings[cell.embedder]
    rows = embedded_rows(plan, cell)
    return TaskVectors(
        passages=embedded.passages,
        questions=embedded.questions[cell.corpus],
        text_of_chunk=work.passage_of[rows],
        text_of_run=tuple(
            tuple(work.passage_of[list(of_question)].tolist()) for of_question in plan.runs[cell.corpus, cell.embedder]
        ),
        model_tokens=work.tokens[rows],
        window=work.embedder.window,
    )


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for a Workspace."""
    return tempfile.TemporaryDirectory(prefix="chunksweep-")
