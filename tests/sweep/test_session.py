"""A sweep and its record: what a run holds, what fails, what an interruption leaves."""

from __future__ import annotations

import json
from importlib.metadata import version

import numpy as np
import pytest
import yaml
from tests.sweep.carrying_out import Watcher, grid, planned, swept
from tests.tiny_corpus import DOCUMENTS, UNITS, settings, tree, write

import chunksweep
from chunksweep import rules, stages
from chunksweep.errors import TrackingError
from chunksweep.indexing import read_bill
from chunksweep.records import Chunks, Corpus, Document, Prefix, Span
from chunksweep.sweep.plan import grid_of
from chunksweep.sweep.session import chunks_jsonl, new_sweep_id, run_sweep
from chunksweep.sweep.values import read_values
from chunksweep.sweep.worker import Split
from chunksweep.tracking import Store


class Once:
    """One sweep of three cells, looked at by several tests."""

    def __init__(self, folder):
        self.folder = write(folder / "tiny")
        self.store = Store(f"sqlite:///{folder / 'mlruns' / 'mlflow.db'}")
        self.cells = [
            settings(self.folder, overlap=0.5, size=2),
            settings(self.folder, prefix="heading", prices__input=1),
            settings(self.folder, chunker="whole"),
        ]
        self.watcher = Watcher()
        self.outcome = swept(self.cells, self.store, self.watcher)
        self.run_id = self.outcome.records[1].run_id

    def artifact(self, name):
        return self.store.artifact(self.run_id, name)


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    return Once(tmp_path_factory.mktemp("once"))


def test_the_outcome_counts_what_was_done(once):
    outcome = once.outcome
    assert (outcome.name, outcome.planned, outcome.questions) == ("tiny", 3, {"own": 3})
    assert (outcome.with_status("FINISHED"), outcome.with_status("FAILED")) == (3, 0)
    assert (outcome.duplicates, outcome.impossible, outcome.unread) == (0, {}, {"own": ()})
    assert [record.params["chunker"] for record in outcome.records] == ["paragraphs", "paragraphs", "whole"]


def test_the_store_holds_what_the_outcome_says(once):
    stored = {record.run_id: record for record in once.store.cells(once.outcome.sweep_id)}
    assert set(stored) == {record.run_id for record in once.outcome.records}
    for record in once.outcome.records:
        kept = stored[record.run_id]
        assert (kept.status, kept.params, kept.metrics) == (record.status, record.params, record.metrics)
        assert kept.everything_sent == record.everything_sent
        assert record.tags.items() <= kept.tags.items()


def test_params_come_back_typed(once):
    params = once.store.find(once.outcome.records[0].run_id).params
    assert params == once.cells[0].params()
    assert (params["overlap"], params["size"], params["k"], params["prices.input"]) == (0.5, 2, [1, 3], None)


def test_tags_of_a_cell(once):
    inputs = stages.read_inputs(once.cells[1].corpus)
    model = stages.embedder_of(once.cells[1].embedder).model_sha256
    assert once.store.find(once.run_id).tags == {
        "chunksweep.kind": "cell",
        "chunksweep.sweep_id": once.outcome.sweep_id,
        "chunksweep.sweep_name": "tiny",
        "chunksweep.config_hash": once.cells[1].config_hash(inputs.corpus_sha256, inputs.questions_sha256, model),
        "chunksweep.corpus_sha256": inputs.corpus_sha256,
        "chunksweep.questions_sha256": inputs.questions_sha256,
        "chunksweep.model_sha256": model,
        "chunksweep.version": chunksweep.__version__,
        "chunksweep.everything_sent": "false",
    }


def test_everything_sent_is_marked(once):
    assert [record.everything_sent for record in once.outcome.records] == [True, False, True]


def test_config_yaml_makes_the_same_cell(once):
    assert rules.from_tree(yaml.safe_load(once.artifact("config.yaml"))) == once.cells[1]


def test_inputs_json(once):
    digests = stages.read_inputs(once.cells[1].corpus).corpus.digests
    assert json.loads(once.artifact("inputs.json")) == digests
    assert list(digests) == list(DOCUMENTS)


def test_chunks_jsonl(once):
    chunks = [json.loads(line) for line in once.artifact("chunks.jsonl").splitlines()]
    assert [DOCUMENTS[chunk["document"]][chunk["start"] : chunk["end"]] for chunk in chunks] == UNITS
    assert [chunk["section_path"] for chunk in chunks] == [["Bees"], ["Bees"], [], []]
    assert all(list(chunk) == ["document", "start", "end", "section_path"] for chunk in chunks)


def test_chunks_jsonl_cites_pages_and_keeps_what_was_added():
    document = Document("a.pdf", "ab cd", "a", (), pages=(Span(0, 2), Span(3, 5)))
    header = Prefix("x | y\n", (Span(0, 1), Span(1, 2)))
    chunks = Chunks(np.array([0, 0]), np.array([0, 3]), np.array([2, 5]), (None, header))
    inputs = stages.Inputs(Corpus((document,)), (), "", "")
    first, second = map(json.loads, chunks_jsonl(inputs, Split(chunks, {}, 0.0)).splitlines())
    assert first == {"document": "a.pdf", "start": 0, "end": 2, "section_path": [], "page": 1}
    assert second == {
        **{"document": "a.pdf", "start": 3, "end": 5, "section_path": [], "page": 2},
        "added": {"text": "x | y\n", "sources": [[0, 1], [1, 2]]},
    }


def test_questions_json(once):
    table = json.loads(once.artifact("questions.json"))
    assert table["columns"] == ["id", "question", "facts", "outcome", "rank", "sent_tokens", "passages"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    # With the heading before it the ants' paragraph has b 1, a 4: second best for the bees, still best for the third.
    told = [(row["id"], row["question"], row["facts"], row["outcome"], row["rank"]) for row in rows]
    assert told == [
        ("bees", "Buzzing bees?", ["buzz by blossoms"], "answered", 1),
        ("dogs", "Do dogs dig?", ["dig deep dens"], "answered", 1),
        ("both", "Cats and ants?", ["creep close", "amble along"], "not first", 2),
    ]
    sent = [
        [DOCUMENTS[passage["document"]][passage["start"] : passage["end"]] for passage in row["passages"]]
        for row in rows
    ]
    assert sent == [UNITS[0:2], [UNITS[3], UNITS[0]], UNITS[1:3]]
    counter = stages.tokenizer_of(once.cells[1].tokenizer, once.cells[1].embedder)
    assert [row["sent_tokens"] for row in rows] == [counter.count(texts).sum() for texts in sent]
    first = rows[0]["passages"][0]
    assert (first["section_path"], first["score"]) == (["Bees"], pytest.approx(5 / 26**0.5, abs=1e-6))
    assert list(first) == ["document", "start", "end", "section_path", "score"]


def test_environment_json(once):
    told = json.loads(once.artifact("environment.json"))
    assert told["chunksweep"] == chunksweep.__version__
    assert {"python", "machine", "system"} <= set(told)
    assert all(told[name] == version(name) for name in ("mlflow", "hydra-core", "numpy", "sentence-transformers"))


def test_the_sweeps_own_run(once):
    (sweep,) = once.store.sweeps()
    assert sweep["sweep_id"] == once.outcome.sweep_id
    assert (sweep["sweep_name"], sweep["status"]) == ("tiny", "FINISHED")
    counts = {f"plan.{key}": count for key, count in once.outcome.counts.items()}
    assert sweep["params"] == {**counts, "skipped.duplicate": 0, "skipped.impossible": 0}


def test_names_of_runs_tell_them_apart(once):
    client = once.store._connected()
    names = [client.get_run(record.run_id).info.run_name for record in once.outcome.records]
    assert len(set(names)) == 3
    assert all(
        name.startswith(record.params["chunker"]) for name, record in zip(names, once.outcome.records, strict=True)
    )


def test_a_dry_run_plans_and_makes_no_store(tiny, store):
    outcome = run_sweep(grid([settings(tiny)]), name=None, store=store, n_jobs=1, watcher=Watcher(), dry_run=True)
    assert (outcome.sweep_id, outcome.records, outcome.counts["embedded_texts"]) == (None, (), 8)
    assert not store.folder.exists()


def test_what_was_dropped_and_not_read_is_told(tiny, store):
    (tiny / "docs" / "bad.md").write_bytes(b"\xff\xfe\x00")
    cells = grid_of(
        [tree(changes, tiny) for changes in ({}, {"size": 1}, {"size": 1, "overlap": 1})], read=rules.from_tree
    )
    outcome = run_sweep(cells, name=None, store=store, n_jobs=1, watcher=Watcher())
    assert (outcome.duplicates, sum(outcome.impossible.values())) == (1, 1)
    ((name, reason),) = outcome.unread["own"]
    assert name == "bad.md"
    assert reason
    assert outcome.records[0].metrics["corpus/unread"] == 1
    (sweep,) = store.sweeps()
    assert (sweep["params"]["skipped.duplicate"], sweep["params"]["skipped.impossible"]) == (1, 1)
    assert sweep["sweep_name"] is None


def test_a_failed_cell_is_logged_with_its_reason(tiny, store):
    (tiny / "docs" / "bees.md").write_text("# Bees buzz by blossoms, ants amble along\n", encoding="utf-8")
    (tiny / "docs" / "cats.txt").unlink()
    (tiny / "docs" / "cats.md").write_text("# creep close and dig deep dens\n", encoding="utf-8")
    watcher = Watcher()
    outcome = swept([settings(tiny, chunker="headings"), settings(tiny, chunker="whole")], store, watcher)
    assert [record.status for record in outcome.records] == ["FAILED", "FINISHED"]
    failed = store.find(outcome.records[0].run_id)
    assert failed.error == outcome.records[0].error
    assert failed.error.startswith("chunker=headings leaves no chunk of 2 documents")
    assert (failed.status, failed.metrics) == ("FAILED", {})
    assert store.artifact(failed.run_id, "error.txt") == failed.error
    assert watcher.failures == [("headings", failed.error)]
    assert store.sweeps()[0]["status"] == "FAILED"
    with pytest.raises(TrackingError, match=r"no artifact questions\.json"):
        store.artifact(failed.run_id, "questions.json")


class Interrupting(Watcher):
    """Presses Ctrl-C once a cell is measured."""

    def advance(self, parts: int = 1) -> None:
        super().advance(parts)
        if self.steps[-1][0] == "measuring":
            raise KeyboardInterrupt


def statuses(store):
    runs = store._search("attributes.run_id LIKE '%'")
    return sorted((run.data.tags["chunksweep.kind"], run.info.status) for run in runs)


def test_an_interrupted_sweep_keeps_what_was_finished(tiny, store):
    cells = [settings(tiny), settings(tiny, chunker="whole")]
    with pytest.raises(KeyboardInterrupt):
        swept(cells, store, Interrupting())
    assert statuses(store) == [("cell", "FINISHED"), ("sweep", "KILLED")]
    (kept,) = store.cells(store.sweeps()[0]["sweep_id"])
    table = json.loads(
        store.artifact(next(store._search("tags.`chunksweep.kind` = 'sweep'")).info.run_id, "leaderboard.json")
    )
    assert [row[0] for row in table["data"]] == [kept.run_id]


def test_an_interruption_while_a_cell_is_logged_leaves_no_part_of_its_run(tiny, store, monkeypatch):
    write_files = Store._write_files

    def interrupted(self, run_id, files):
        if "config.yaml" in files:
            raise KeyboardInterrupt
        write_files(self, run_id, files)

    monkeypatch.setattr(Store, "_write_files", interrupted)
    with pytest.raises(KeyboardInterrupt):
        swept([settings(tiny)], store)
    assert statuses(store) == [("sweep", "KILLED")]
    assert store.cells(store.sweeps()[0]["sweep_id"]) == []


def test_an_unusable_store_is_noticed_before_anything_is_embedded(tiny, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    watcher = Watcher()
    with pytest.raises(TrackingError, match="cannot be used"):
        swept([settings(tiny)], Store(f"sqlite:///{tmp_path / 'file' / 'mlruns' / 'mlflow.db'}"), watcher)
    assert "embedding" not in [name for name, _ in watcher.steps]
    assert planned([settings(tiny)], tmp_path).counts()["cached_texts"] == 0


def test_a_second_sweep_embeds_nothing_and_scores_the_same(tiny, store):
    cells = [settings(tiny), settings(tiny, chunker="whole")]
    first, second = swept(cells, store), swept(cells, store)
    assert (second.counts["cached_texts"], second.counts["embedded_texts"]) == (10, 0)
    assert first.sweep_id != second.sweep_id
    for one, two in zip(first.records, second.records, strict=True):
        assert {name: value for name, value in one.metrics.items() if not name.startswith("time/")} == {
            name: value for name, value in two.metrics.items() if not name.startswith("time/")
        }
        assert one.tags["chunksweep.config_hash"] == two.tags["chunksweep.config_hash"]


def test_sweep_ids_differ_and_sort_by_time(monkeypatch):
    one = new_sweep_id()
    assert len({new_sweep_id() for _ in range(50)}) == 50
    monkeypatch.setattr("chunksweep.sweep.session.time.strftime", lambda *_: "99991231-235959")
    assert one < new_sweep_id()
    assert one.replace("-", "").isalnum()


def test_the_values_of_every_question_are_kept(once):
    kept = read_values(once.artifact("values.json"))
    record = once.store.find(once.run_id)
    asked = stages.read_inputs(once.cells[1].corpus).questions
    assert [sorted(each) for each in kept.documents] == [
        sorted({place.document_id for fact in question.facts for place in fact.places}) for question in asked
    ]
    for name, values in kept.values.items():
        known = [value for value in values if value is not None]
        if name in record.metrics:
            assert record.metrics[name] == pytest.approx(sum(known) / len(known))
    assert kept.values.keys() >= {"retrieval/answerable", "retrieval/mrr", "cost/sent_tokens"}


def test_the_bill_of_the_index_is_kept(once):
    bill = read_bill(once.artifact("indexing.json"))
    metrics = once.store.find(once.run_id).metrics
    assert (bill.documents, bill.chunks, bill.tokens) == (
        len(DOCUMENTS),
        metrics["chunks/count"],
        metrics["cost/embedded_tokens"],
    )
    assert bill.character_chunks == pytest.approx(1 + metrics["chunks/effective_overlap"])
    assert bill.tokens_per_second is None  # a moment's work, no measurement


def test_the_rate_of_embedding_is_measured_where_something_was_embedded(tmp_path, monkeypatch):
    monkeypatch.setattr("chunksweep.indexing.MEASURABLE_S", 0)
    store = Store(f"sqlite:///{tmp_path / 'mlruns' / 'mlflow.db'}")
    cells = [settings(write(tmp_path / "tiny"))]
    rates = []
    for outcome in (swept(cells, store), swept(cells, store)):
        bill = read_bill(store.artifact(outcome.records[0].run_id, "indexing.json"))
        rates.append(bill.tokens_per_second)
    assert rates[0] > 0
    assert rates[1] is None  # all from the cache
