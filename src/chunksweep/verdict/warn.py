"""What limits a verdict, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from chunksweep.settings import VerdictSettings
from chunksweep.verdict.clusters import Clusters
from chunksweep.verdict.evidence import Evidence

FEW_QUESTIONS = 20


def warnings(
    evidence: Evidence, clusters: Clusters, rules: VerdictSettings, held_out: bool, baseline_found: bool
) -> Iterator[str]:
    """In the order in which they are read."""
    if evidence.failed:
        yield f"{_count(evidence.failed, 'cell')} failed: left out of all comparisons."
    if len(clusters.labels) < FEW_QUESTIONS:
        yield f"With fewer than {FEW_QUESTIONS} questions no cell can be a winner."
    if clusters.words:
        yield clusters.words
    yield from _everything_sent(evidence)
    if evidence.ambiguous:
        yield (
            f"{_count(evidence.ambiguous, 'question')} with a fact that stands in several places: any of them counts."
        )
    if evidence.earlier:
        yield (
            f"{_count(evidence.earlier, 'sweep or run', 'sweeps and runs')} on these questions came before: each look "
            "at the same questions makes the best of them more flattered."
        )
    if rules.baseline and not baseline_found:
        yield f"The baseline ({rules.baseline}) did not finish: nothing was compared with it."
    if rules.holdout and not held_out:
        yield f"verdict.holdout={rules.holdout} is less than one of {clusters.count} clusters: nothing was held out."


def _everything_sent(evidence: Evidence) -> Iterator[str]:
    rows = sum(cell.everything_sent for cell in evidence.cells)
    if rows == len(evidence.cells):
        yield "Every cell sends all there is: nothing was retrieved, and the scores say nothing about retrieval."
    elif rows:
        yield f"{_count(rows, 'cell')} sent all there is: compared, but not recommended."
    if evidence.corpus_tokens is not None and evidence.corpus_tokens <= evidence.context_window:
        yield (
            f"The whole corpus would fit a prompt: {evidence.corpus_tokens:,} tokens. Where that is affordable, "
            "nothing has to be retrieved."
        )


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
