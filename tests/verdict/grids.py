"""Grids of scores, drawn or written out, for the tests of the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.settings import VerdictSettings
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.conclude import Verdict, conclude
from chunksweep.verdict.evidence import Cell, Evidence


@dataclass(frozen=True)
class Row:
    """A cell as a test writes it: scores as "1101", tokens sent, and what is special."""

    scores: str
    tokens: float = 100
    everything: bool = False
    params: Mapping[str, Any] | None = None


def evidence(rows: Mapping[str, Row], documents: Sequence[str] | None = None, **more: Any) -> Evidence:
    """Cells whose run ids are their names; each question has a document of its own unless it is said."""
    cells = tuple(
        Cell(name, name, row.params or {}, np.array([float(at) for at in row.scores]), row.tokens, row.everything)
        for name, row in rows.items()
    )
    of = documents or [f"{question}.md" for question in range(len(cells[0].values))]
    return Evidence("tiny", "retrieval/answerable", cells, tuple(frozenset(each.split()) for each in of), **more)


def judge(rows: Mapping[str, Row], documents: Sequence[str] | None = None, **rules: Any) -> Verdict:
    """The verdict; a question a cluster unless it is said."""
    return conclude(evidence(rows, documents), VerdictSettings(**{"cluster": "question", **rules}))


def of_size(size: int, n: int) -> Clusters:
    """n questions in clusters of the same size."""
    return Clusters("document", np.arange(n) // size)


def correlated(
    rng: np.random.Generator, means: FloatArray, n: int, *, size: int = 1, alike: float = 0.6, joint: float = 0.3
) -> FloatArray:
    """0 or 1 for (cells, questions) with these means: a normal variable of each cell and question below a threshold.

    alike  share of the variance that all cells have in common: hard questions are hard for all
    joint  share that a cell's questions of one cluster of `size` have in common, where they are clustered
    """
    from scipy.stats import norm

    cells, clusters = len(means), -(-n // size)
    joint = joint if size > 1 else 0.0
    hardness = _mixed(rng, (1, n), (1, clusters), size, joint)
    own = _mixed(rng, (cells, n), (cells, clusters), size, joint)
    latent = np.sqrt(alike) * hardness + np.sqrt(1 - alike) * own
    return (latent < norm.ppf(means)[:, np.newaxis]).astype(np.float64)


def _mixed(
    rng: np.random.Generator, each: tuple[int, int], clustered: tuple[int, int], size: int, joint: float
) -> FloatArray:
    of_cluster = np.repeat(rng.standard_normal(clustered), size, axis=1)[:, : each[1]]
    return np.sqrt(1 - joint) * rng.standard_normal(each) + np.sqrt(joint) * of_cluster
