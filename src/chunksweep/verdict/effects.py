"""Main effects: what size, overlap, prefix, model, retriever and expansion change by themselves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.evidence import Cell
from chunksweep.verdict.intervals import standard_errors, student
from chunksweep.verdict.quantiles import student_tail

# What belongs to an axis goes with it: without a prefix there is no separator, each model has its own options, and
# where words alone are ranked there is no model.
AXES: Mapping[str, tuple[str, ...]] = {
    "size": (),
    "overlap": (),
    "prefix": ("prefix.separator", "prefix.send", "prefix.template"),
    "embedder": ("embedder.",),
    "retriever": ("embedder", "retriever.k1", "retriever.b", "retriever.stopwords", "retriever.rrf", "retriever.mmr"),
    "retriever.expand": ("retriever.window", "retriever.parent"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """The contrast of two values of an axis: `a` minus `b`.

    pairs  pairs of cells that differ in this axis alone, over which each question is averaged
    low, high  the 1 - alpha interval of this contrast by itself, by Student t over questions or clusters; within
               [-1, 1], since what is compared lies in [0, 1]
    p  adjusted by Holm over all contrasts; like the bounds None where no question tells the two apart
    """

    axis: str
    a: Any
    b: Any
    pairs: int
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


def effects(cells: Sequence[Cell], clusters: Clusters, alpha: float) -> tuple[Effect, ...]:
    """Every contrast for which there are cells that differ in it alone, axis by axis."""
    rows = [
        (Effect(axis, a, b, len(differences), 0.0), np.mean(differences, axis=0))
        for axis in AXES
        for (a, b), differences in _contrasts(cells, axis).items()
    ]
    if not rows:
        return ()
    contrasts, values = zip(*rows, strict=True)
    return _holm(list(_measured(contrasts, np.array(values), clusters, alpha)))


def _contrasts(cells: Sequence[Cell], axis: str) -> dict[tuple[Any, Any], list[FloatArray]]:
    """(a, b) -> per-question differences of each pair of cells; numbers largest first, else as they appear."""
    like: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.params.get(axis) is not None:
            like.setdefault(_rest(cell.params, axis), []).append(cell)
    found: dict[tuple[Any, Any], list[FloatArray]] = {}
    for group in like.values():
        for one, other in _pairs(group, axis):
            key = (one.params[axis], other.params[axis])
            found.setdefault(key, []).append(one.values - other.values)
    return found


def _pairs(group: Sequence[Cell], axis: str) -> Iterator[tuple[Cell, Cell]]:
    """Pairs with different values of the axis, in an order that does not depend on the order of cells."""

    def rank(cell: Cell) -> tuple[float, str]:
        value = cell.params[axis]
        return (-float(value), "") if isinstance(value, int | float) else (0.0, str(value))

    for one, other in itertools.combinations(sorted(group, key=rank), 2):
        if one.params[axis] != other.params[axis] and (axis != "retriever" or _same_model(one.params, other.params)):
            yield one, other


def _same_model(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two cells use the same model, or one of them none."""
    used = [{key: value for key, value in params.items() if key.startswith("embedder")} for params in (one, other)]
    return used[0] == used[1] or any(params.get("embedder") == "none" for params in used)


def _rest(params: Mapping[str, Any], axis: str) -> str:
    """All but the axis and what goes with it."""
    belonging = AXES[axis]
    return repr(
        sorted((key, repr(value)) for key, value in params.items() if key != axis and not key.startswith(belonging))
    )


def _measured(contrasts: Sequence[Effect], values: FloatArray, clusters: Clusters, alpha: float) -> Iterator[Effect]:
    """The contrasts with what their per-question values, (contrasts, questions), say."""
    freedom = clusters.count - 1
    means, errors = values.mean(axis=1), standard_errors(values, clusters)
    for contrast, mean, error in zip(contrasts, means.tolist(), errors.tolist(), strict=True):
        if error == 0:
            yield replace(contrast, difference=mean)
            continue
        bounds = student(mean, error, freedom, alpha)
        yield replace(
            contrast,
            difference=mean,
            low=max(bounds.low, -1.0),
            high=min(bounds.high, 1.0),
            p=2 * student_tail(freedom, abs(mean) / error),
        )


def _holm(found: Sequence[Effect]) -> tuple[Effect, ...]:
    """Adjusts the p of those that have one."""
    adjusted = iter(holm([effect.p for effect in found if effect.p is not None]))
    return tuple(effect if effect.p is None else replace(effect, p=next(adjusted)) for effect in found)


def holm(raw: Sequence[float]) -> list[float]:
    """Each p adjusted for as many tests as there are (Holm 1979).

    The i-th smallest of m is multiplied by m - i + 1; none becomes less than a smaller one did.
    """
    p = np.array(raw)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return [float(value) for value in adjusted]
