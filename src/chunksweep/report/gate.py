"""What a gate found, as JSON and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chunksweep.verdict.gate import Gate
from chunksweep.verdict.words import percent

IDS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs: its id, what it is configured to do, and mean tokens sent a question."""

    run_id: str
    name: str
    sent_tokens: float


@dataclass(frozen=True, slots=True)
class Gated:
    """A gate with the runs it stands between.

    lost, won  ids of the questions whose value is lower, or higher, in the candidate
    changes    what differs between the runs beside their results: "size 400 -> 200", "documents"
    """

    metric: str
    baseline: Side
    candidate: Side
    found: Gate
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def shape(gated: Gated) -> dict[str, Any]:
    """The JSON of the command; null what was not computed."""
    found = gated.found
    return {
        "closed": found.closed,
        "metric": gated.metric,
        "max_drop": found.max_drop,
        "alpha": found.alpha,
        "baseline": _side_shape(gated.baseline, found.baseline),
        "candidate": _side_shape(gated.candidate, found.candidate),
        "n": found.n,
        "clusters": found.clusters,
        "cluster_unit": found.cluster_unit,
        "drop": found.drop,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "detectable": found.detectable,
        "lost": list(gated.lost),
        "won": list(gated.won),
        "changes": list(gated.changes),
    }


def sentences(gated: Gated) -> list[str]:
    """Paragraphs, the decision first."""
    return [
        _decision(gated.found),
        _side("baseline ", gated.baseline, gated.found.baseline, gated.metric),
        _side("candidate", gated.candidate, gated.found.candidate, gated.metric),
        f"Beside results they differ in: {'; '.join(gated.changes) or 'nothing'}.",
        " ".join(_statistics(gated.found)),
        *_questions(gated),
        *([] if gated.found.closed else [detectable_words(gated.found)]),
    ]


def is_blunt(found: Gate) -> bool:
    """Whether a candidate that answers nothing at all would still pass in more than about 20 of 100 cases."""
    return found.detectable is None or found.detectable > found.baseline


def detectable_words(found: Gate) -> str:
    """How much has to be lost before this gate is likely to see it."""
    if found.detectable is None or is_blunt(found):
        return (
            f"This gate hardly ever closes: with {_count(found.n, 'question')} even the loss of all that the baseline "
            "answers can pass unseen. Add questions."
        )
    return (
        f"A true drop of {points(found.detectable)} points closes this gate in about 80 of 100 cases; "
        "smaller ones mostly pass unseen."
    )


def points(share: float) -> str:
    """A difference in per cent of the whole scale, with a decimal where it has one."""
    return f"{100 * share:.1f}".removesuffix(".0")


def _decision(found: Gate) -> str:
    allowed = f"a drop of more than {points(found.max_drop)} points"
    if found.closed:
        return f"Closed: {allowed} is shown."
    if found.drop > found.max_drop:
        return f"Open: {allowed} was observed, and so few questions may show it by chance."
    return f"Open: {allowed} is not shown."


def _side(word: str, side: Side, mean: float, metric: str) -> str:
    name = metric.rpartition("/")[2]
    return f"{word}  {side.run_id[:8]}  {name} {percent(mean)} %, {side.sent_tokens:,.0f} tokens sent: {side.name}"


def _statistics(found: Gate) -> Iterator[str]:
    questions = _count(found.n, "question")
    if found.cluster_unit == "document":
        questions += f" in {_count(found.clusters, 'group')} by document"
    change = "fell" if found.drop > 0 else "rose" if found.drop < 0 else "stayed the same"
    by = f" by {points(abs(found.drop))} points" if found.drop else ""
    yield f"On {questions} it {change}{by} (p = {found.p:.2g} where {points(found.max_drop)} is the true drop)."
    sure = percent(1 - found.alpha)
    least = "no bound below" if found.low is None else f"at least {points(found.low)} points"
    yield f"The true drop is {least} and at most {points(found.high)} points, with {sure} % confidence each."


def _questions(gated: Gated) -> Iterator[str]:
    for word, ids in (("Lost", gated.lost), ("Won", gated.won)):
        if ids:
            more = f" and {len(ids) - IDS_SHOWN} more" if len(ids) > IDS_SHOWN else ""
            yield f"{word} ({len(ids)}): {', '.join(ids[:IDS_SHOWN])}{more}."


def _side_shape(side: Side, mean: float) -> dict[str, Any]:
    return {"run_id": side.run_id, "name": side.name, "mean": mean, "sent_tokens": side.sent_tokens}


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def changed_params(before: dict[str, Any], after: dict[str, Any], keys: Sequence[str]) -> list[str]:
    """As "size 400 -> 200", for each of the keys whose values differ."""
    return [f"{key} {before.get(key)} -> {after.get(key)}" for key in keys if before.get(key) != after.get(key)]
