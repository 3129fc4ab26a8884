"""The tracking store: what is logged comes back, what cannot be is one line."""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote

import pytest

from chunksweep import tracking
from chunksweep.errors import TrackingError
from chunksweep.tracking import CellRun, Store, resolve_uri


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        pytest.param((None, None), None, "sqlite:///{here}/mlruns/mlflow.db", id="below the working directory"),
        pytest.param((None, None), "http://a:1", "http://a:1", id="the environment"),
        pytest.param((None, "http://b:2"), "http://a:1", "http://b:2", id="the configuration before it"),
        pytest.param(("http://c:3", "http://b:2"), "http://a:1", "http://c:3", id="the flag before both"),
        pytest.param(("sqlite:///x/y.db", None), None, "sqlite:///{here}/x/y.db", id="a relative database"),
        pytest.param(("sqlite:////x/y.db", None), None, "sqlite:////x/y.db", id="an absolute database"),
        pytest.param(("postgresql://h/d", None), None, "postgresql://h/d", id="another database"),
    ],
)
def test_which_store(tmp_path, monkeypatch, given, environment, expected):
    monkeypatch.chdir(tmp_path)
    if environment:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", environment)
    assert resolve_uri(*given) == expected.format(here=tmp_path)


@pytest.mark.parametrize("uri", ["runs", "./runs", "file:{here}/runs", "file://{here}/runs", "{here}/runs"])
def test_a_folder_is_refused_with_the_database_to_use_instead(tmp_path, monkeypatch, uri):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrackingError) as caught:
        resolve_uri(uri.format(here=tmp_path), None)
    assert f"sqlite:///{tmp_path}/runs/mlflow.db" in str(caught.value)


def cell(sweep_id="s1", number=0, **changes):
    given = {
        "name": f"cell {number}",
        "params": {"size": number, "k": [1, 3], "chunker": "fixed", "prefix": None, "overlap": 0.5},
        "metrics": {"retrieval/mrr": number / 8},
        "tags": {"chunksweep.sweep_id": sweep_id},
        "files": {"a.txt": f"é {number}\n"},
        "status": "FINISHED",
        "began_ms": 1_000 + number,
    }
    return CellRun(**given | changes)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store of two sweeps with eight cells and one, and a failed cell; read by several tests, never written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracking.store, "now_ms", itertools.count(1).__next__)
        store = Store(f"sqlite:///{tmp_path_factory.mktemp('filled') / 'mlflow.db'}")
        store.open()
        for sweep_id, name in (("20260101-a", "first"), ("20260102-b", None)):
            run_id = store.begin_sweep(sweep_id, name, {"plan.cells": 8}, {"chunksweep.version": "1"})
            store.end_sweep(run_id, "FINISHED", {"leaderboard.json": "{}"})
    for number in range(8):
        store.log_cell(cell("20260101-a", number))
    error = {"chunksweep.sweep_id": "20260102-b", "chunksweep.error": "no chunk", "chunksweep.everything_sent": "true"}
    store.log_cell(cell(number=9, tags=error, status="FAILED", metrics={}))
    return store


def test_sweeps_newest_first(filled):
    told = [(sweep["sweep_id"], sweep["sweep_name"], sweep["status"]) for sweep in filled.sweeps()]
    assert told == [("20260102-b", None, "FINISHED"), ("20260101-a", "first", "FINISHED")]
    assert filled.sweeps()[0]["params"] == {"plan.cells": 8}
    assert filled.sweeps()[0]["started_ms"] > filled.sweeps()[1]["started_ms"]


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        pytest.param(None, "20260102-b", id="the latest"),
        pytest.param("20260101", "20260101-a", id="a beginning"),
        pytest.param("20260102-b", "20260102-b", id="all of it"),
    ],
)
def test_one_sweep(filled, beginning, expected):
    assert filled.sweep(beginning)["sweep_id"] == expected


@pytest.mark.parametrize(
    ("beginning", "words"), [pytest.param("2026", "2 sweeps", id="several"), pytest.param("x", "0 sweeps", id="none")]
)
def test_no_such_sweep(filled, beginning, words):
    with pytest.raises(TrackingError, match=f"{beginning}: {words}.*chunksweep list"):
        filled.sweep(beginning)


def test_cells_of_a_sweep_oldest_first(filled):
    records = filled.cells("20260101-a")
    assert [record.params["size"] for record in records] == list(range(8))
    assert records[3].params == {"size": 3, "k": [1, 3], "chunker": "fixed", "prefix": None, "overlap": 0.5}
    assert records[3].metrics == {"retrieval/mrr": 3 / 8}
    assert records[3].tags == {"chunksweep.kind": "cell", "chunksweep.sweep_id": "20260101-a"}


def test_more_runs_than_a_page_holds(filled, monkeypatch):
    monkeypatch.setattr(tracking.store, "PAGE", 3)
    assert [record.params["size"] for record in filled.cells("20260101-a")] == list(range(8))


def test_a_failed_cell(filled):
    (record,) = filled.cells("20260102-b")
    assert (record.status, record.error, record.everything_sent, record.metrics) == ("FAILED", "no chunk", True, {})


def test_a_run_by_the_beginning_of_its_id(filled):
    record = filled.cells("20260101-a")[5]
    others = [other.run_id for other in filled.cells("20260101-a") if other != record]
    length = next(n for n in range(1, 33) if not any(other.startswith(record.run_id[:n]) for other in others))
    assert filled.find(record.run_id) == record
    assert filled.find(record.run_id[: length + 6]) == record


@pytest.mark.parametrize(
    ("beginning", "words"),
    [
        pytest.param("zz", "0 runs", id="none"),
        pytest.param("%", "no run id", id="a wildcard"),
        pytest.param("", "no run id", id="nothing"),
        pytest.param("a' or '1", "no run id", id="a condition"),
    ],
)
def test_no_such_run(filled, beginning, words):
    with pytest.raises(TrackingError, match=words) as caught:
        filled.find(beginning)
    assert "chunksweep compare" in str(caught.value)


def test_several_runs_begin_alike(filled):
    # Sixteen beginnings of one letter for eleven runs: where no two share one, none is ambiguous.
    ids = [record.run_id for name in ("20260101-a", "20260102-b") for record in filled.cells(name)]
    shared = {one[0] for one, two in itertools.combinations(sorted(ids), 2) if one[0] == two[0]}
    for letter in shared:
        with pytest.raises(TrackingError, match=rf"{letter}: \d+ runs"):
            filled.find(letter)


def test_artifacts(filled):
    run_id = filled.cells("20260101-a")[2].run_id
    assert filled.artifact(run_id, "a.txt") == "é 2\n"
    with pytest.raises(TrackingError, match=rf"run {run_id} has no artifact b\.txt"):
        filled.artifact(run_id, "b.txt")


def test_artifacts_lie_where_mlflow_looks_for_them(filled, tmp_path):
    run_id = filled.cells("20260101-a")[2].run_id
    client = filled._connected()
    assert [file.path for file in client.list_artifacts(run_id)] == ["a.txt"]
    assert Path(client.download_artifacts(run_id, "a.txt", tmp_path)).read_text(encoding="utf-8") == "é 2\n"


def test_artifacts_of_an_experiment_that_another_program_made_go_where_it_says(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'mlflow.db'}", "theirs")
    store._connected().create_experiment("theirs", artifact_location=(tmp_path / "elsewhere").as_uri())
    run_id = store.log_cell(cell())
    assert (tmp_path / "elsewhere" / run_id / "artifacts" / "a.txt").is_file()
    assert store.artifact(run_id, "a.txt") == "é 0\n"


@pytest.mark.parametrize("sweep_id", ["it's", "back\\slash"])
def test_a_sweep_id_that_cannot_be(filled, sweep_id):
    with pytest.raises(TrackingError, match="is no sweep id"):
        filled.cells(sweep_id)


def test_the_address_of_a_sweep_shows_its_cells_alone(filled):
    address = filled.address_of_sweep("20260101-a")
    number = filled._existing().experiment_id
    assert address.startswith(f"/#/experiments/{number}/runs?workflowType=machine_learning&")
    assert " " not in address
    condition = unquote(address.partition("searchFilter=")[2])
    runs = filled._connected().search_runs([number], condition)
    assert {run.info.run_id for run in runs} == {record.run_id for record in filled.cells("20260101-a")}


def test_runs_say_who_made_them(filled):
    run = filled._connected().get_run(filled.cells("20260101-a")[0].run_id)
    assert run.data.tags["mlflow.source.name"] == "chunksweep"
    assert run.data.tags["mlflow.user"]
    assert json.loads(run.data.tags["mlflow.loggedArtifacts"]) == [{"path": "questions.json", "type": "table"}]
    assert (run.info.run_name, run.info.start_time, run.info.status) == ("cell 0", 1_000, "FINISHED")
    assert run.info.end_time is not None


def test_a_store_that_is_not_there_is_empty_and_not_made(store):
    assert store.sweeps() == store.cells("x") == []
    with pytest.raises(TrackingError, match="0 runs"):
        store.find("abc")
    with pytest.raises(TrackingError, match="no sweep is in sqlite"):
        store.sweep()
    assert not store.folder.exists()


def test_a_local_store_keeps_artifacts_beside_its_database(store):
    store.open()
    run_id = store.log_cell(cell())
    assert [path.name for path in store.folder.rglob("a.txt")] == ["a.txt"]
    assert run_id in str(next(store.folder.rglob("a.txt")))


def test_a_local_store_has_a_write_ahead_log(store):
    store.open()
    with closing(sqlite3.connect(store.folder / "mlflow.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_store_can_be_opened_again(store):
    store.open()
    run_id = store.log_cell(cell())
    again = Store(store.uri)
    again.open()
    assert again.find(run_id).params["size"] == 0
    assert len(again.cells("s1")) == 1


def test_experiments_of_one_store_are_read_together(store):
    store.open()
    other = Store(store.uri, "another")
    other.open()
    store.log_cell(cell(number=1))
    other.log_cell(cell(number=2))
    assert [record.params["size"] for record in store.cells("s1")] == [1, 2]


def test_an_experiment_that_is_missing_is_named(store):
    store.open()
    with pytest.raises(TrackingError, match="the experiment another is not in sqlite"):
        Store(store.uri, "another").log_cell(cell())


def test_a_run_id_in_the_environment_does_not_matter(store, monkeypatch):
    for name in ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.setenv(name, "f" * 32)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    store.open()
    run_id = store.log_cell(cell())
    assert run_id != "f" * 32
    assert store.find(run_id).status == "FINISHED"


def below_a_file(folder: Path) -> Path:
    (folder / "file").write_text("in the way", encoding="utf-8")
    return folder / "file" / "mlflow.db"


def damaged(folder: Path) -> Path:
    (folder / "mlflow.db").write_bytes(b"no database at all" * 1000)
    return folder / "mlflow.db"


def a_folder(folder: Path) -> Path:
    (folder / "mlflow.db").mkdir()
    return folder / "mlflow.db"


@pytest.mark.parametrize("make", [below_a_file, damaged, a_folder])
def test_a_store_that_cannot_be_written_is_one_line(tmp_path, make):
    store = Store(f"sqlite:///{make(tmp_path)}")
    with pytest.raises(TrackingError) as caught:
        store.open()
    message = str(caught.value)
    assert "\n" not in message
    assert store.uri in message
    assert "--tracking-uri" in message


def test_a_damaged_store_cannot_be_read_either(tmp_path):
    with pytest.raises(TrackingError, match="cannot be used"):
        Store(f"sqlite:///{damaged(tmp_path)}").sweeps()


def test_a_server_that_is_away_is_one_line(monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    store = Store("http://127.0.0.1:9")
    assert store.folder is None
    with pytest.raises(TrackingError, match=r"http://127\.0\.0\.1:9 cannot be used") as caught:
        store.open()
    assert "\n" not in str(caught.value)


def test_faults_of_ones_own_are_not_hidden(store, monkeypatch):
    store.open()
    with pytest.raises(TypeError):
        store.log_cell(cell(metrics={"m": object()}))
    assert list(store._search("attributes.run_id LIKE '%'")) == []


def test_a_fault_while_a_run_is_logged_elsewhere_leaves_none_running(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'mlflow.db'}", "theirs")
    store._connected().create_experiment("theirs", artifact_location=(tmp_path / "elsewhere").as_uri())
    with pytest.raises(TypeError):
        store.log_cell(cell(metrics={"m": object()}))
    assert [run.info.status for run in store._search("attributes.run_id LIKE '%'")] == ["KILLED"]


def log_all(store, cells):
    with store.logging_cells() as log:
        return [log(one) for one in cells]


def numbered(number):
    return cell(number=number)


def interruption():
    raise KeyboardInterrupt
    yield


def test_cells_are_logged_beside_the_callers_work(store):
    store.open()
    run_ids = log_all(store, map(numbered, range(100)))
    found = {run.info.run_id: run.data.params["size"] for run in store._search("attributes.run_id LIKE '%'")}
    assert found == {run_id: str(number) for number, run_id in enumerate(run_ids)}
    assert store.artifact(run_ids[57], "a.txt") == "é 57\n"


def test_what_was_logged_is_written_also_when_the_caller_fails(store):
    store.open()
    with pytest.raises(KeyboardInterrupt):
        log_all(store, itertools.chain(map(numbered, range(5)), interruption()))
    assert len(list(store._search("attributes.run_id LIKE '%'"))) == 5


def test_a_fault_in_logging_is_raised_and_the_cells_before_it_are_kept(store):
    store.open()
    with pytest.raises(TypeError):
        log_all(
            store, [*map(numbered, range(3)), cell(number=3, metrics={"m": object()}), *map(numbered, range(4, 99))]
        )
    kept = sorted(int(run.data.params["size"]) for run in store._search("attributes.run_id LIKE '%'"))
    assert kept == [0, 1, 2]


def test_artifacts_that_cells_share_are_one_file(store):
    store.open()
    run_ids = log_all(store, [cell(number=number, files={"a.txt": text}) for number, text in enumerate("xxy")])
    one, two, three = (store._artifact_folder(run_id) / "a.txt" for run_id in run_ids)
    assert one.samefile(two)
    assert not two.samefile(three)
    assert [path.read_text() for path in (one, two, three)] == ["x", "x", "y"]


def rows_of(database):
    """Every row of every table but alembic's, without what differs from run to run."""
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        changing = {"run_uuid", "artifact_uri", "timestamp", "end_time", "creation_time", "last_update_time"}
        return {
            table: sorted(
                repr([(key, row[key]) for key in row.keys() if key not in changing])  # noqa: SIM118 - not a dict
                for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608
            )
            for table in tables
            if table not in ("experiments", "alembic_version")
        }


@pytest.mark.parametrize("status", ["FINISHED", "FAILED"])
def test_a_local_run_has_the_rows_that_mlflows_client_writes(tmp_path, monkeypatch, status):
    long = {
        "params": {"size": 3, "corpus.path": "x" * 6_500, "prefix": None},
        "tags": {"chunksweep.error": "e" * 9_000},
    }
    found = []
    for name in ("ours", "theirs"):
        store = Store(f"sqlite:///{tmp_path / name / 'mlflow.db'}")
        store.open()
        if name == "theirs":
            monkeypatch.setattr(Store, "_artifacts", None)
        store.log_cell(cell(status=status, **long))
        store.log_cell(cell(status=status, metrics={}))
        found.append(rows_of(tmp_path / name / "mlflow.db"))
    ours, theirs = found
    assert len(ours["runs"]) == 2
    assert len(ours["latest_metrics"]) == 1
    assert ours == theirs


def test_artifacts_of_a_folder_that_was_moved(tmp_path):
    (tmp_path / "was").mkdir()
    store = Store(f"sqlite:///{tmp_path / 'was' / 'mlflow.db'}")
    store.open()
    run_id = store.log_cell(cell())
    (tmp_path / "was").rename(tmp_path / "is")
    moved = Store(f"sqlite:///{tmp_path / 'is' / 'mlflow.db'}")
    assert moved.artifact(run_id, "a.txt") == "é 0\n"


def test_processes_that_start_at_once_make_one_store(tmp_path):
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    source = f"from chunksweep.tracking import Store; Store({uri!r}).open()"
    started = [subprocess.Popen([sys.executable, "-c", source], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[1] for process in started] == ["", "", ""]
    assert [process.returncode for process in started] == [0, 0, 0]
    store = Store(uri)
    assert {experiment.name for experiment in store._connected().search_experiments()} == {"chunksweep", "Default"}
