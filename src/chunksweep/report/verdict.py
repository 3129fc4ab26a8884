"""Verdicts as JSON, and as they are kept with the sweep's run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunksweep.settings import plain
from chunksweep.verdict.conclude import Baseline, Score, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict as it is printed.

    shape  under the keys of `verdict` in the JSON of `sweep` and `compare`
    words  paragraphs
    """

    shape: dict[str, Any]
    words: tuple[str, ...]


def verdict_shape(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON; null what was not computed."""
    return {
        "corpus": verdict.corpus,
        "metric": verdict.metric,
        "n": verdict.n,
        "clusters": verdict.clusters,
        "cluster_unit": verdict.cluster_unit,
        "contenders": list(verdict.contenders),
        "recommended": verdict.recommended,
        "status": verdict.status,
        "ruled_out": [asdict(cell) for cell in verdict.ruled_out],
        "detectable": verdict.detectable,
        "more_questions": None if verdict.more_questions is None else list(verdict.more_questions),
        "optimism": verdict.optimism,
        "baseline": _baseline(verdict.baseline),
        "effects": [plain(effect) for effect in verdict.effects],
        "stability": dict(verdict.stability),
        "holdout": _score(verdict.holdout),
        "warnings": list(verdict.warnings),
    }


def verdict_json(judged: Sequence[Judged]) -> str:
    """The verdicts of a sweep with their words, as its run keeps them."""
    verdicts = [{"verdict": one.shape, "words": list(one.words)} for one in judged]
    return json.dumps(verdicts, ensure_ascii=False, allow_nan=False)


def read_verdicts(text: str) -> tuple[Judged, ...]:
    """What verdict_json wrote."""
    return tuple(Judged(one["verdict"], tuple(one["words"])) for one in json.loads(text))


def _baseline(baseline: Baseline | None) -> dict[str, Any] | None:
    if baseline is None:
        return None
    return {"run_id": baseline.run_id, "cells": [asdict(cell) for cell in baseline.cells]}


def _score(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "run_id": score.run_id,
        "n": score.n,
        "clusters": score.clusters,
        "score": score.mean,
        "low": score.interval and score.interval.low,
        "high": score.interval and score.interval.high,
    }
