"""The embedder that remembers: same vectors as without it, each text embedded once, safe among processes."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunksweep.embedders.cache import CachedEmbedder, key_of
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import CacheError, EmbeddingError

TEXTS = ["bees buzz", "ants", "bees buzz", "cows moo", "dogs"]


@dataclass
class Recorder:
    """Embeds as WordInitials does and notes what it was asked for."""

    fingerprint: str = "one"
    model_sha256: str = "of the weights"
    dimension: int = 27
    window: int | None = 99
    asked: list[str] = field(default_factory=list)

    def count_tokens(self, texts, role="passage"):
        return WordInitials().count_tokens(texts)

    def embed(self, texts, role, progress=None):
        self.asked += texts
        return WordInitials().embed(texts, role, progress)


@dataclass
class Faulty(Recorder):
    """Gives `vector` for every text."""

    vector: tuple[float, ...] = ()

    def embed(self, texts, role, progress=None):
        return np.array([self.vector] * len(texts), dtype=np.float32)


def test_vectors_are_those_of_the_embedder_before_and_after(tmp_path):
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    expected = WordInitials().embed(TEXTS, "passage")
    for _ in range(2):
        vectors = cached.embed(TEXTS, "passage")
        assert vectors.dtype == np.float32
        assert np.array_equal(vectors, expected)
    assert sorted(inner.asked) == sorted(set(TEXTS))
    assert cached.info().entries == 4


def test_it_is_the_embedder_it_wraps_in_all_else(tmp_path):
    cached = CachedEmbedder(Recorder(), tmp_path)
    assert (cached.fingerprint, cached.model_sha256) == ("one", "of the weights")
    assert (cached.dimension, cached.window) == (27, 99)
    assert cached.count_tokens(["a b", "c"]).tolist() == [2, 1]


def test_nothing_gives_nothing(tmp_path):
    cached = CachedEmbedder(Recorder(), tmp_path)
    assert cached.embed([], "question").shape == (0, 27)
    assert cached.missing([], "question") == []


def test_missing_texts_are_named_once_in_the_order_given(tmp_path):
    cached = CachedEmbedder(Recorder(), tmp_path)
    assert cached.missing(TEXTS, "passage") == ["bees buzz", "ants", "cows moo", "dogs"]
    cached.embed(["ants"], "passage")
    assert cached.missing(TEXTS, "passage") == ["bees buzz", "cows moo", "dogs"]


@pytest.mark.parametrize(
    ("fingerprint", "role"),
    [pytest.param("two", "passage", id="another model"), pytest.param("one", "question", id="another role")],
)
def test_vectors_serve_only_the_model_and_role_they_were_made_for(tmp_path, fingerprint, role):
    CachedEmbedder(Recorder(), tmp_path).embed(["ants"], "passage")
    other = CachedEmbedder(Recorder(fingerprint=fingerprint), tmp_path)
    assert other.missing(["ants"], role) == ["ants"]


def test_progress_counts_every_text_given(tmp_path):
    cached = CachedEmbedder(Recorder(), tmp_path)
    cached.embed(["ants"], "passage")
    done = []
    cached.embed(TEXTS, "passage", done.append)
    assert done[0] == 2  # the text that was known, and the one that came twice
    assert sum(done) == len(TEXTS)


@settings(deadline=None)
@given(st.permutations([f"{'w' * (number % 5 + 1)} {number}" for number in range(12)]))
def test_batches_do_not_depend_on_the_order_in_which_texts_come(tmp_path_factory, texts):
    inner = Recorder()
    CachedEmbedder(inner, tmp_path_factory.mktemp("cache")).embed(texts, "passage")
    assert inner.asked == sorted(texts, key=lambda text: (-len(text), text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("re-use", "oil"), ("re", "use-oil"), id="a mark that also occurs in a field"),
        pytest.param(("ab", "c"), ("a", "bc"), id="run together"),
        pytest.param(("a", ""), ("a",), id="an empty field"),
        pytest.param(("a\x00\x00", "b"), ("a", "\x00\x00b"), id="zeros"),
    ],
)
def test_fields_of_a_key_do_not_run_into_each_other(one, other):
    assert key_of(*one) != key_of(*other)
    assert len(key_of(*one)) == 32


@settings(deadline=None)
@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_other_fields_have_another_key(one, other):
    assume(one != other)
    assert key_of(*one) != key_of(*other)


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        pytest.param((0.0,) * 27, 'the question "where" is zero', id="zero"),
        pytest.param((float("nan"),) * 27, 'the question "where" is not finite', id="not finite"),
        pytest.param((1.0, 1.0, 1.0), "dimension 3 came where dimension 27", id="another length"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused_and_not_kept(tmp_path, vector, words):
    cached = CachedEmbedder(Faulty(vector=vector), tmp_path)
    with pytest.raises(EmbeddingError, match=words):
        cached.embed(["where"], "question")
    assert cached.info().entries == 0


@dataclass
class Untold(Recorder):
    """Says no dimension; counts words into so many columns as it has."""

    dimension: int | None = None
    columns: int = 3

    def embed(self, texts, role, progress=None):
        return np.array([[len(text.split())] * self.columns for text in texts], dtype=np.float32)


def test_a_dimension_that_the_embedder_does_not_say_is_that_of_its_vectors(tmp_path):
    cached = CachedEmbedder(Untold(), tmp_path)
    for _ in range(2):
        assert cached.embed(["a b", "c"], "passage").tolist() == [[2, 2, 2], [1, 1, 1]]
    assert cached.missing(["a b", "d"], "passage") == ["d"]
    assert cached.embed([], "passage").shape == (0, 0)


def test_vectors_of_another_length_than_those_kept_are_refused_and_not_kept(tmp_path):
    CachedEmbedder(Untold(), tmp_path).embed(["a"], "passage")
    other = CachedEmbedder(Untold(columns=4), tmp_path)
    with pytest.raises(EmbeddingError, match=r"dimension 4 came where dimension 3"):
        other.embed(["a", "b"], "passage")
    assert other.info().entries == 1


def test_kept_vectors_of_two_lengths_are_refused(tmp_path):
    CachedEmbedder(Untold(), tmp_path).embed(["a"], "passage")
    other = CachedEmbedder(Untold(columns=4), tmp_path)
    other.embed(["b"], "passage")
    with pytest.raises(EmbeddingError, match=r"dimension 3 and of 4 .* cache prune"):
        other.embed(["a", "b"], "passage")


def test_a_damaged_entry_is_embedded_again_and_replaced(tmp_path):
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    expected = cached.embed(TEXTS, "passage")
    with closing(sqlite3.connect(tmp_path / "embeddings.sqlite")) as connection, connection:
        connection.execute("UPDATE vectors SET vector = x'00' WHERE key = ?", (key_of("one", "passage", "ants"),))
    inner.asked.clear()
    assert cached.missing(TEXTS, "passage") == ["ants"]
    for _ in range(2):
        assert np.array_equal(cached.embed(TEXTS, "passage"), expected)
    assert inner.asked == ["ants"]


def test_exchanged_entries_are_embedded_again(tmp_path):
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    expected = cached.embed(TEXTS, "passage")
    ants, dogs = key_of("one", "passage", "ants"), key_of("one", "passage", "dogs")
    with closing(sqlite3.connect(tmp_path / "embeddings.sqlite")) as connection, connection:
        for old, new in ((ants, b""), (dogs, ants), (b"", dogs)):
            connection.execute("UPDATE vectors SET key = ? WHERE key = ?", (new, old))
    inner.asked.clear()
    assert np.array_equal(cached.embed(TEXTS, "passage"), expected)
    assert sorted(inner.asked) == ["ants", "dogs"]


def test_an_unusable_folder_is_noticed_before_anything_is_embedded(tmp_path):
    (tmp_path / "file").write_text("")
    inner = Recorder()
    with pytest.raises(CacheError, match=r"cache\.dir"):
        CachedEmbedder(inner, tmp_path / "file" / "cache").embed(TEXTS, "passage")
    assert inner.asked == []


def test_a_file_that_may_not_be_written_is_noticed_before_anything_is_embedded(tmp_path, monkeypatch):
    inner = Recorder()
    cached = CachedEmbedder(inner, tmp_path)
    cached.embed(["ants"], "passage")
    connect = sqlite3.connect

    def read_only(*args, **options):
        connection = connect(*args, **options)
        connection.execute("PRAGMA query_only=ON")
        return connection

    monkeypatch.setattr(sqlite3, "connect", read_only)
    assert cached.embed(["ants"], "passage").shape == (1, 27)
    with pytest.raises(CacheError, match="readonly"):
        cached.embed(TEXTS, "passage")
    assert inner.asked == ["ants"]


EIGHT = """
import sys
from pathlib import Path
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.test import WordInitials
texts = [f"{word} number {row}" for row in range(25) for word in "ant bee cow dog eel fox gnu hen".split()]
vectors = CachedEmbedder(WordInitials(), Path(sys.argv[1])).embed(texts, "passage")
assert (vectors == WordInitials().embed(texts, "passage")).all()
"""


def test_eight_processes_share_an_empty_cache(tmp_path):
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", EIGHT, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for _ in range(8)
    ]
    outputs = [worker.communicate()[0] for worker in workers]
    assert outputs == [""] * 8
    assert [worker.returncode for worker in workers] == [0] * 8
    cached = CachedEmbedder(WordInitials(), tmp_path)
    assert cached.info().entries == 200
    assert cached.missing(["ant number 0", "hen number 24", "hen number 25"], "passage") == ["hen number 25"]


KILLED = """
import os, signal, sys
from dataclasses import dataclass
from pathlib import Path
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.test import WordInitials

class DiesInThirdBlock(WordInitials):
    blocks = 0
    def embed(self, texts, role, progress=None):
        DiesInThirdBlock.blocks += 1
        if self.blocks == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return WordInitials.embed(self, texts, role, progress)

CachedEmbedder(DiesInThirdBlock(), Path(sys.argv[1])).embed([f"text {row}" for row in range(1_000)], "passage")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process cannot be killed in this way here")
def test_a_killed_process_loses_no_block_that_was_written(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    cached = CachedEmbedder(WordInitials(), tmp_path)
    assert cached.info().entries == 512
    assert len(cached.missing([f"text {row}" for row in range(1_000)], "passage")) == 488
