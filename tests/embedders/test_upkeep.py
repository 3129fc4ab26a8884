"""What the cache holds by model, and dropping what no longer serves."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pytest

from chunksweep.embedders import store as store_module
from chunksweep.embedders import upkeep
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.maker import Maker
from chunksweep.embedders.minilm import WEIGHTS_SHA256, MiniLM
from chunksweep.embedders.store import VectorStore
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import CacheError, EmbeddingError

TEST = Maker("test", {}, WordInitials().fingerprint)
CHANGED = Maker("test", {}, "word initials of an earlier version")
GONE = Maker("discontinued", {"size": "large"}, "whatever it was")
DAY = upkeep.SECONDS_A_DAY
# A row of 27 float32: a key and a checksum of 32 bytes each and the vector.
ROW_BYTES = 32 + 27 * 4 + 32


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three texts of the test embedder and one each of two that are not any more; from the first, third, fifth day."""
    for day, maker, texts in ((1, TEST, "ant bee cow"), (3, CHANGED, "dog"), (5, GONE, "eel")):
        with monkeypatch.context() as patch:
            patch.setattr(store_module.time, "time", lambda day=day: day * DAY + 0.5)
            CachedEmbedder(Named(maker), tmp_path / "cache", maker.text).embed(texts.split(), "passage")
    return tmp_path / "cache"


@dataclass(frozen=True)
class Named(WordInitials):
    """The test embedder under the fingerprint of a maker."""

    maker: Maker

    @property
    def fingerprint(self):
        return self.maker.fingerprint


def told(parts):
    return [(part.model, part.holding.vectors, part.serves) for part in parts]


def test_what_is_held_the_largest_part_first(folder):
    assert told(upkeep.kept_in(folder)) == [("test", 3, True), ("discontinued", 1, False), ("test", 1, False)]
    assert upkeep.kept_in(folder)[0].shape() == {
        "model": "test",
        "options": {},
        "fingerprint": WordInitials().fingerprint,
        "known": True,
        "vectors": 3,
        "bytes": 3 * ROW_BYTES,
        "first_written": DAY,
        "last_written": DAY,
    }


def test_nothing_is_held_where_no_cache_is(tmp_path):
    assert upkeep.kept_in(tmp_path / "none") == []
    upkeep.drop(tmp_path / "none", upkeep.to_drop(tmp_path / "none", None, None), None)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("model", "before", "dropped", "left"),
    [
        pytest.param(None, None, [("discontinued", 1), ("test", 1)], ["ant", "bee", "cow"], id="no longer serves"),
        pytest.param("test", None, [("test", 3), ("test", 1)], ["eel"], id="a model"),
        pytest.param("discontinued", None, [("discontinued", 1)], ["ant", "bee", "cow", "dog"], id="one that is gone"),
        pytest.param("minilm", None, [], ["ant", "bee", "cow", "dog", "eel"], id="one without vectors"),
        pytest.param(None, 3 * DAY, [("test", 3)], ["dog", "eel"], id="before the third day"),
        pytest.param(None, 4 * DAY, [("test", 3), ("test", 1)], ["eel"], id="before the fourth day"),
        pytest.param("discontinued", 4 * DAY, [], ["ant", "bee", "cow", "dog", "eel"], id="a model, none so old"),
    ],
)
def test_dropping(folder, model, before, dropped, left):
    parts = upkeep.to_drop(folder, model, before)
    assert [(part.model, part.holding.vectors) for part in parts] == dropped
    upkeep.drop(folder, parts, before)
    makers = {"ant": TEST, "bee": TEST, "cow": TEST, "dog": CHANGED, "eel": GONE}
    kept = [
        text for text, maker in makers.items() if not CachedEmbedder(Named(maker), folder).missing([text], "passage")
    ]
    assert kept == left


def test_a_name_that_nothing_has_is_refused_with_those_there_are(folder):
    with pytest.raises(CacheError, match=r"--model mini: .*discontinued, minilm, .*test"):
        upkeep.to_drop(folder, "mini", None)


def test_dropping_gives_room_back(tmp_path):
    store = VectorStore(tmp_path)
    store.put({number.to_bytes(32, "big"): np.ones(384, dtype=np.float32) for number in range(500)}, GONE.text)
    before = store.info().bytes
    upkeep.drop(tmp_path, upkeep.to_drop(tmp_path, None, None), None)
    assert store.info().entries == 0
    # 500 vectors of 384 float32 are 768,000 bytes.
    assert before - store.info().bytes > 700_000


def test_files_of_a_damaged_cache_go_with_the_next_pruning(tmp_path):
    store = VectorStore(tmp_path)
    store.path.write_bytes(b"no database " * 1_000)
    assert store.get([b"k" * 32], 3) == {}
    assert [file.name for file in store.damaged()] == ["embeddings.sqlite.damaged"]
    upkeep.drop(tmp_path, upkeep.to_drop(tmp_path, None, None), None)
    assert store.damaged() == []


def test_a_cache_of_an_earlier_version_keeps_its_vectors(tmp_path):
    cached = CachedEmbedder(WordInitials(), tmp_path, TEST.text)
    expected = cached.embed(["ant", "bee"], "passage")
    with closing(sqlite3.connect(tmp_path / "embeddings.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE earlier (key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum BLOB NOT NULL)")
        connection.execute("INSERT INTO earlier SELECT key, vector, checksum FROM vectors")
        connection.execute("DROP TABLE vectors")
        connection.execute("ALTER TABLE earlier RENAME TO vectors")
        connection.execute("PRAGMA user_version = 0")
    assert told(upkeep.kept_in(tmp_path)) == [("unknown", 2, False)]
    assert cached.missing(["ant", "bee"], "passage") == []
    assert np.array_equal(cached.embed(["ant", "bee", "cow"], "passage")[:2], expected)
    assert told(upkeep.kept_in(tmp_path)) == [("unknown", 2, False), ("test", 1, True)]
    upkeep.drop(tmp_path, upkeep.to_drop(tmp_path, "unknown", None), None)
    assert told(upkeep.kept_in(tmp_path)) == [("test", 1, True)]


@pytest.mark.parametrize(
    ("maker", "serves"),
    [
        pytest.param(Maker("minilm", {"device": "cpu"}, MiniLM().fingerprint), True, id="installed"),
        pytest.param(Maker("minilm", {"device": "cuda"}, MiniLM().fingerprint), True, id="on another device"),
        pytest.param(Maker("minilm", {"device": "cpu"}, MiniLM().fingerprint + "x"), False, id="another fingerprint"),
        pytest.param(Maker("minilm", {"colour": "red"}, MiniLM().fingerprint), False, id="an option that is gone"),
        pytest.param(Maker("mini", {}, MiniLM().fingerprint), False, id="a name that is gone"),
    ],
)
def test_whether_a_maker_serves(maker, serves):
    assert maker.serves is serves
    assert Maker.read(maker.text) == maker


def test_a_model_whose_weights_are_gone_does_not_serve(monkeypatch):
    def gone(_self):
        raise EmbeddingError("no weights")

    maker = Maker("minilm", {"device": "cpu"}, MiniLM().fingerprint)
    assert WEIGHTS_SHA256 in maker.fingerprint
    monkeypatch.setattr(MiniLM, "model_sha256", property(gone))
    assert not maker.serves
