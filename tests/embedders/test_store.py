"""The file of vectors: what was put in comes out, and nothing else, whatever happens to the file."""

from __future__ import annotations

import logging
import pickle
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from chunksweep.embedders.store import VectorStore
from chunksweep.errors import CacheError

A, B, C = (bytes([number]) * 32 for number in range(3))
VECTORS = {A: np.array([1, 2, 3], dtype=np.float32), B: np.array([4, 5, 6], dtype=np.float32)}


@pytest.fixture
def store(tmp_path):
    filled = VectorStore(tmp_path / "cache")
    filled.put(VECTORS)
    return filled


def holds_exactly(store, *keys):
    found = store.get([A, B, C], 3)
    return set(found) == set(keys) and all(np.array_equal(found[key], VECTORS[key]) for key in keys)


def change(store, statement, *values):
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(statement, values)


def test_what_was_put_comes_back(store):
    assert holds_exactly(store, A, B)
    assert store.get([], 3) == {}


def test_a_pickled_store_is_the_same_store(store):
    assert holds_exactly(pickle.loads(pickle.dumps(store)), A, B)  # noqa: S301 - our own


def test_more_keys_than_one_query_takes(store):
    many = {number.to_bytes(32, "big"): np.array([number, 1, 1], dtype=np.float32) for number in range(1_700)}
    store.put(many)
    found = store.get(list(many), 3)
    assert [found[key][0] for key in many] == list(range(1_700))


def test_the_journal_lets_readers_and_a_writer_work_at_once(store):
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        pytest.param("UPDATE vectors SET vector = ? WHERE key = ?", (b"garbage", A), id="garbage"),
        pytest.param("UPDATE vectors SET vector = ? WHERE key = ?", ("text", A), id="text"),
        pytest.param("UPDATE vectors SET vector = substr(vector, 1, 8) WHERE key = ?", (A,), id="shortened"),
        pytest.param("UPDATE vectors SET vector = zeroblob(12) WHERE key = ?", (A,), id="blanked"),
        pytest.param("UPDATE vectors SET checksum = ? WHERE key = ?", (b"", A), id="checksum lost"),
        pytest.param(
            "UPDATE vectors SET (vector, checksum) = (SELECT vector, checksum FROM vectors WHERE key = ?)"
            " WHERE key = ?",
            (B, A),
            id="the intact row of another key",
        ),
    ],
)
def test_a_damaged_row_is_noticed_and_can_be_replaced(store, caplog, statement, values):
    change(store, statement, *values)
    assert holds_exactly(store, B)
    assert "1 damaged entries" in caplog.text
    store.put({A: VECTORS[A]})
    assert holds_exactly(store, A, B)


def test_a_vector_of_another_length_does_not_come_back(store):
    assert store.get([A], 4) == {}


def overwrite(path, offset, data):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


@pytest.mark.parametrize("offset", [pytest.param(0, id="no database"), pytest.param(4_096, id="broken pages")])
def test_a_file_that_cannot_be_read_is_moved_aside_and_begun_anew(store, caplog, offset):
    overwrite(store.path, offset, b"\x07" * (store.path.stat().st_size - offset))
    broken = store.path.read_bytes()
    with caplog.at_level(logging.WARNING, logger="chunksweep"):
        assert holds_exactly(store)
        store.put(VECTORS)
    assert holds_exactly(store, A, B)
    assert store.path.with_name("embeddings.sqlite.damaged").read_bytes() == broken
    assert caplog.text.count("moved to embeddings.sqlite.damaged") == 1


def test_an_older_file_put_back_gives_older_entries_and_no_wrong_ones(store):
    older = store.path.read_bytes()
    store.put({C: np.array([7, 8, 9], dtype=np.float32)})
    store.path.write_bytes(older)
    assert holds_exactly(store, A, B)


def below_a_file(folder):
    folder.parent.joinpath("file").write_text("")
    return folder.parent / "file" / "cache"


def database_is_a_folder(folder):
    (folder / "embeddings.sqlite").mkdir(parents=True)
    return folder


def other_table(folder):
    folder.mkdir()
    with closing(sqlite3.connect(folder / "embeddings.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE vectors (something TEXT)")
    return folder


@pytest.mark.parametrize("spoil", [below_a_file, database_is_a_folder, other_table])
def test_a_folder_that_cannot_be_used_is_refused_in_one_line(tmp_path, spoil):
    store = VectorStore(spoil(tmp_path / "cache"))
    for attempt in (lambda: store.get([A], 3), lambda: store.put(VECTORS)):
        with pytest.raises(CacheError, match=r"cache\.dir=FOLDER") as refusal:
            attempt()
        assert str(store.path) in str(refusal.value)
        assert "\n" not in str(refusal.value)


def patched_connect(monkeypatch, pragma):
    connect = sqlite3.connect

    def limited(*args, **options):
        connection = connect(*args, **options)
        connection.execute(pragma)
        return connection

    monkeypatch.setattr(sqlite3, "connect", limited)


def test_a_file_that_may_not_be_written_is_noticed_beforehand(store, monkeypatch):
    patched_connect(monkeypatch, "PRAGMA query_only=ON")
    assert holds_exactly(store, A, B)
    with pytest.raises(CacheError, match="readonly"):
        store.put({C: VECTORS[A]})


def test_a_full_disk_is_an_error_and_leaves_what_was_there(store, monkeypatch):
    patched_connect(monkeypatch, "PRAGMA max_page_count=8")
    many = {bytes([number]) * 32: np.ones(384, dtype=np.float32) for number in range(3, 103)}
    with pytest.raises(CacheError, match="full"):
        store.put(many)
    assert holds_exactly(store, A, B)
    assert store.get(list(many), 384) == {}


def test_info_counts_entries_and_bytes(store):
    info = store.info()
    assert (info.path, info.entries) == (store.path, 2)
    assert info.bytes >= store.path.stat().st_size > 0


def test_info_makes_no_file(tmp_path):
    info = VectorStore(tmp_path / "none").info()
    assert (info.entries, info.bytes) == (0, 0)
    assert not (tmp_path / "none").exists()
