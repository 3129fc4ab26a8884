"""A sweep that goes on: what is taken over, what runs again, and that the result is that of an undisturbed one."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sweep.carrying_out import Watcher, swept
from tests.tiny_corpus import settings

from chunksweep.errors import TrackingError
from chunksweep.sweep import execute, resume, session
from chunksweep.sweep.resume import Identity, plan_sha256
from chunksweep.sweep.worker import Failure
from chunksweep.tracking import Store


@pytest.fixture
def cells(tiny):
    return [settings(tiny, chunker=name) for name in ("paragraphs", "whole", "fixed")]


class Interrupting(Watcher):
    """Presses Ctrl-C once a cell is logged."""

    def advance(self, parts=1):
        super().advance(parts)
        if self.steps[-1][0] == "measuring":
            raise KeyboardInterrupt


@pytest.fixture
def interrupted(cells, store):
    """The id of a sweep that was interrupted after its first cell."""
    with pytest.raises(KeyboardInterrupt):
        swept(cells, store, Interrupting())
    return store.sweep()["sweep_id"]


def runs_of(store, sweep_id):
    """Kind and status of every run of a sweep, replaced ones included, oldest first."""
    runs = list(store._search(f"tags.`chunksweep.sweep_id` = '{sweep_id}'"))
    return sorted((run.data.tags["chunksweep.kind"], run.info.status) for run in runs)


def untimed(metrics):
    return {name: value for name, value in metrics.items() if not name.startswith("time/")}


def results(outcome):
    """All of a sweep that is not of one occasion: ids and times."""
    chunkers = {record.run_id: record.params["chunker"] for record in outcome.records}
    verdict = outcome.judged[0].shape
    return (
        [(record.status, record.params, untimed(record.metrics), record.everything_sent) for record in outcome.records],
        sorted(chunkers[run_id] for run_id in verdict["contenders"]),
        chunkers[verdict["recommended"]],
        outcome.judged[0].words,
    )


def test_an_interrupted_sweep_ends_as_an_undisturbed_one(cells, store, interrupted, tmp_path):
    (finished,) = store.cells(interrupted)
    watcher = Watcher()
    resumed = swept(cells, store, watcher, resume=True)
    assert resumed.sweep_id == interrupted
    assert (resumed.planned, resumed.resumed, resumed.with_status("FINISHED")) == (3, 1, 3)
    assert finished.run_id in [record.run_id for record in resumed.records]
    assert watcher.notes == [f"sweep {interrupted} goes on: 1 of its 3 cells are finished."]
    assert runs_of(store, interrupted) == [("cell", "FINISHED")] * 3 + [("sweep", "FINISHED")]
    undisturbed = swept(cells, Store(f"sqlite:///{tmp_path / 'other' / 'mlflow.db'}"))
    assert results(resumed) == results(undisturbed)
    assert len(store.sweeps()) == 1


def test_only_what_is_missing_is_split_embedded_and_measured(cells, store, interrupted):
    watcher = Watcher()
    outcome = swept(cells, store, watcher, resume=True)
    assert ("splitting", 2) in watcher.steps
    assert watcher.steps[-1] == ("measuring", 2)
    # Two documents of whole, the same two of fixed with the line end that whole leaves out, the four sentences around
    # facts, three questions; the first paragraph, a heading and a sentence, is not among them.
    assert outcome.counts["distinct_texts"] == 11


def test_a_finished_sweep_needs_neither_cache_nor_model(cells, store, tiny):
    first = swept(cells, store)
    shutil.rmtree(tiny / "cache")
    watcher = Watcher()
    again = swept(cells, store, watcher, resume=True)
    assert (again.sweep_id, again.resumed, results(again)) == (first.sweep_id, 3, results(first))
    assert [record.run_id for record in again.records] == [record.run_id for record in first.records]
    assert watcher.steps == [("splitting", 0), ("measuring", 0)]
    assert not (tiny / "cache").exists()
    assert (store.sweep()["status"], store.sweep()["resumed"]) == ("FINISHED", 3)


def test_without_resume_a_sweep_is_new(cells, store, interrupted):
    outcome = swept(cells, store)
    assert (outcome.sweep_id == interrupted, outcome.resumed) == (False, 0)
    assert len(store.sweeps()) == 2


def test_the_latest_sweep_of_the_plan_goes_on(cells, store, monkeypatch):
    monkeypatch.setattr(session, "now_ms", iter(range(1, 1_000)).__next__)
    swept(cells, store)
    latest = swept(cells, store)
    swept(cells[:2], store)  # another plan
    assert swept(cells, store, resume=True).sweep_id == latest.sweep_id


def test_a_failed_cell_runs_again_and_its_newest_run_counts(cells, store, monkeypatch):
    rank = execute.run_ranking

    def failing(task):
        return [
            (cell, Failure("no luck")) if cell.chunker.name == "whole" else (cell, done) for cell, done in rank(task)
        ]

    with monkeypatch.context() as patch:
        patch.setattr(execute, "run_ranking", failing)
        first = swept(cells, store)
    assert first.with_status("FAILED") == 1
    again = swept(cells, store, resume=True)
    assert (again.resumed, again.with_status("FINISHED")) == (2, 3)
    assert runs_of(store, first.sweep_id) == [("cell", "FINISHED")] * 3 + [
        ("replaced", "FAILED"),
        ("sweep", "FINISHED"),
    ]
    assert {record.run_id for record in store.cells(first.sweep_id)} == {record.run_id for record in again.records}


def test_another_version_runs_all_again_under_the_same_id(cells, store, monkeypatch):
    first = swept(cells, store)
    for module in (resume, session):
        monkeypatch.setattr(module, "__version__", "99")
    again = swept(cells, store, resume=True)
    assert (again.sweep_id, again.resumed) == (first.sweep_id, 0)
    assert [record.tags["chunksweep.version"] for record in store.cells(first.sweep_id)] == ["99"] * 3
    assert {record.run_id for record in again.records}.isdisjoint(record.run_id for record in first.records)
    assert runs_of(store, first.sweep_id).count(("replaced", "FINISHED")) == 3


def add_a_question(tiny):
    with (tiny / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"question": "Who barks?", "fact": "Dogs dig"}')


def add_a_document(tiny):
    (tiny / "docs" / "eels.txt").write_text("Eels eat eagerly.", encoding="utf-8")


@pytest.mark.parametrize("change", [add_a_question, add_a_document])
def test_other_inputs_are_another_plan(cells, store, interrupted, tiny, change):
    change(tiny)
    watcher = Watcher()
    outcome = swept(cells, store, watcher, resume=True)
    assert (outcome.sweep_id == interrupted, outcome.resumed) == (False, 0)
    assert watcher.notes == [f"no sweep of these cells, documents and questions is in {store.uri}: a new one begins."]


def test_documents_that_were_moved_are_the_same(cells, store, interrupted, tiny):
    moved = tiny.rename(tiny.with_name("moved"))
    there = [settings(moved, chunker=cell.chunker.name) for cell in cells]
    outcome = swept(there, store, resume=True)
    assert (outcome.sweep_id, outcome.resumed) == (interrupted, 1)


def test_the_same_documents_under_two_paths_are_two_cells(cells, store, tiny):
    shutil.copytree(tiny, tiny.with_name("copy"))
    both = [cells[0], settings(tiny.with_name("copy"), chunker="paragraphs")]
    with pytest.raises(KeyboardInterrupt):
        swept(both, store, Interrupting())
    outcome = swept(both, store, resume=True)
    assert outcome.resumed == 1
    assert [record.params["corpus.path"] for record in outcome.records] == [cell.corpus.path for cell in both]
    assert len({record.run_id for record in outcome.records}) == 2


def test_a_run_whose_values_are_lost_is_run_again(cells, store):
    first = swept(cells, store)
    lost = first.records[1].run_id
    (store.folder / "artifacts" / lost / "artifacts" / "values.json").unlink()
    again = swept(cells, store, resume=True)
    assert again.resumed == 2
    assert results(again) == results(first)
    assert lost not in [record.run_id for record in store.cells(first.sweep_id)]


def test_a_dry_run_prices_what_is_left_and_changes_nothing(cells, store, interrupted):
    from tests.sweep.carrying_out import grid

    before = runs_of(store, interrupted)
    options = {"name": None, "store": store, "n_jobs": 1, "dry_run": True, "resume": True}
    outcome = session.run_sweep(grid(cells), watcher=Watcher(), **options)
    assert (outcome.sweep_id, outcome.planned, outcome.resumed) == (None, 3, 1)
    assert outcome.counts["embedded_texts"] == 0  # the interrupted one had embedded all
    assert runs_of(store, interrupted) == before


def test_a_sweep_that_lives_is_not_resumed(cells, store, interrupted):
    with store.living.hold(interrupted), pytest.raises(TrackingError, match="still running in another process"):
        swept(cells, store, resume=True)


def test_a_sweep_that_may_run_on_another_machine_is_not_resumed(cells, store, interrupted):
    past = store.latest_of_plan(plan_sha256(resume.identities_of(cells, inputs_of(cells)).values()))
    store.continue_sweep(past.run_id, 0)  # RUNNING, and no process here holds it
    with pytest.raises(TrackingError, match="another machine"):
        swept(cells, store, resume=True)
    assert store.sweep()["status"] == "RUNNING"


def inputs_of(cells):
    from chunksweep import stages

    return {cell.corpus: stages.read_inputs(cell.corpus) for cell in cells}


IDENTITIES = st.builds(Identity, st.sampled_from("abc"), st.sampled_from("xy"))


@given(st.lists(IDENTITIES), st.randoms())
def test_a_plan_is_the_same_in_any_order(identities, random):
    shuffled = identities.copy()
    random.shuffle(shuffled)
    assert plan_sha256(shuffled) == plan_sha256(identities)


@given(st.lists(IDENTITIES), st.lists(IDENTITIES))
def test_plans_of_other_cells_differ(one, other):
    assert (plan_sha256(one) == plan_sha256(other)) == (sorted(one) == sorted(other))


def test_what_changes_a_result_changes_the_identity_and_nothing_else_does(cells):
    inputs = inputs_of(cells)
    identity = resume.identities_of(cells[:1], inputs)[cells[0]]

    def same(**changes):
        cell = replace(cells[0], **changes)
        return resume.identities_of([cell], inputs)[cell] == identity

    assert not same(send=1)
    assert not same(k=(1, 3, 5))
    assert same(verdict=replace(cells[0].verdict, margin=0.2))
    assert same(cache=replace(cells[0].cache, dir="elsewhere"))
