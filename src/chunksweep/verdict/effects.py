"""Main effects: what size, overlap, prefix and model change by themselves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunksweep.records import FloatArray
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.evidence import Cell
from chunksweep.verdict.intervals import standard_error, student

# What belongs to an axis goes with it: without a prefix there is no separator, and each model has its own options.
AXES: Mapping[str, tuple[str, ...]] = {
    "size": (),
    "overlap": (),
    "prefix": ("prefix.separator", "prefix.send", "prefix.template"),
    "embedder": ("embedder.",),
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
    found = [
        _effect(Effect(axis, a, b, len(differences), 0.0), np.mean(differences, axis=0), clusters, alpha)
        for axis in AXES
        for (a, b), differences in _contrasts(cells, axis).items()
    ]
    return _holm(found)


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
        if one.params[axis] != other.params[axis]:
            yield one, other


def _rest(params: Mapping[str, Any], axis: str) -> str:
    """All but the axis and what goes with it."""
    belonging = AXES[axis]
    return repr(
        sorted((key, repr(value)) for key, value in params.items() if key != axis and not key.startswith(belonging))
    )


def _effect(contrast: Effect, values: FloatArray, clusters: Clusters, alpha: float) -> Effect:
    """The contrast with what its per-question values say."""
    from scipy.stats import t  # noqa: PLC0415 - takes more than a second

    mean, error = float(values.mean()), standard_error(values, clusters)
    effect = replace(contrast, difference=mean)
    if error is None:
        return effect
    freedom = clusters.count - 1
    bounds = student(mean, error, freedom, alpha)
    return replace(
        effect, low=max(bounds.low, -1.0), high=min(bounds.high, 1.0), p=2 * float(t.sf(abs(mean) / error, freedom))
    )


def _holm(found: Sequence[Effect]) -> tuple[Effect, ...]:
    """Adjusts the p of those that have one (Holm 1979)."""
    raw = [effect.p for effect in found if effect.p is not None]
    if not raw:
        return tuple(found)
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow, and only needed here

    adjusted = iter(multipletests(raw, method="holm")[1].tolist())
    return tuple(effect if effect.p is None else replace(effect, p=next(adjusted)) for effect in found)
