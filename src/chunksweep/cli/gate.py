"""`chunksweep gate`: has quality fallen since a baseline, by more than is allowed?"""

from __future__ import annotations

import argparse
import json
import textwrap
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import yaml

from chunksweep.cli.arguments import QUOTING, Parser, add_store, require_hydra_flags
from chunksweep.cli.cells import execute
from chunksweep.cli.console import WIDTH, note, show_json
from chunksweep.cli.past import finished_cell
from chunksweep.errors import ConfigError
from chunksweep.records import FloatArray, RunRecord
from chunksweep.report import gate as report
from chunksweep.report.labels import label, telling
from chunksweep.settings import VerdictSettings
from chunksweep.sweep.values import VALUES, QuestionValues, read_values
from chunksweep.tracking import Store, resolve_uri
from chunksweep.verdict.clusters import clusters_of
from chunksweep.verdict.gate import LARGEST_DROP, can_close, gate

OPEN, CLOSED = 0, 1
WHAT = (
    "Exits 1 when quality fell, from a baseline to a candidate on the same questions, by more than X with confidence."
)
EXAMPLE = f"""\
The candidate is the run that --run names, or what the overrides compose, run here and now; without either the latest
run with the baseline's questions. Questions are matched by id and text; documents and configuration may differ.
Exit codes: 0 open, 1 closed, 2 wrong usage, or too few questions for the gate ever to close.

{QUOTING}
example, the best run of the latest sweep as baseline and another size as candidate:
  chunksweep gate --baseline $(chunksweep compare --format csv | cut -d, -f1 | sed -n 2p) --max-drop 0.05 size=300
"""
# Measures of quality: higher is better.
QUALITY = ("retrieval/", "spans/")
CHANCE = "retrieval/chance"
TAGS = {
    "chunksweep.corpus_sha256": "documents",
    "chunksweep.model_sha256": "model",
    "chunksweep.version": "version of chunksweep",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a run was asked it: its text and the quotes that answer it."""

    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """A finished run and what it made of each question; `asked` by question id, in the order of `values`."""

    record: RunRecord
    asked: Mapping[str, Asked]
    values: QuestionValues

    @property
    def texts(self) -> dict[str, str]:
        """Question id -> its text."""
        return {name: asked.text for name, asked in self.asked.items()}

    def rows(self, ids: Sequence[str]) -> list[int]:
        """The positions of these questions."""
        position = {name: row for row, name in enumerate(self.asked)}
        return [position[name] for name in ids]

    def of(self, metric: str) -> FloatArray:
        """float64 (questions,), the metric of each."""
        return np.array(self.values.values[metric], dtype=np.float64)


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser(
        "gate",
        WHAT,
        EXAMPLE,
        "--baseline RUN_ID --max-drop X [--run RUN_ID | OVERRIDE ...]\n"
        "                       [--metric NAME] [--format table|json] [--tracking-uri URI]",
    )
    add_store(parser)
    parser.add_argument("--baseline", metavar="RUN_ID", required=True, help="the run that quality is held against")
    parser.add_argument(
        "--max-drop", metavar="X", type=_share, required=True, help="the drop that is allowed: 0.05 is 5 points"
    )
    parser.add_argument("--run", metavar="RUN_ID", help="the candidate")
    parser.add_argument("--metric", metavar="NAME", help="what is compared (default: verdict.metric of the baseline)")
    own, overrides = parser.parse_known_args(arguments)
    require_hydra_flags(overrides, "gate")
    store = Store(resolve_uri(own.tracking_uri, None))
    baseline = answers(store, finished_cell(store, own.baseline))
    candidate = _candidate(own, overrides, store, baseline)
    if candidate is None:
        return OPEN
    if candidate.status == "FAILED":
        note(f"the candidate failed, so that nothing can be said of it: {candidate.error}")
        return CLOSED
    gated = judge(baseline, answers(store, candidate), _rules(store, baseline, own.metric), own.max_drop)
    if own.format == "json":
        show_json(report.shape(gated))
    else:
        print("\n".join(textwrap.fill(text, WIDTH) for text in report.sentences(gated)))
    if report.is_blunt(gated.found) and not gated.found.closed:
        note(report.detectable_words(gated.found))
    return CLOSED if gated.found.closed else OPEN


def answers(store: Store, record: RunRecord) -> Answers:
    """What a finished run made of its questions.

    Raises TrackingError where an artifact cannot be read.
    """
    table = json.loads(store.artifact(record.run_id, "questions.json"))
    rows = (dict(zip(table["columns"], cells, strict=True)) for cells in table["data"])
    asked = {row["id"]: Asked(row["question"], tuple(row["facts"])) for row in rows}
    return Answers(record, asked, read_values(store.artifact(record.run_id, VALUES)))


def judge(baseline: Answers, candidate: Answers, rules: VerdictSettings, max_drop: float) -> report.Gated:
    """Holds the candidate against the baseline, by the rules of the verdict.

    Raises ConfigError where their questions differ, a run lacks the metric, or the gate could never close.
    """
    require_same_questions(baseline, candidate)
    for run in (baseline, candidate):
        require_metric(run, rules.metric)
    ids = list(baseline.asked)
    rows = candidate.rows(ids)
    before, after = baseline.of(rules.metric), candidate.of(rules.metric)[rows]
    documents = [
        # Questions stand together where their answers did in either version of the documents.
        frozenset(f"before {name}" for name in baseline.values.documents[place])
        | frozenset(f"after {name}" for name in candidate.values.documents[row])
        for place, row in enumerate(rows)
    ]
    clusters = clusters_of(documents, rules.cluster)
    if not can_close(before, clusters, max_drop=max_drop, alpha=rules.alpha, seed=rules.seed):
        raise ConfigError(
            f"this gate could never close: with {len(ids)} questions in {clusters.count} separate groups, of which the "
            f"baseline scores {before.mean():.3g} ({rules.metric}), even a candidate that scores 0 would pass "
            f"--max-drop {max_drop}. Add questions that the baseline answers, at least five separate ones, or allow "
            "a smaller drop."
        )
    keys = telling([baseline.record.params, candidate.record.params])
    return report.Gated(
        metric=rules.metric,
        baseline=_side(baseline.record, keys),
        candidate=_side(candidate.record, keys),
        found=gate(before, after, clusters, max_drop=max_drop, alpha=rules.alpha, seed=rules.seed),
        lost=tuple(name for name, a, b in zip(ids, before, after, strict=True) if b < a),
        won=tuple(name for name, a, b in zip(ids, before, after, strict=True) if b > a),
        changes=tuple(changes(baseline, candidate)),
    )


def require_same_questions(baseline: Answers, candidate: Answers) -> None:
    """Raises ConfigError unless both were asked the same questions, by id and text."""
    before, after = baseline.texts, candidate.texts
    other = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if other:
        raise ConfigError(
            f"runs {baseline.record.run_id[:8]} and {candidate.record.run_id[:8]} were not asked the same questions: "
            f"{len(other)} differ by id or text, {other[0]} for one. Choose two runs on the same questions."
        )


def require_metric(run: Answers, metric: str) -> None:
    """Raises ConfigError unless the run has a value from 0 to 1 of it for every question."""
    known = [name for name, values in run.values.values.items() if _is_quality(name) and _comparable(values)]
    if metric not in known:
        raise ConfigError(
            f"--metric {metric}: run {run.record.run_id[:8]} has no such measure of every question. "
            f"It has {', '.join(known)}."
        )


def _is_quality(metric: str) -> bool:
    return metric.startswith(QUALITY) and not metric.startswith(CHANCE)


def _comparable(values: Sequence[float | None]) -> bool:
    return all(value is not None and 0 <= value <= 1 for value in values)


def changes(baseline: Answers, candidate: Answers) -> list[str]:
    """What else differs between the runs, in words."""
    before, after = baseline.record, candidate.record
    params = dict.fromkeys((*before.params, *after.params))
    # Where documents and questions lie says nothing about what they are.
    found = report.changed_params(
        before.params, after.params, [key for key in params if key not in ("corpus.path", "corpus.questions")]
    )
    found += [what for tag, what in TAGS.items() if before.tags.get(tag) != after.tags.get(tag)]
    facts = sum(asked.facts != candidate.asked[name].facts for name, asked in baseline.asked.items())
    return [*found, f"the facts of {facts} questions"] if facts else found


def _side(record: RunRecord, keys: Sequence[str]) -> report.Side:
    return report.Side(record.run_id, label(record.params, keys), record.metrics["cost/sent_tokens"])


def _rules(store: Store, baseline: Answers, metric: str | None) -> VerdictSettings:
    """How the baseline's own verdict was to be drawn, with another metric where one is asked for."""
    logged = yaml.safe_load(store.artifact(baseline.record.run_id, "config.yaml"))["verdict"]
    return VerdictSettings(**(logged | ({"metric": metric} if metric else {})))


def _candidate(own: argparse.Namespace, overrides: Sequence[str], store: Store, baseline: Answers) -> RunRecord | None:
    """The run that is held against the baseline; None where the arguments asked Hydra only to show something."""
    if own.run and overrides:
        raise ConfigError(
            f"gate takes --run {own.run} or overrides ({overrides[0]}), not both: the run is there already."
        )
    if own.run:
        return finished_cell(store, own.run)
    if not overrides:
        return latest(store, baseline)
    done = execute(own, overrides, single=True)
    return done[0].records[0] if done else None


def latest(store: Store, baseline: Answers) -> RunRecord:
    """The newest finished run after the baseline that was asked the same questions.

    Raises ConfigError where there is none, or the newest is one of many of its sweep.
    """
    same: dict[str | None, bool] = {}
    for record in store.finished():
        if record.run_id == baseline.record.run_id:
            break
        digest = record.tags.get("chunksweep.questions_sha256")
        if digest not in same:
            same[digest] = answers(store, record).texts == baseline.texts
        if same[digest]:
            _require_alone(store, record)
            return record
    raise ConfigError(
        f"no finished run after the baseline {baseline.record.run_id[:8]} was asked its questions. Name one with "
        "--run, or give the candidate's overrides."
    )


def _require_alone(store: Store, record: RunRecord) -> None:
    sweep_id = record.tags.get("chunksweep.sweep_id", "")
    cells = len(store.cells(sweep_id))
    if cells > 1:
        raise ConfigError(
            f"the latest runs are the {cells} cells of sweep {sweep_id}. Name the candidate with --run: "
            "`chunksweep compare --format csv` shows the ids."
        )


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < LARGEST_DROP:
        raise ArgumentTypeError(f"{text}: a share from 0 to below {LARGEST_DROP} is needed, 0.05 for 5 points")
    return value
