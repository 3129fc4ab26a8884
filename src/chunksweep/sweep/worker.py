"""What runs in a worker process: splitting, and ranking with measuring.

Tasks and results are plain data. Nothing here imports Hydra, MLflow or torch. Inputs and vectors are read from files
that the parent wrote, once a process, instead of travelling with every task.
"""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from chunksweep import stages
from chunksweep.errors import ChunksweepError
from chunksweep.measures import CellInput, CellVectors, RunRows, depth_for, evaluate, passages_wanted
from chunksweep.records import CellResult, Chunks, FloatArray, IntArray, Prefix, Ranking, Vectors
from chunksweep.retrieval import Expanded, Expansion, Index, IndexVectors, NearDuplicates, expand, first_of_each
from chunksweep.retrieval.reranking import reordered
from chunksweep.settings import Choice, Settings, TokenizerSettings

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Counted = tuple[TokenizerSettings, Choice]
# How much deeper a ranking is made that leaves too few passages.
DEEPER = 4


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a stage failed: one line for people, and the traceback unless the line says all."""

    reason: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class PartsTask:
    """Find what a strategy that cuts by vectors reads of a corpus."""

    inputs: Path
    settings: Settings


@dataclass(frozen=True, slots=True)
class Parts:
    """The texts that a strategy compares, of each document in order."""

    texts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PartVectors:
    """Where the vectors of such parts are.

    file  .npy, float32 (texts, dimension)
    rows  of each document, int64 (parts,)
    """

    file: Path
    rows: tuple[IntArray, ...]


@dataclass(frozen=True, slots=True)
class SplitTask:
    """Split a corpus, find what is handed on for its chunks, and count the tokens of both.

    counted     tokenizers to count with
    expansions  ways to hand on a chunk
    parts       what the strategy cuts by, where it cuts by vectors
    """

    inputs: Path
    settings: Settings
    counted: tuple[Counted, ...]
    expansions: tuple[Expansion, ...] = ()
    parts: PartVectors | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """The chunks of a corpus, and what is handed on for them in each way that was asked for.

    tokens          of each chunk's text, for each tokenizer asked for
    passage_tokens  of each passage's text without prefix, for each way and tokenizer
    """

    chunks: Chunks
    tokens: dict[Counted, IntArray]
    seconds: float
    expanded: dict[Expansion, Expanded] = field(default_factory=dict)
    passage_tokens: dict[tuple[Expansion, Counted], IntArray] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskVectors:
    """The vectors of a task, and what the model made of its chunks.

    passages       .npy file, float32 (texts, dimension): passages of the whole grid
    questions      .npy file, float32 (questions, dimension)
    text_of_chunk  int64 (chunks,), row of each chunk's text in `passages`
    text_of_run    row in `passages` of the run of sentences around each fact of each question
    model_tokens   int64 (chunks,), tokens of the model before truncation
    window         most tokens that the model reads; None: no limit
    """

    passages: Path
    questions: Path
    text_of_chunk: IntArray
    text_of_run: RunRows
    model_tokens: IntArray
    window: int | None


@dataclass(frozen=True, slots=True)
class RankingTask:
    """Rank the chunks for every question, then measure for each cell that shares the ranking.

    part_tokens  int64 (parts,), tokens of the model before truncation of what was embedded to cut by; empty where
                 nothing was
    vectors      None where the chunks are not ranked by vectors
    reranked     float64 (questions, candidates), the reranker's scores of the best hits before it; None: there is none
    """

    inputs: Path
    cells: tuple[Settings, ...]
    split: Split
    prefixes: tuple[Prefix | None, ...]
    part_tokens: IntArray
    vectors: TaskVectors | None
    reranked: FloatArray | None = None


Outcome = CellResult | Failure


def run_parts(task: PartsTask) -> Parts | Failure:
    """Carries out a PartsTask."""
    return _guarded(_parts, task)


def run_split(task: SplitTask) -> Split | Failure:
    """Carries out a SplitTask."""
    return _guarded(_split, task)


def run_ranking(task: RankingTask) -> list[tuple[Settings, Outcome]]:
    """Carries out a RankingTask: one outcome a cell."""
    tokens = _tokens_of_cells(task)
    began = time.perf_counter()
    ranking = _guarded(
        rank_for, task, {cell: counted for cell, counted in tokens.items() if not isinstance(counted, Failure)}
    )
    seconds = time.perf_counter() - began
    if isinstance(ranking, Failure):
        return [(cell, ranking) for cell in task.cells]
    return [
        (cell, counted if isinstance(counted, Failure) else _guarded(_timed, task, cell, ranking, counted, seconds))
        for cell, counted in tokens.items()
    ]


def _tokens_of_cells(task: RankingTask) -> dict[Settings, IntArray | Failure]:
    """What passage_tokens gives for each cell, counted once for those that send alike."""
    alike = {_sent_alike(cell): cell for cell in task.cells}
    counted = {key: _guarded(passage_tokens, task, cell) for key, cell in alike.items()}
    return {cell: counted[_sent_alike(cell)] for cell in task.cells}


def _sent_alike(cell: Settings) -> Hashable:
    return cell.tokenizer, cell.prefix.send, stages.expansion_of(cell)


def rank_for(task: RankingTask, tokens: Mapping[Settings, IntArray], beyond: int = 0) -> Ranking:
    """A ranking that is deep enough for every cell, and `beyond` deeper.

    tokens  of cells of the task, as passage_tokens gives them

    Only when near duplicates are left out does it show how deep that is: then it is made deeper until it is enough.
    """
    depth = beyond + max((_depth(task, cell, counted) for cell, counted in tokens.items()), default=0)
    while True:
        ranking = _rank(task, depth)
        if depth >= len(task.split.chunks) or all(
            _suffices(task, cell, ranking, counted) for cell, counted in tokens.items()
        ):
            return ranking
        depth *= DEEPER


def _depth(task: RankingTask, cell: Settings, tokens: IntArray) -> int:
    """How deep a ranking a cell needs at least."""
    return depth_for(cell.k, _wanted(cell, tokens), tokens, task.split.expanded[stages.expansion_of(cell)])


def _wanted(cell: Settings, tokens: IntArray) -> int:
    return passages_wanted(cell.send, cell.send_tokens, cell.k, tokens)


def _suffices(task: RankingTask, cell: Settings, ranking: Ranking, tokens: IntArray) -> bool:
    """Whether enough passages are left of a ranking of the depth that the cell needs at least."""
    threshold = cell.retriever.option("dedupe")
    if threshold is None:
        return True
    expanded, wanted = task.split.expanded[stages.expansion_of(cell)], _wanted(cell, tokens)
    near = NearDuplicates(_inputs(task.inputs).corpus, expanded.passages, threshold)
    of_questions = (
        first_of_each(hits, scores, expanded.of_chunk)[0].tolist()
        for hits, scores in zip(ranking.chunks, ranking.scores, strict=True)
    )
    return all(len(near.without(rows, wanted)) == wanted for rows in of_questions)


def _parts(task: PartsTask) -> Parts:
    return Parts(tuple(map(tuple, stages.parts(task.settings, _inputs(task.inputs).corpus))))


def _split(task: SplitTask) -> Split:
    began = time.perf_counter()
    corpus = _inputs(task.inputs).corpus
    vectors = [_vectors(task.parts.file)[rows] for rows in task.parts.rows] if task.parts else None
    chunks = stages.split(task.settings, corpus, vectors)
    seconds = time.perf_counter() - began
    expanded = {expansion: expand(expansion, corpus, chunks) for expansion in task.expansions}
    tokens, passage_tokens = {}, {}
    for counted in task.counted:
        count = stages.tokenizer_of(*counted).count
        tokens[counted] = count(chunks.texts(corpus))
        for expansion, of in expanded.items():
            as_chunks = of.passages is chunks
            passage_tokens[expansion, counted] = tokens[counted] if as_chunks else count(of.passages.texts(corpus))
    return Split(chunks, tokens, seconds, expanded, passage_tokens)


def passage_tokens(task: RankingTask, cell: Settings) -> IntArray:
    """Tokens of each passage as it is sent: int64 (passages,)."""
    expansion = stages.expansion_of(cell)
    if not cell.prefix.send:
        return task.split.passage_tokens[expansion, (cell.tokenizer, cell.embedder)]
    passages = task.split.expanded[expansion].passages
    texts = stages.embedded_texts(cell, _inputs(task.inputs).corpus, passages, _sent_prefixes(task, cell))
    return stages.tokenizer_of(cell.tokenizer, cell.embedder).count(texts)


def _sent_prefixes(task: RankingTask, cell: Settings) -> tuple[Prefix | None, ...]:
    """What is put before each passage where prefixes are sent: of a wider one by the section that it begins in."""
    passages = task.split.expanded[stages.expansion_of(cell)].passages
    if passages is task.split.chunks:
        return task.prefixes
    return stages.prefixes(cell, _inputs(task.inputs).corpus, passages)


def _rank(task: RankingTask, depth: int) -> Ranking:
    """The `depth` best chunks of every question."""
    retriever = stages.retriever_of(task.cells[0])
    found = retriever.rank(index_of(task), max(depth, retriever.rerank_candidates or 0))
    if task.reranked is not None:
        found = reordered(found, task.reranked)
    return Ranking(found.chunks[:, :depth], found.scores[:, :depth])


def index_of(task: RankingTask) -> Index:
    """What the task searches."""
    inputs, vectors = _inputs(task.inputs), task.vectors
    return Index(
        tuple(question.text for question in inputs.questions),
        lambda: stages.embedded_texts(task.cells[0], inputs.corpus, task.split.chunks, task.prefixes),
        IndexVectors(_vectors(vectors.questions), _vectors(vectors.passages), vectors.text_of_chunk)
        if vectors
        else None,
    )


def measure(task: RankingTask, cell: Settings, ranking: Ranking, tokens: IntArray) -> CellResult:
    """What a cell makes of a ranking that is at least as deep as it needs.

    tokens  as passage_tokens gives them
    """
    inputs, vectors = _inputs(task.inputs), task.vectors
    dedupe = cell.retriever.option("dedupe")
    depth = _depth(task, cell, tokens) if dedupe is None else None
    return evaluate(
        CellInput(
            corpus=inputs.corpus,
            questions=inputs.questions,
            chunks=task.split.chunks,
            prefixes=task.prefixes,
            separator=cell.prefix.separator or "",
            send_prefix=bool(cell.prefix.send),
            # A deeper ranking that another cell asked for must not be seen in this one's results.
            ranking=Ranking(ranking.chunks[:, :depth], ranking.scores[:, :depth]),
            expanded=task.split.expanded[stages.expansion_of(cell)],
            passage_prefixes=_sent_prefixes(task, cell) if cell.prefix.send else None,
            send=cell.send,
            send_tokens=cell.send_tokens,
            dedupe=dedupe,
            k=cell.k,
            tokenizer=stages.tokenizer_of(cell.tokenizer, cell.embedder),
            chunk_tokens=task.split.tokens[cell.tokenizer, cell.embedder],
            passage_tokens=tokens,
            model_tokens=vectors.model_tokens if vectors else None,
            part_tokens=task.part_tokens,
            window=vectors.window if vectors else None,
            dimension=_vectors(vectors.passages).shape[1] if vectors else 0,
            embedding_price=cell.prices.embedding,
            input_price=cell.prices.input,
            vectors=CellVectors(
                _vectors(vectors.questions), _vectors(vectors.passages), vectors.text_of_chunk, vectors.text_of_run
            )
            if vectors
            else None,
        )
    )


def _timed(task: RankingTask, cell: Settings, ranking: Ranking, tokens: IntArray, rank_seconds: float) -> CellResult:
    began = time.perf_counter()
    result = measure(task, cell, ranking, tokens)
    seconds = {
        "time/split_s": task.split.seconds,
        "time/rank_s": rank_seconds,
        "time/measure_s": time.perf_counter() - began,
    }
    return replace(result, metrics=result.metrics | seconds)


def _guarded(work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result | Failure:
    """The result of the work, or the Failure that it ended in: one cell must not take the others with it."""
    try:
        return work(*args, **kwargs)
    except ChunksweepError as error:
        return Failure(str(error))
    except Exception as error:  # noqa: BLE001 - any fault of a strategy is that cell's result, reported with its trace
        return Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


@lru_cache(maxsize=8)
def _inputs(path: Path) -> stages.Inputs:
    # Written by the parent of this very sweep into a folder of its own.
    inputs: stages.Inputs = pickle.loads(path.read_bytes())  # noqa: S301
    return inputs


@lru_cache(maxsize=8)
def _vectors(path: Path) -> Vectors:
    vectors: Vectors = np.load(path, mmap_mode="r")
    return vectors
