from urllib.parse import quote

import pytest

from chunksweep.cli import main
from chunksweep.report.mlflow_view import search_filter
from chunksweep.tracking import Store, resolve_uri

SHOWN = "/#/experiments/1/runs?workflowType=machine_learning&"


@pytest.fixture(scope="module")
def old_store(tmp_path_factory):
    """A store with one sweep without cells, such as a version without views left it."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'mlflow.db'}")
    store.open()
    store.end_sweep(store.begin_sweep("old", None, {}, {}), "FINISHED", {})
    return store


def address_by_filter(sweep_id):
    return f"{SHOWN}searchFilter={quote(search_filter(sweep_id))}"


def test_a_sweep_without_a_view_is_shown_by_a_filter(old_store):
    assert old_store.address_of_sweep("old") == address_by_filter("old")


def test_a_view_that_was_kept_stands_in_the_address_alone(old_store):
    old_store.end_sweep(old_store.begin_sweep("new", None, {}, {}), "FINISHED", {})
    old_store.save_view("new", "{}")
    assert old_store.address_of_sweep("new") == f"{SHOWN}viewStateShareKey=chunksweep-new"
    assert old_store.address_of_sweep("old") == address_by_filter("old")


def test_a_view_that_mlflow_refuses_is_left_out(old_store):
    old_store.end_sweep(old_store.begin_sweep("refused", None, {}, {}), "FINISHED", {})
    old_store.save_view("refused", "x" * 1_000_000)
    assert old_store.address_of_sweep("refused") == address_by_filter("refused")


def test_every_sweep_leaves_a_view(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "chunker=whole", "embedder=test"]) == 0
    store = Store(resolve_uri(None, None))
    (sweep,) = store.sweeps()
    assert store.address_of_sweep(sweep["sweep_id"]).endswith(f"viewStateShareKey=chunksweep-{sweep['sweep_id']}")
