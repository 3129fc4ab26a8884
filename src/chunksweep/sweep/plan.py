"""What is distinct over all cells of a grid, and what it will cost, before anything is embedded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chunksweep import rules, stages
from chunksweep.embedders.base import Role
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.errors import CorpusError
from chunksweep.measures import RunRows, run_texts
from chunksweep.records import IntArray, Prefix
from chunksweep.settings import Choice, CorpusSettings, Settings
from chunksweep.sweep.worker import Counted, Failure, Parts, Split


@dataclass(frozen=True, slots=True)
class Grid:
    """The distinct cells of a sweep in the order asked, and what was left out.

    asked       cells before duplicates and impossible ones were dropped
    duplicates  cells equal to an earlier one in all that their strategy does not ignore
    impossible  reason -> how many cells cannot exist for it
    """

    cells: tuple[Settings, ...]
    asked: int
    duplicates: int = 0
    impossible: Mapping[str, int] = field(default_factory=dict)


def grid_of(configurations: Iterable[Any], read: Callable[[Any], Settings] = rules.from_config) -> Grid:
    """The grid of composed configurations.

    Raises ConfigError for a cell that is wrong, and where no cell can exist.
    """
    cells: dict[Settings, None] = {}
    impossible: Counter[str] = Counter()
    asked = 0
    for configuration in configurations:
        asked += 1
        try:
            cells.setdefault(read(configuration))
        except rules.ImpossibleCellError as error:
            impossible[str(error)] += 1
    if not cells:
        raise rules.ImpossibleCellError(next(iter(impossible), "The sweep has no cell."))
    return Grid(tuple(cells), asked, asked - len(cells) - impossible.total(), dict(impossible))


@dataclass(frozen=True, slots=True)
class Texts:
    """The embedded texts of one chunking under one prefix.

    rows  int64 (chunks,), position of each chunk's text among the distinct texts of its embedder; None where no cell
          ranks them by vectors
    """

    prefixes: tuple[Prefix | None, ...]
    rows: IntArray | None


@dataclass(frozen=True, slots=True)
class Embedding:
    """All that one embedder has to embed. Of passages that the model reads alike one is embedded for all.

    passages        one passage of each reading, questions each once
    passage_of      int64 (texts,), row in `passages` of what stands for each distinct text of the grid: the texts of
                    chunks, then those runs of sentences around a fact that are no chunk
    tokens          int64 (texts,), tokens of the model before truncation
    missing         how many passages and questions the cache lacks
    missing_tokens  what the model reads of these
    """

    embedder: CachedEmbedder
    passages: list[str]
    questions: list[str]
    passage_of: IntArray
    tokens: IntArray
    missing: int
    missing_tokens: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What strategies that cut by vectors read, which has to be embedded before the documents are cut.

    parts       reading key -> the parts, or why they could not be found
    embeddings  embedder -> all that it has to embed for this
    rows        (reading key, embedder) -> of each document, int64 (parts,), rows among that embedder's distinct texts
    texts       how many parts a loop over the cells would embed
    """

    parts: Mapping[Hashable, Parts | Failure] = field(default_factory=dict)
    embeddings: Mapping[Choice, Embedding] = field(default_factory=dict)
    rows: Mapping[tuple[Hashable, Choice], tuple[IntArray, ...]] = field(default_factory=dict)
    texts: int = 0

    def rows_of(self, cell: Settings) -> tuple[IntArray, ...]:
        """Of each document the rows of its parts; () where the cell's strategy compares nothing."""
        return self.rows.get((stages.reading_key(cell), cell.embedder), ())

    def tokens_of(self, cell: Settings) -> IntArray:
        """int64 (parts,), how many tokens of each part of the corpus the model reads."""
        rows = self.rows_of(cell)
        if not rows:
            return np.zeros(0, dtype=np.int64)
        work = self.embeddings[cell.embedder]
        tokens = work.tokens[np.concatenate(rows)]
        return tokens if work.embedder.window is None else np.minimum(tokens, work.embedder.window)

    def characters_of(self, cell: Settings) -> IntArray:
        """int64 (parts,), the length of each part of the corpus."""
        parts = self.parts.get(stages.reading_key(cell))
        texts = parts.texts if isinstance(parts, Parts) else ()
        return np.array([len(text) for of_document in texts for text in of_document], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Plan:
    """The stages of a grid, each once. A chunking that failed holds its Failure.

    runs      row of the run of sentences around each fact of each question, among the distinct texts of the embedder
    compared  what was embedded before anything could be cut
    """

    grid: Grid
    inputs: Mapping[CorpusSettings, stages.Inputs]
    splits: Mapping[Hashable, Split | Failure]
    texts: Mapping[Hashable, Texts]
    runs: Mapping[tuple[CorpusSettings, Choice], RunRows]
    embeddings: Mapping[Choice, Embedding]
    compared: Compared = field(default_factory=Compared)

    def split_of(self, cell: Settings) -> Split | Failure:
        """The chunks of a cell."""
        return self.splits[stages.chunking_key(cell)]

    def require_chunks(self) -> None:
        """Raises CorpusError where nothing is left to run: each chunking failed for a reason that the user can mend."""
        failures = [split for split in self.splits.values() if isinstance(split, Failure)]
        if failures and len(failures) == len(self.splits) and not any(failure.trace for failure in failures):
            raise CorpusError(failures[0].reason)

    def counts(self) -> dict[str, int]:
        """The price of the sweep, questions included.

        Texts as a loop over the cells would embed them, the distinct ones as the model reads them, those that the
        cache holds, and those left to embed with their tokens.
        """
        texts = 0
        for cell in filter(stages.by_vectors, self.grid.cells):
            split = self.split_of(cell)
            texts += 0 if isinstance(split, Failure) else len(split.chunks)
            texts += len(self.inputs[cell.corpus].questions)
        texts += self.compared.texts
        distinct = sum(len(work.passages) + len(work.questions) for work in self.embeddings.values())
        distinct += sum(self._only_compared(choice) for choice in self.compared.embeddings)
        works = [*self.embeddings.values(), *self.compared.embeddings.values()]
        embedded = sum(work.missing for work in works)
        return {
            "cells": self.grid.asked,
            "distinct_cells": len(self.grid.cells),
            "texts": texts,
            "distinct_texts": distinct,
            "cached_texts": distinct - embedded,
            "embedded_texts": embedded,
            "embedded_tokens": sum(work.missing_tokens for work in works),
        }

    def _only_compared(self, choice: Choice) -> int:
        """How many texts an embedder has to embed to cut by them, and for nothing else."""
        work = self.embeddings.get(choice)
        return len(set(self.compared.embeddings[choice].passages).difference(work.passages if work else ()))


def by_key(cells: Sequence[Settings], key: Callable[[Settings], Hashable]) -> dict[Hashable, list[Settings]]:
    """The cells grouped by a stage's key, in order."""
    groups: dict[Hashable, list[Settings]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def counted_by(cells: Sequence[Settings]) -> tuple[Counted, ...]:
    """The tokenizers that the cells count chunks with."""
    return tuple(dict.fromkeys((cell.tokenizer, cell.embedder) for cell in cells))


def compare(
    cells: Sequence[Settings],
    parts: Mapping[Hashable, Parts | Failure],
    embedder_for: Callable[[Settings], CachedEmbedder],
) -> Compared:
    """Finds the distinct parts that cells compare and asks the cache which of them it holds.

    parts  by the reading keys of the cells
    """
    embeddings: dict[Choice, Embedding] = {}
    planned: set[tuple[str, Role, str]] = set()
    rows: dict[tuple[Hashable, Choice], tuple[IntArray, ...]] = {}
    for sharing in by_key(cells, lambda cell: cell.embedder).values():
        choice = sharing[0].embedder
        texts: dict[str, int] = {}
        for key in by_key(sharing, stages.reading_key):
            found = parts[key]
            if isinstance(found, Parts):
                rows[key, choice] = tuple(_rows(of_document, texts) for of_document in found.texts)
        embeddings[choice] = _embedding(embedder_for(sharing[0]), list(texts), [], planned)
    of_cells = [rows.get((stages.reading_key(cell), cell.embedder), ()) for cell in cells]
    return Compared(parts, embeddings, rows, sum(len(part) for of_documents in of_cells for part in of_documents))


def make_plan(
    grid: Grid,
    inputs: Mapping[CorpusSettings, stages.Inputs],
    splits: Mapping[Hashable, Split | Failure],
    embedder_for: Callable[[Settings], CachedEmbedder],
    compared: Compared,
) -> Plan:
    """Finds the distinct texts of the grid and asks the cache which of them it holds.

    compared  what was embedded to cut by it
    """
    texts: dict[Hashable, Texts] = {}
    runs: dict[tuple[CorpusSettings, Choice], RunRows] = {}
    embeddings: dict[Choice, Embedding] = {}
    planned: set[tuple[str, Role, str]] = {
        (work.embedder.fingerprint, "passage", text) for work in compared.embeddings.values() for text in work.passages
    }
    around = {corpus: run_texts(read.corpus, read.questions) for corpus, read in inputs.items()}
    for cells in by_key(grid.cells, lambda cell: cell.embedder).values():
        choice = cells[0].embedder
        passages: dict[str, int] = {}
        for key, sharing in by_key(cells, stages.texts_key).items():
            split = splits[stages.chunking_key(sharing[0])]
            if isinstance(split, Split):
                embedded = passages if any(map(stages.by_vectors, sharing)) else None
                texts[key, choice] = _texts(sharing[0], inputs[sharing[0].corpus], split, embedded)
        ranked = [cell for cell in cells if stages.by_vectors(cell)]
        if not ranked:
            continue
        for corpus in dict.fromkeys(cell.corpus for cell in ranked):
            runs[corpus, choice] = tuple(
                tuple(passages.setdefault(text, len(passages)) for text in of_question)
                for of_question in around[corpus]
            )
        asked = dict.fromkeys(question.text for cell in ranked for question in inputs[cell.corpus].questions)
        embeddings[choice] = _embedding(embedder_for(cells[0]), list(passages), list(asked), planned)
    return Plan(grid, inputs, splits, texts, runs, embeddings, compared)


def texts_of(plan: Plan, cell: Settings) -> Texts:
    """The embedded texts of a cell whose chunking did not fail."""
    return plan.texts[stages.texts_key(cell), cell.embedder]


def embedded_rows(plan: Plan, cell: Settings) -> IntArray:
    """The rows of the cell's texts among the distinct texts of its embedder, int64 (chunks,).

    Raises ValueError where none of them is embedded.
    """
    rows = texts_of(plan, cell).rows
    if rows is None:
        raise ValueError(f"the texts of retriever={cell.retriever.name} are not embedded")
    return rows


def _texts(cell: Settings, inputs: stages.Inputs, split: Split, passages: dict[str, int] | None) -> Texts:
    before = stages.prefixes(cell, inputs.corpus, split.chunks)
    if passages is None:
        return Texts(before, None)
    return Texts(before, _rows(stages.texts_to_embed(cell, inputs.corpus, split.chunks, before), passages))


def _rows(texts: Sequence[str], distinct: dict[str, int]) -> IntArray:
    """The row of each text among the distinct ones, to which new ones are added."""
    return np.array([distinct.setdefault(text, len(distinct)) for text in texts], dtype=np.int64)


def _embedding(
    embedder: CachedEmbedder, texts: list[str], questions: list[str], planned: set[tuple[str, Role, str]]
) -> Embedding:
    """What one embedder has to embed.

    planned  fingerprint, role and text of what is embedded before, to cut by it or in another dimension of the same
             vectors, and will be found in the cache; its own are added
    """

    def missing(of_role: Sequence[str], role: Role) -> list[str]:
        return [text for text in embedder.missing(of_role, role) if (fingerprint, role, text) not in planned]

    fingerprint = embedder.fingerprint
    reading = embedder.read(texts)
    absent = set(missing(texts, "passage"))
    passage_of, standing = _standing_for(texts, reading.digests, absent)
    to_embed = [row for row in standing if texts[row] in absent]
    asked = missing(questions, "question")
    planned.update((fingerprint, "passage", texts[row]) for row in to_embed)
    planned.update((fingerprint, "question", text) for text in asked)
    tokens = np.concatenate([reading.tokens[to_embed], embedder.count_tokens(asked, "question")])
    read = tokens if embedder.window is None else np.minimum(tokens, embedder.window)
    return Embedding(
        embedder,
        passages=[texts[row] for row in standing],
        questions=questions,
        passage_of=passage_of,
        tokens=reading.tokens,
        missing=len(to_embed) + len(asked),
        missing_tokens=int(read.sum()),
    )


def _standing_for(
    texts: Sequence[str], digests: Sequence[Hashable], absent: Container[str]
) -> tuple[IntArray, list[int]]:
    """What is embedded for texts that the model reads alike: the first that is not absent from the cache, or the first.

    Gives, for each text, the position of its reading among the distinct ones, and for each of these the row of the
    text that stands for it.
    """
    readings: dict[Hashable, int] = {}
    standing: list[int] = []
    positions = np.empty(len(texts), dtype=np.int64)
    for row, digest in enumerate(digests):
        position = positions[row] = readings.setdefault(digest, len(readings))
        if position == len(standing):
            standing.append(row)
        elif texts[standing[position]] in absent and texts[row] not in absent:
            standing[position] = row
    return positions, standing
