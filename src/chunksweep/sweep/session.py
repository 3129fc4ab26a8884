"""A sweep from its grid to its record: plans, executes, logs every cell as it is done, and says what was left out."""

from __future__ import annotations

import json
import platform
import secrets
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import distributions, version
from itertools import repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from chunksweep import __version__, stages
from chunksweep.indexing import INDEXING, Embedded, IndexBill, Parts, bill_json, index_bill
from chunksweep.plain_text import table, yaml_text
from chunksweep.records import CellResult, Document, FloatArray, Prefix, QuestionResult, RunRecord, Span
from chunksweep.report.labels import label, telling
from chunksweep.report.mlflow_view import view_state
from chunksweep.report.verdict import Judged, verdict_json, verdict_shape
from chunksweep.settings import Choice, Settings
from chunksweep.sweep.estimate import Estimate, estimate
from chunksweep.sweep.execute import Execution, temporary_folder
from chunksweep.sweep.execute import Progress as ExecutionProgress
from chunksweep.sweep.plan import Grid, Plan, embedded_rows
from chunksweep.sweep.resume import Identity, TakenOver, identities_of, plan_sha256, require_ended, take_over
from chunksweep.sweep.values import VALUES, values_json
from chunksweep.sweep.verdicts import require_baseline, values_of, verdicts_of
from chunksweep.sweep.worker import Failure, Outcome, Split
from chunksweep.tracking import LEADERBOARD, PLAN, VERDICT, CellRun, Store, now_ms
from chunksweep.verdict.words import sentences

LIBRARIES = (
    *("hydra-core", "mlflow", "numpy", "joblib", "sentence-transformers", "torch", "tokenizers", "bpe-openai", "bm25s"),
    *("markdown-it-py", "lxml", "pypdf", "python-docx", "docutils"),
)
SPLITTERS = (
    "langchain-text-splitters",
    "semantic-text-splitter",
    "semchunk",
    "chonkie",
    "llama-index-core",
    "tree-sitter",
)


# The tag of a run whose chunker is a file of the user's: that file's sha256.
CODE = "chunksweep.code_sha256"


class Watcher(ExecutionProgress, Protocol):
    """Is told what happens while a sweep runs."""

    def failed(self, name: str, reason: str) -> None:
        """A cell failed."""
        ...

    def note(self, message: str) -> None:
        """Something to know before the work begins."""
        ...


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """A sweep as plain data.

    counts   the plan's price, see Plan.counts; of a resumed sweep the texts of the cells that were left to run
    estimate  what embedding will take, or would have taken, in time and money
    records  finished and failed cells in the order of the grid; empty after a dry run
    warnings  corpus -> what is odd about its documents, and what of its questions file is left out or counts once
    judged   a verdict for each set of cells with the same corpus and questions
    resumed  how many of the records an earlier sweep of the same plan had finished
    """

    sweep_id: str | None
    name: str | None
    counts: Mapping[str, int]
    duplicates: int
    impossible: Mapping[str, int]
    records: tuple[RunRecord, ...] = ()
    unread: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    questions: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judged: tuple[Judged, ...] = ()
    estimate: Estimate = field(default_factory=Estimate)
    resumed: int = 0

    @property
    def planned(self) -> int:
        """Distinct cells."""
        return self.counts["distinct_cells"]

    def with_status(self, status: str) -> int:
        """How many cells ended so."""
        return sum(record.status == status for record in self.records)


def run_sweep(
    grid: Grid,
    *,
    name: str | None,
    store: Store,
    n_jobs: int,
    watcher: Watcher,
    dry_run: bool = False,
    resume: bool = False,
) -> SweepOutcome:
    """Runs every cell of the grid and logs it.

    resume  go on with the latest sweep of the same plan, under its id, where there is one

    Raises ChunksweepError before anything is embedded where inputs, cache or store cannot be used.
    """
    require_baseline(grid.cells)
    with temporary_folder() as folder:
        execution = Execution(grid, n_jobs, watcher, Path(folder))
        execution.read()
        if not dry_run:
            store.prepare()  # while the workers split
        identities = identities_of(grid.cells, execution.inputs)
        if resume and not dry_run:
            _open(store)
        taken = _taken_over(store, identities, watcher) if resume else None
        if taken is not None:
            execution.leave_out(taken.finished)
        plan = execution.plan(embed=not dry_run)
        if execution.unknown:
            watcher.note(_unknown(execution.unknown))
        plan.require_chunks()
        outcome = SweepOutcome(
            None,
            name,
            plan.counts() | {"distinct_cells": len(grid.cells)},
            grid.duplicates,
            grid.impossible,
            resumed=len(taken.finished) if taken else 0,
            unread={
                corpus.name: tuple((file.document, file.reason) for file in inputs.corpus.unread)
                for corpus, inputs in plan.inputs.items()
            },
            questions={corpus.name: len(inputs.questions) for corpus, inputs in plan.inputs.items()},
            warnings={corpus.name: inputs.warnings for corpus, inputs in plan.inputs.items()},
            estimate=estimate(plan),
        )
        if dry_run:
            return outcome
        if not resume:
            _open(store)
        recording = _Recording(
            grid=grid,
            identities=identities,
            plan=plan,
            outcome=outcome,
            store=store,
            watcher=watcher,
            taken=taken,
        )
        for work in plan.embeddings.values():
            address = getattr(work.embedder.embedder, "address", None)
            if address is not None and work.missing:
                watcher.note(f"{work.missing:,} texts ({work.missing_tokens:,} tokens) are sent to {address}.")
        with store.living.hold(recording.sweep_id):
            return recording.carry_out(execution)


def _unknown(cells: int) -> str:
    which = "1 cell cuts" if cells == 1 else f"{cells} cells cut"
    return (
        f"{which} by the vectors of sentences. These are counted; what chunks they will make is not known before, and "
        "to embed those takes about as many tokens again for each cell."
    )


def _open(store: Store) -> None:
    store.open()
    store.end_dead_sweeps()


def _taken_over(store: Store, identities: Mapping[Settings, Identity], watcher: Watcher) -> TakenOver | None:
    """What the latest sweep of the same plan has done, which is said, and so is that there is none."""
    taken = take_over(store, identities)
    if taken is None:
        watcher.note(f"no sweep of these cells, documents and questions is in {store.uri}: a new one begins.")
    else:
        done, planned = len(taken.finished), len(identities)
        watcher.note(f"sweep {taken.past.sweep_id} goes on: {done} of its {planned} cells are finished.")
    return taken


class _Recording:
    """One sweep being run and logged.

    grid   all its cells; `plan` is of those that are left to run
    taken  what an earlier sweep of the same plan has done, which this one continues; None for a new sweep
    """

    def __init__(
        self,
        *,
        grid: Grid,
        identities: Mapping[Settings, Identity],
        plan: Plan,
        outcome: SweepOutcome,
        store: Store,
        watcher: Watcher,
        taken: TakenOver | None,
    ) -> None:
        self.grid = grid
        self.identities = identities
        self.plan = plan
        self.outcome = outcome
        self.store = store
        self.watcher = watcher
        self.taken = taken
        self.sweep_id = taken.past.sweep_id if taken else new_sweep_id()
        self.keys = telling([cell.params() for cell in grid.cells])
        self.environment = json.dumps(environment(), indent=2)
        self.digests = {
            corpus: json.dumps(inputs.corpus.digests, indent=2, ensure_ascii=False)
            for corpus, inputs in plan.inputs.items()
        }
        self.values: dict[Settings, FloatArray] = dict(taken.values) if taken else {}
        self.corpora: dict[Hashable, dict[str, float]] = {}
        self.embedding_s: Mapping[Choice, float] = {}

    def carry_out(self, execution: Execution) -> SweepOutcome:
        digests = list(dict.fromkeys(inputs.questions_sha256 for inputs in self.plan.inputs.values()))
        began = self.taken.past.began_ms if self.taken else now_ms()
        earlier = {digest: self.store.count_sweeps_on(digest, began) for digest in digests}
        sweep_run = self._begin(digests, began)
        records: dict[Settings, RunRecord] = dict(self.taken.finished) if self.taken else {}
        judged: tuple[Judged, ...] = ()
        status = "KILLED"  # unless the end is reached: an interruption leaves no run RUNNING
        try:
            began = now_ms()
            self.embedding_s = execution.embedding_s
            with self.store.logging_cells() as log:
                for cell, result in execution.run(self.plan):
                    records[cell] = self._log(cell, result, began, log)
                    began = now_ms()
            judged = self._judge({cell: records[cell] for cell in self.grid.cells}, earlier)
            status = "FAILED" if any(record.status == "FAILED" for record in records.values()) else "FINISHED"
        finally:
            ordered = tuple(records[cell] for cell in self.grid.cells if cell in records)
            files = {LEADERBOARD: leaderboard_table(ordered)}
            files |= {VERDICT: verdict_json(judged)} if judged else {}
            self.store.end_sweep(sweep_run, status, files)
            names = [label(record.params, self.keys) for record in ordered]
            self.store.save_view(self.sweep_id, view_state(self.sweep_id, self.keys, names))
        return replace(self.outcome, sweep_id=self.sweep_id, records=ordered, judged=judged)

    def _begin(self, questions_sha256: Sequence[str], began_ms: int) -> str:
        """The run of the sweep, RUNNING; gives its run id."""
        if self.taken is not None:
            require_ended(self.taken.past)
            self.store.continue_sweep(self.taken.past.run_id, len(self.taken.finished))
            return self.taken.past.run_id
        return self.store.begin_sweep(
            self.sweep_id,
            self.outcome.name,
            {
                **{f"plan.{key}": count for key, count in self.outcome.counts.items()},
                "skipped.duplicate": self.outcome.duplicates,
                "skipped.impossible": sum(self.outcome.impossible.values()),
            },
            {
                "chunksweep.version": __version__,
                "chunksweep.questions_sha256": ",".join(questions_sha256),
                PLAN: plan_sha256(self.identities.values()),
            },
            began_ms,
        )

    def _judge(self, records: Mapping[Settings, RunRecord], earlier: Mapping[str, int]) -> tuple[Judged, ...]:
        names = {record.run_id: label(record.params, self.keys) for record in records.values()}
        found = verdicts_of(self.plan.inputs, records, self.values, names, earlier)
        return tuple(Judged(verdict_shape(verdict), tuple(sentences(verdict, names))) for verdict in found)

    def _log(self, cell: Settings, result: Outcome, began_ms: int, log: Callable[[CellRun], str]) -> RunRecord:
        inputs = self.plan.inputs[cell.corpus]
        params = cell.params()
        name = label(params, self.keys)
        tags = {
            "chunksweep.sweep_id": self.sweep_id,
            "chunksweep.sweep_name": self.outcome.name or "",
            "chunksweep.config_hash": self.identities[cell].config_hash,
            "chunksweep.corpus_sha256": inputs.corpus_sha256,
            "chunksweep.questions_sha256": inputs.questions_sha256,
            "chunksweep.model_sha256": self.identities[cell].model_sha256,
            "chunksweep.version": __version__,
        }
        if code := cell.code_sha256:
            tags[CODE] = code
        files = {
            "config.yaml": config_yaml(cell),
            "inputs.json": self.digests[cell.corpus],
            "environment.json": self.environment,
        }
        split = self.plan.split_of(cell)
        if isinstance(split, Split):
            files["chunks.jsonl"] = chunks_jsonl(inputs, split)
            files[INDEXING] = bill_json(self._bill(cell, split))
        if isinstance(result, Failure):
            self.watcher.failed(name, result.reason)
            tags["chunksweep.error"] = result.reason[:1000]
            files["error.txt"] = result.trace or result.reason
            metrics: dict[str, float] = {}
        else:
            self.values[cell] = values_of(cell, result)
            tags["chunksweep.everything_sent"] = str(result.everything_sent).lower()
            files["questions.json"] = questions_table(result)
            files[VALUES] = values_json(result.questions)
            metrics = result.metrics | self._corpus_metrics(cell)
        status = "FAILED" if isinstance(result, Failure) else "FINISHED"
        if self.taken is not None:
            self.store.replace_runs(self.taken.replaced.get(cell, ()))
        run_id = log(CellRun(name, params, metrics, tags, files, status, began_ms))
        return RunRecord(
            run_id,
            status,
            params,
            metrics,
            everything_sent=isinstance(result, CellResult) and result.everything_sent,
            error=result.reason if isinstance(result, Failure) else None,
            tags=tags,
        )

    def _corpus_metrics(self, cell: Settings) -> dict[str, float]:
        """Those of the documents; counted once for all cells that count alike."""
        key = cell.corpus, cell.tokenizer, cell.embedder if cell.tokenizer.name == "embedder" else None
        if key not in self.corpora:
            self.corpora[key] = stages.corpus_metrics(cell, self.plan.inputs[cell.corpus].corpus)
        return self.corpora[key]

    def _bill(self, cell: Settings, split: Split) -> IndexBill:
        """What an index of the cell takes."""
        documents = len(self.plan.inputs[cell.corpus].corpus.documents)
        parts = Parts(self.plan.compared.characters_of(cell), self.plan.compared.tokens_of(cell))
        if not stages.by_vectors(cell):
            nothing = np.zeros(len(split.chunks), np.int64)
            return index_bill(documents, split.chunks, nothing, None, Embedded(0, 0.0), parts=parts)
        work = self.plan.embeddings[cell.embedder]
        return index_bill(
            documents,
            split.chunks,
            work.tokens[embedded_rows(self.plan, cell)],
            work.embedder.window,
            Embedded(work.missing_tokens, self.embedding_s.get(cell.embedder, 0.0)),
            parts=parts,
        )


def new_sweep_id() -> str:
    """A new id that sorts by time; two sweeps of the same second differ."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def environment() -> dict[str, str]:
    """The versions that a result can depend on."""
    return {
        "chunksweep": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        **{library: version(library) for library in LIBRARIES},
        **{library: version(library) for library in SPLITTERS if any(distributions(name=library))},
    }


def config_yaml(cell: Settings) -> str:
    """The whole configuration of a cell."""
    return yaml_text(cell.tree())


def chunks_jsonl(inputs: stages.Inputs, split: Split) -> str:
    """Document, start, end, section path and page of every chunk, and what was added to it; one JSON object a line."""
    rows = zip(split.chunks.rows(), split.chunks.added or repeat(None), strict=False)
    return "".join(
        json.dumps(_chunk_row(inputs.corpus.documents[document], span, added), ensure_ascii=False) + "\n"
        for (document, span), added in rows
    )


def _chunk_row(source: Document, span: Span, added: Prefix | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "document": source.id,
        "start": span.start,
        "end": span.end,
        "section_path": source.section_path(span),
    }
    if source.pages:
        row["page"] = source.page(span)
    if added:
        row["added"] = {"text": added.text, "sources": [(copied.start, copied.end) for copied in added.sources]}
    return row


QUESTION_COLUMNS = ("id", "question", "facts", "outcome", "rank", "sent_tokens", "passages")


def questions_table(result: CellResult) -> str:
    """One row a question: what was asked, what became of it, and the passages that were sent."""
    return table(QUESTION_COLUMNS, [question_row(item) for item in result.questions])


def question_row(item: QuestionResult) -> list[Any]:
    """A row of `questions.json` under QUESTION_COLUMNS."""
    return [
        item.question.id,
        item.question.text,
        [fact.quote for fact in item.question.facts],
        item.outcome,
        item.answer_rank,
        item.values["cost/sent_tokens"],
        [
            {
                "document": passage.document_id,
                "start": passage.spans[0].start,
                "end": passage.spans[0].end,
                "section_path": list(passage.section_path),
                "score": passage.score,
            }
            for passage in item.passages
        ],
    ]


def leaderboard_table(records: tuple[RunRecord, ...]) -> str:
    """All cells with parameters and metrics, for the sweep's own run."""
    params = list(dict.fromkeys(key for record in records for key in record.params))
    metrics = sorted({key for record in records for key in record.metrics})
    rows = [
        [record.run_id, record.status, *(record.params.get(key) for key in params), *map(record.metrics.get, metrics)]
        for record in records
    ]
    return table(["run_id", "status", *params, *metrics], rows)
