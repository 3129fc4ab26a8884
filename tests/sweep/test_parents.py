"""Small chunks are searched and their parents sent: real faults of tools that do so, with their right values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.sweep.carrying_out import carried_out, swept, untimed
from tests.tiny_corpus import settings

from chunksweep import stages
from chunksweep.records import CellResult, RunRecord
from chunksweep.reproduction import compare_inputs, compare_metrics, read_run
from chunksweep.settings import Settings
from chunksweep.sweep.session import SweepOutcome

# Ten children that are as near to the question as can be, then the parents with one child each.
MANY = " ".join(f"Bees buzz by blossom {number}." for number in range(10))
PARENTS = [MANY, "Bees buzz about.", "Bees amble."]
QUESTION = "Bees buzz by blossom?"


def corpus(folder: Path, documents: dict[str, str], fact: str) -> Path:
    (folder / "docs").mkdir()
    for name, text in documents.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    (folder / "questions.jsonl").write_text(json.dumps({"question": QUESTION, "fact": fact}), encoding="utf-8")
    return folder


def result(cell: Settings, folder: Path) -> CellResult:
    (outcome,) = carried_out([cell], folder).values()
    return untimed(outcome)


@pytest.fixture
def parents(tmp_path: Path) -> Path:
    return corpus(tmp_path, {"a.txt": "\n\n".join(PARENTS)}, "Bees amble")


def test_parents_are_counted_and_not_their_children(parents: Path):
    cell = settings(parents, chunker="sentences", retriever__expand="parent", send=3)
    found = result(cell, parents)
    (question,) = found.questions
    assert [passage.text for passage in question.passages] == PARENTS
    scores = [passage.score for passage in question.passages]
    assert scores == sorted(scores, reverse=True)
    tokens = stages.tokenizer_of(cell.tokenizer, cell.embedder).count(PARENTS).tolist()
    assert found.metrics["cost/sent_tokens"] == sum(tokens)
    assert found.metrics["cost/repeated_tokens"] == 0
    assert found.metrics["retrieval/answerable"] == 1
    # As chunks, the three best are children of the first.
    assert found.metrics["retrieval/recall_at_3"] == 0
    assert found.everything_sent
    assert found.metrics["chunks/count"] == found.metrics["cost/index_vectors"] == 12


def test_equal_parents_of_two_documents_stay_two_passages(tmp_path: Path):
    folder = corpus(tmp_path, {"x.md": "# S\nBees buzz by.", "y.md": "# S\nBees buzz by."}, "Bees buzz")
    for kind in ("parent", "section", "document", "window"):
        found = result(settings(folder, chunker="headings", retriever__expand=kind), folder)
        assert [passage.document_id for passage in found.questions[0].passages] == ["x.md", "y.md"]
        assert len({passage.text for passage in found.questions[0].passages}) == 1


CELLS = [
    {"retriever": "hybrid", "retriever__expand": "parent"},
    {"retriever": "bm25", "retriever__expand": "window", "send_tokens": 30},
    {"retriever__mmr": 0.5, "retriever__expand": "section", "retriever__dedupe": 0.5},
]


class Quiet:
    def step(self, name: str, total: int) -> None: ...

    def advance(self, parts: int = 1) -> None: ...


def test_runs_with_retrievers_and_expansions_can_be_reproduced(parents: Path, store):
    outcome: SweepOutcome = swept([settings(parents, chunker="sentences", **each) for each in CELLS], store)
    records: list[RunRecord] = list(outcome.records)
    assert [record.status for record in records] == ["FINISHED"] * 3
    for record in records:
        run = read_run(store, record.run_id)
        assert compare_inputs(run).same
        compared = compare_metrics(run, Quiet())
        assert [name for name, one in compared.items() if not one.identical or one.tied] == []
    again = swept([settings(parents, chunker="sentences", **each) for each in CELLS], store, resume=True)
    assert again.resumed == 3
