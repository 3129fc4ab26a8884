"""What a run has logged of its questions, and what can still be read of the documents it was made from.

Nothing that a run names is imported or executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from chunksweep import rules, stages
from chunksweep.errors import ChunksweepError
from chunksweep.measures.outcomes import ANSWERED, NOT_FIRST
from chunksweep.questions import load_questions
from chunksweep.records import Chunks, Corpus, Document, Prefix, Question, RunRecord, Span
from chunksweep.settings import PrefixSettings, file_sha256

if TYPE_CHECKING:
    from chunksweep.tracking import Store


@dataclass(frozen=True, slots=True)
class SentPassage:
    """A passage as a run has logged it: its span, without a prefix that was sent before it."""

    document_id: str
    span: Span
    section_path: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Row:
    """What a run has logged of one question, see `QuestionResult`."""

    id: str
    question: str
    facts: tuple[str, ...]
    outcome: str
    rank: int | None
    passages: tuple[SentPassage, ...]

    @property
    def answered(self) -> bool:
        """Whether the passages that were sent hold all facts."""
        return self.outcome in (ANSWERED, NOT_FIRST)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What can still be read of what the runs were made from.

    corpus     the documents whose text is still what it was
    questions  by id, their facts with places; empty unless all documents and the questions are what they were
    missing    one line for each thing that cannot be shown, and why
    """

    corpus: Corpus = field(default_factory=lambda: Corpus(()))
    questions: Mapping[str, Question] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def documents(self) -> dict[str, Document]:
        """The documents by id."""
        return {document.id: document for document in self.corpus.documents}


@dataclass(frozen=True)
class LoggedRun:
    """A finished run, whose artifacts are read when they are needed. Nothing that it names is imported."""

    store: Store
    record: RunRecord

    @cached_property
    def rows(self) -> dict[str, Row]:
        """What it logged of each question."""
        return rows_of(json.loads(self._artifact("questions.json")))

    @cached_property
    def configuration(self) -> Mapping[str, Any]:
        """The configuration as nested plain data."""
        tree: Mapping[str, Any] = yaml.safe_load(self._artifact("config.yaml"))
        return tree

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """Document id -> sha256 of its text."""
        digests: Mapping[str, str] = json.loads(self._artifact("inputs.json"))
        return digests

    @property
    def prefix(self) -> PrefixSettings:
        """What it put before a chunk."""
        return PrefixSettings(**self.configuration["prefix"])

    def chunks(self, corpus: Corpus) -> Chunks:
        """Its chunks; `corpus` has all of its documents."""
        index = {document.id: row for row, document in enumerate(corpus.documents)}
        lines = [json.loads(line) for line in self._artifact("chunks.jsonl").split("\n") if line]
        rows = [(index[line["document"]], line["start"], line["end"]) for line in lines]
        document, start, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        added = tuple(_added(line["added"]) if "added" in line else None for line in lines)
        return Chunks(document, start, end, added if any(added) else ())

    def _artifact(self, name: str) -> str:
        return self.store.artifact(self.record.run_id, name)


def rows_of(table: Mapping[str, Any]) -> dict[str, Row]:
    """The rows of a run's `questions.json` by question id, in order."""
    records = (dict(zip(table["columns"], cells, strict=True)) for cells in table["data"])
    return {record["id"]: _row(record) for record in records}


def _row(record: Mapping[str, Any]) -> Row:
    return Row(
        id=record["id"],
        question=record["question"],
        facts=tuple(record["facts"]),
        outcome=record["outcome"],
        rank=record["rank"],
        passages=tuple(
            SentPassage(
                passage["document"],
                Span(passage["start"], passage["end"]),
                tuple(passage["section_path"]),
                passage["score"],
            )
            for passage in record["passages"]
        ),
    )


def _added(row: Mapping[str, Any]) -> Prefix:
    return Prefix(row["text"], tuple(Span(*source) for source in row["sources"]))


def sources_of(run: LoggedRun) -> Sources:
    """The documents and questions of a run as far as they are what they were."""
    try:
        settings = rules.corpus_of(run.configuration)
        found = stages.read_documents(settings)
    except ChunksweepError as error:
        return Sources(missing=(f"passages are shown without their text: {error}",))
    corpus = Corpus(tuple(item for item in found.documents if run.digests.get(item.id) == item.digest))
    gone = len(run.digests) - len(corpus.documents)
    if gone:
        text = (
            f"{gone} of {len(run.digests)} documents have changed or are gone: their passages are shown without text."
        )
        return Sources(corpus, missing=(text, "Facts are not marked, nor what cuts them."))
    path = settings.questions_path
    then = run.record.tags.get("chunksweep.questions_sha256")
    if path is None or not path.is_file() or file_sha256(path) != then:
        text = f"the questions file {path} has changed or is gone: facts are not marked, nor what cuts them."
        return Sources(corpus, missing=(text,))
    return Sources(corpus, {question.id: question for question in load_questions(path, corpus)})
