"""A verdict in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chunksweep.verdict.conclude import Score, Verdict
from chunksweep.verdict.effects import Effect

AXIS_WORDS = {"embedder": "model", "retriever.expand": "expansion"}


def sentences(verdict: Verdict, names: Mapping[str, str]) -> list[str]:
    """Paragraphs that say what a verdict says, most important first.

    names  run id -> what the leaderboard calls the cell
    """
    return [
        " ".join([_detectable(verdict), _best(verdict, names), _remaining(verdict), _advice(verdict, names)]),
        *filter(None, [_more(verdict), _holdout(verdict), _baseline(verdict, names), _effects(verdict)]),
        *verdict.warnings,
    ]


def percent(share: float) -> str:
    """Whole per cents, with a decimal where these would hide the distance from 0 or 100."""
    value = 100 * share
    return f"{value:.1f}".removesuffix(".0") if value < 1 or value > 99 else f"{value:.0f}"


def _detectable(verdict: Verdict) -> str:
    metric = verdict.metric.removeprefix("retrieval/")
    grouped = f" in {verdict.clusters} groups by document" if verdict.cluster_unit == "document" else ""
    head = f"{verdict.corpus}, {metric}: {_questions(verdict.n)}{grouped}, {verdict.cells} cells"
    if verdict.detectable is not None:
        return f"{head}: differences below {percent(verdict.detectable)} points cannot be shown."
    if verdict.ruled_out:
        return f"{head}: so few show the largest differences only."
    if verdict.more_questions is not None:
        return f"{head}: so few cannot show any difference."
    return f"{head}: no question tells the recommended cell from another."


def _best(verdict: Verdict, names: Mapping[str, str]) -> str:
    best = verdict.best
    flattered = f"flattered by about {percent(verdict.optimism)} points" if verdict.optimism >= 0.005 else "flattered"
    name = names[best.run_id]
    return f"Highest observed: {name}, {_score(best, verdict)}; picked from {verdict.cells}, so {flattered})."


def _score(score: Score, verdict: Verdict) -> str:
    """The observed score and its interval, the bracket left open."""
    hits = score.mean * score.n
    shown = f"{hits:.0f}/{score.n}" if abs(hits - round(hits)) < 1e-6 else f"{percent(score.mean)} %"
    if score.interval is None:
        return f"{shown} (no interval"
    return f"{shown} ({percent(1 - verdict.alpha)} %: {percent(score.interval.low)} to {percent(score.interval.high)} %"


def _remaining(verdict: Verdict) -> str:
    left = len(verdict.contenders)
    if not verdict.ruled_out:
        return f"All {left} cells remain possible."
    aside = len(set(verdict.contenders) - set(verdict.stability))
    sending = f", {aside} of which {'sends' if aside == 1 else 'send'} everything" if aside else ""
    return f"{left} of {verdict.cells} cells {'remains' if left == 1 else 'remain'} possible{sending}."


def _advice(verdict: Verdict, names: Mapping[str, str]) -> str:
    if verdict.recommended is None:
        return "None can be recommended."
    name = names[verdict.recommended]
    within = f"within {percent(verdict.margin)} points of the highest"
    if verdict.status == "winner":
        same = len(set(verdict.contenders) & set(verdict.stability)) - 1
        but = f" but {same} with the same results" if same else ""
        return f"{name} is the winner: every other cell that retrieves is ruled out{but}."
    if verdict.status == "shown_equivalent":
        return f"Take {name}, shown equivalent: no cell is better by more than {percent(verdict.margin)} points."
    return f"Start with {name}, provisional: the cheapest of those that are {within}."


def _more(verdict: Verdict) -> str | None:
    if verdict.more_questions is None or verdict.status == "winner":
        return None
    low, high = verdict.more_questions
    if high == 0:
        return None
    least, most = low + verdict.n, high + verdict.n
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"To show a difference of {percent(verdict.margin)} points takes roughly {number} questions."


def _holdout(verdict: Verdict) -> str | None:
    score = verdict.holdout
    if score is None:
        return None
    return f"On {_questions(score.n)} held out of all this, the recommended cell scores {_score(score, verdict)})."


def _baseline(verdict: Verdict, names: Mapping[str, str]) -> str | None:
    if verdict.baseline is None:
        return None
    shown = [cell for cell in verdict.baseline.cells if cell.p <= verdict.alpha]
    better = sum(cell.difference > 0 for cell in shown)
    return (
        f"Against the baseline, {names[verdict.baseline.run_id]}: {better} better, {len(shown) - better} worse, "
        f"{len(verdict.baseline.cells) - len(shown)} not told apart from it."
    )


def _effects(verdict: Verdict) -> str | None:
    shown = [effect for effect in verdict.effects if effect.p is not None and effect.p <= verdict.alpha]
    if not verdict.effects:
        return None
    if not shown:
        return "Main effects of size, overlap, prefix, model, retriever or expansion: none shown."
    return "Main effects: " + "; ".join(_effect_words(shown)) + "."


def _effect_words(shown: list[Effect]) -> Iterator[str]:
    for effect in shown:
        axis = AXIS_WORDS.get(effect.axis, effect.axis)
        if effect.low is not None and effect.high is not None:
            bounds = f"({100 * effect.low:+.0f} to {100 * effect.high:+.0f})"
            yield f"{axis} {effect.a} against {effect.b} {100 * effect.difference:+.0f} points {bounds}"


def _questions(n: int) -> str:
    return f"{n:,} question{'' if n == 1 else 's'}"
