"""A past run again: are its inputs still the same, and does it still give the same metrics?

Metrics are compared exactly, similarities to 1e-5. Vectors may differ in the seventh digit with the batches they were
computed in, so that hits whose scores lie within 2e-6 of each other can change places: a metric whose logged value
lies within what such exchanges can make of it counts as identical, and is named.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import factorial, fsum, inf, prod
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from chunksweep import rules, stages
from chunksweep.chunkers import custom
from chunksweep.errors import ReproduceError
from chunksweep.measures.costs import sending_costs
from chunksweep.paths import group_options
from chunksweep.plain_text import yaml_text
from chunksweep.records import CellResult, FloatArray, IntArray, Ranking, RunRecord
from chunksweep.settings import Settings, file_sha256
from chunksweep.sweep.execute import Execution, Progress, temporary_folder
from chunksweep.sweep.plan import Grid
from chunksweep.sweep.session import CODE, environment
from chunksweep.sweep.worker import Failure, RankingTask, measure, passage_tokens, rank_for
from chunksweep.tracking import Store

MILLION = 1_000_000
TIED_MILLIONTHS = 2
SIMILARITY_WITHIN = 1e-5
SIMILARITIES = ("retrieval/dilution",)
# Orders of one group of tied hits that are looked at; a larger group is looked at as it stands and reversed.
LARGEST_PERMUTED = 4
# Orders of a question's hits that are tried.
MOST_ORDERS = 64
LOOK_BEYOND = 8


@dataclass(frozen=True, slots=True)
class PastRun:
    """What a run holds that is needed to run it again."""

    record: RunRecord
    settings: Settings
    documents: Mapping[str, str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InputChanges:
    """How the inputs differ from those of the past run; versions alone do not stop a comparison."""

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    questions_changed: bool = False
    model_changed: bool = False
    code_changed: bool = False
    versions: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether documents, questions, model and the user's own code are those of the past run."""
        documents = self.changed or self.missing or self.new
        return not (documents or self.questions_changed or self.model_changed or self.code_changed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A metric then and now; None where it is absent. Tied: it differs only by hits that changed places."""

    logged: float | None
    now: float | None
    identical: bool
    tied: bool = False


def read_run(store: Store, beginning: str, *, trust_code: bool = False) -> PastRun:
    """Reads a run without executing anything that it names.

    Raises TrackingError where there is no such run, ReproduceError for a sweep's own run, a failed one, and one whose
    chunker is not of this package, or whose model brings code, unless `trust_code`.
    """
    record = store.find(beginning)
    if record.tags.get("chunksweep.kind") != "cell":
        raise ReproduceError(
            f"{record.run_id} is no run of a configuration. `chunksweep compare --format csv` shows those."
        )
    if record.status != "FINISHED":
        raise ReproduceError(
            f"{record.run_id} is {record.status} and has no metrics to compare. Choose a finished run."
        )
    tree: dict[str, Any] = yaml.safe_load(store.artifact(record.run_id, "config.yaml"))
    if (code := _code_of_others(tree["chunker"])) and not trust_code:
        raise ReproduceError(f"{record.run_id} needs {code}. Give --trust-code to run that code.")
    if tree["embedder"].get("trust_remote_code") and not trust_code:
        raise ReproduceError(
            f"{record.run_id} ran code that came with the model {tree['embedder']['model']}. "
            "Give --trust-code to run that code."
        )
    return PastRun(
        record,
        rules.from_tree(tree),
        json.loads(store.artifact(record.run_id, "inputs.json")),
        json.loads(store.artifact(record.run_id, "environment.json")),
    )


def _code_of_others(chunker: Mapping[str, Any]) -> str | None:
    """What of a run's chunker is not of this package; None where all is."""
    if chunker["name"] == custom.NAME:
        return f"chunker.class={chunker.get('class')} of {chunker.get('path')}, which is code of your own"
    if chunker["name"] not in group_options("chunker"):
        return f"chunker={chunker['name']}, which is code of another package"
    return None


def moved(run: PastRun, corpus: str | None, questions: str | None) -> PastRun:
    """The run with documents and questions where they lie now.

    Raises ReproduceError for a bundled corpus, which cannot lie elsewhere.
    """
    if corpus is None and questions is None:
        return run
    was = run.settings.corpus
    if was.path is None:
        raise ReproduceError(f"{run.record.run_id} is of the bundled corpus {was.name}: leave --corpus out.")
    now = replace(
        was,
        path=str(Path(corpus).absolute()) if corpus else was.path,
        questions=str(Path(questions).absolute()) if questions else was.questions,
    )
    return replace(run, settings=replace(run.settings, corpus=now))


def compare_inputs(run: PastRun) -> InputChanges:
    """What changed since; nothing is computed.

    Raises CorpusError or ReproduceError where documents or questions are not there at all.
    """
    corpus = stages.read_documents(run.settings.corpus)
    now, then = corpus.digests, run.documents
    questions = run.settings.corpus.questions_path
    if questions is None or not questions.is_file():
        raise ReproduceError(f"the questions {questions} are not there. Give --questions FILE.")
    versions = environment()
    return InputChanges(
        changed=tuple(name for name in then if name in now and now[name] != then[name]),
        missing=tuple(name for name in then if name not in now),
        new=tuple(name for name in now if name not in then),
        questions_changed=file_sha256(questions) != run.record.tags["chunksweep.questions_sha256"],
        model_changed=stages.model_sha256(run.settings.embedder) != run.record.tags["chunksweep.model_sha256"],
        code_changed=run.settings.code_sha256 != run.record.tags.get(CODE),
        versions={
            name: (run.environment.get(name), versions.get(name))
            for name in sorted({*run.environment, *versions})
            if run.environment.get(name) != versions.get(name)
        },
    )


def compare_metrics(run: PastRun, progress: Progress) -> dict[str, Comparison]:
    """Runs the configuration again, logging nothing, and compares every metric but times.

    Raises ReproduceError where the configuration now fails.
    """
    with temporary_folder() as folder:
        execution = Execution(Grid((run.settings,), 1), 1, progress, Path(folder))
        execution.read()
        plan = execution.plan()
        split = plan.split_of(run.settings)
        if isinstance(split, Failure):
            raise ReproduceError(f"the configuration now fails: {split.reason}")
        (task,) = execution.tasks(plan)
        return _compared(run, task)


def _compared(run: PastRun, task: RankingTask) -> dict[str, Comparison]:
    tokens = passage_tokens(task, run.settings)
    deeper = rank_for(task, {run.settings: tokens}, LOOK_BEYOND)
    now = measure(task, run.settings, deeper, tokens)
    metrics = now.metrics | stages.corpus_metrics(run.settings, stages.read_documents(run.settings.corpus))
    names = sorted(name for name in {*run.record.metrics, *metrics} if not name.startswith("time/"))
    pairs = {name: (run.record.metrics.get(name), metrics.get(name)) for name in names}
    if all(_equal(name, *pair) for name, pair in pairs.items()):
        return {name: Comparison(*pair, identical=True) for name, pair in pairs.items()}
    others = [measure(task, run.settings, other, tokens) for other in exchanges(deeper)]
    reach = _reach(others, run.settings.prices.input)
    return {name: _comparison(name, *pair, reach) for name, pair in pairs.items()}


def _comparison(
    name: str, logged: float | None, now: float | None, reach: Mapping[str, tuple[float, float]]
) -> Comparison:
    if _equal(name, logged, now):
        return Comparison(logged, now, identical=True)
    low, high = reach.get(name, (inf, -inf))
    tied = logged is not None and low - 1e-12 <= logged <= high + 1e-12
    return Comparison(logged, now, identical=tied, tied=tied)


def _equal(name: str, logged: float | None, now: float | None) -> bool:
    if logged is None or now is None:
        return logged is now
    # A mean of exact values may differ in its last bit with the order of adding them up.
    within = SIMILARITY_WITHIN if name in SIMILARITIES else 1e-12 * max(1.0, abs(logged))
    return abs(logged - now) <= within


def exchanges(ranking: Ranking) -> Iterator[Ranking]:
    """Rankings that differ from this one by the places of tied hits alone.

    The n-th has the n-th order of every question, over again for questions with fewer orders. Tied are neighbours
    whose scores lie within 2e-6 of each other.
    """
    ties = [_tied_groups(scores) for scores in ranking.scores]
    for turn in range(max(map(_number_of_orders, ties), default=0)):
        chosen = np.tile(np.arange(ranking.chunks.shape[1]), (len(ties), 1))
        for order, groups in zip(chosen, ties, strict=True):
            _exchange(order, groups, turn % _number_of_orders(groups))
        yield Ranking(np.take_along_axis(ranking.chunks, chosen, axis=1), ranking.scores)


def _tied_groups(scores: FloatArray) -> list[IntArray]:
    """The ranks, from 0, of each group of tied hits of one question."""
    # Scores are whole millionths, so that the comparison is one of whole numbers.
    borders = np.flatnonzero(np.abs(np.rint(np.diff(scores) * MILLION)) > TIED_MILLIONTHS) + 1
    return [group for group in np.split(np.arange(len(scores)), borders) if len(group) > 1]


def _number_of_orders(groups: Sequence[IntArray]) -> int:
    return min(MOST_ORDERS, prod(_orders_within(len(group)) for group in groups))


def _exchange(order: IntArray, groups: Sequence[IntArray], number: int) -> None:
    """Puts the tied hits of `order` into the order of that number; the 0th is the given one.

    The best ranks change fastest: most measures look no deeper, and not all orders of a deep ranking can be tried.
    """
    for group in groups:
        number, within = divmod(number, _orders_within(len(group)))
        order[group] = group[_order_within(len(group), within)]


def _orders_within(size: int) -> int:
    return factorial(size) if size <= LARGEST_PERMUTED else 2


def _order_within(size: int, number: int) -> list[int]:
    if size > LARGEST_PERMUTED:
        return list(range(size)) if number == 0 else list(reversed(range(size)))
    return list(next(itertools.islice(itertools.permutations(range(size)), number, None)))


def _reach(results: list[CellResult], input_price: float | None) -> dict[str, tuple[float, float]]:
    """The least and the greatest that exchanges can make of each metric: of every question first, then over them."""
    least: dict[str, list[float]] = {}
    greatest: dict[str, list[float]] = {}
    for name in results[0].questions[0].values:
        values = [[item.values.get(name) for item in result.questions] for result in results]
        defined = [[value for value in of_order if value is not None] for of_order in values]
        if all(len(of_order) == len(results[0].questions) for of_order in defined):
            least[name] = [min(column) for column in zip(*defined, strict=True)]
            greatest[name] = [max(column) for column in zip(*defined, strict=True)]
    low, high = (_over_questions(values, input_price) for values in (least, greatest))
    return {name: (low[name], high[name]) for name in low}


def _over_questions(values: Mapping[str, list[float]], input_price: float | None) -> dict[str, float]:
    means = {name: fsum(column) / len(column) for name, column in values.items()}
    return means | sending_costs(values["cost/sent_tokens"], values["cost/sent_chars"], input_price)


def config_file(settings: Settings, name: str) -> str:
    """The configuration as a primary one of Hydra's: its choices of groups restored, its values after them."""
    tree = {key: value for key, value in settings.tree().items() if key not in ("tracking", "cache")}
    groups = [key for key, value in tree.items() if isinstance(value, dict) and "name" in value]
    defaults = ["config", *({f"override {group}": tree[group]["name"]} for group in groups), "_self_"]
    text = yaml_text({"defaults": defaults, **tree})
    return f"# chunksweep run --config-dir {Path(name).parent} --config-name {Path(name).stem}\n{text}"
