"""What a verdict is drawn from: the per-question values of cells that answered the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunksweep.records import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One finished cell of a grid.

    name             as the leaderboard calls it
    params           as in RunRecord.params
    values           float64 (questions,), the metric for each question, in the order of the questions file
    sent_tokens      mean per question
    everything_sent  whether it sends all there is, so that nothing was retrieved
    """

    run_id: str
    name: str
    params: Mapping[str, Any]
    values: FloatArray
    sent_tokens: float
    everything_sent: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The cells of a sweep with the same corpus and questions.

    documents      of each question the ids of all documents in which a place of a fact of it lies
    failed         cells that failed, so that nothing is known of them
    ambiguous      questions with a fact that stands in several places, any of which counts
    corpus_tokens  of the whole corpus, None where they are not known
    context_window tokens that the language model reads at once
    earlier        sweeps on the same questions before this one
    """

    corpus: str
    metric: str
    cells: tuple[Cell, ...]
    documents: tuple[frozenset[str], ...]
    failed: int = 0
    ambiguous: int = 0
    corpus_tokens: int | None = None
    context_window: int = 100_000
    earlier: int = 0

    def __post_init__(self) -> None:
        for cell in self.cells:
            if cell.values.shape != (len(self.documents),):
                raise ValueError(f"{cell.name}: {cell.values.shape} values for {len(self.documents)} questions")

    @property
    def scores(self) -> FloatArray:
        """float64 (cells, questions)."""
        return np.stack([cell.values for cell in self.cells])

    def only(self, questions: IntArray) -> Evidence:
        """The same cells on some of the questions, given by their positions."""
        return replace(
            self,
            cells=tuple(replace(cell, values=cell.values[questions]) for cell in self.cells),
            documents=tuple(self.documents[question] for question in questions.tolist()),
        )
