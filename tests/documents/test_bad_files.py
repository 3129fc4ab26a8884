"""Files that are damaged, huge, binary or gone: each is named with a reason, and the others are read."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import numpy as np
import pytest
from tests.contracts.samples import SAMPLES

from chunksweep.documents import load_corpus
from chunksweep.documents.readers import KINDS, READERS


def corpus_with(folder: Path, name: str, data: bytes):
    """The corpus of a good file and another, and why the other is not read."""
    (folder / "good.txt").write_text("Good.", encoding="utf-8")
    (folder / name).write_bytes(data)
    corpus = load_corpus(folder)
    assert "good.txt" in corpus.digests
    return corpus, [item.reason for item in corpus.unread if item.document == name]


@pytest.mark.parametrize("ending", sorted(READERS))
def test_binary_under_any_ending_is_reported(tmp_path, ending):
    corpus, reasons = corpus_with(tmp_path, f"noise{ending}", np.random.default_rng(7).bytes(5_000))
    assert list(corpus.digests) == ["good.txt"]
    (reason,) = reasons
    assert reason.startswith(("is not utf-8 at byte", "is no PDF that can be read", "is no DOCX that can be read"))


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
@pytest.mark.parametrize("cut", [False, True], ids=["changed", "cut off"])
def test_a_damaged_file_is_read_or_reported(tmp_path, name, cut):
    draw = np.random.default_rng(7)
    for _ in range(30):
        data = bytearray(SAMPLES[name])
        for place in draw.integers(len(data), size=20):
            data[place] = draw.integers(256)
        kept = int(draw.integers(len(data))) if cut else len(data)
        corpus, reasons = corpus_with(tmp_path, name, bytes(data[:kept]))
        assert name in corpus.digests or reasons
        assert all("\n" not in reason for reason in reasons)


LINES = {
    ".html": b"<p>" + b"word " * 100_000,
    ".csv": b'a,b\n1,"' + b"word " * 100_000 + b'"\n',
    ".jsonl": b'{"a": "' + b"word " * 100_000 + b'"}\n',
}


@pytest.mark.parametrize("ending", [".md", ".txt", ".html", ".csv", ".jsonl", ".rst", ".py"])
@pytest.mark.parametrize("word", [pytest.param(b"word ", id="of words"), pytest.param(b"x" * 5, id="of one word")])
def test_a_line_of_half_a_megabyte(tmp_path, ending, word):
    line = LINES.get(ending, b"word " * 100_000).replace(b"word ", word)
    begun = time.perf_counter()
    corpus, reasons = corpus_with(tmp_path, f"long{ending}", line)
    assert time.perf_counter() - begun < 20
    assert reasons == []
    assert corpus.characters > 499_000


def test_a_file_that_vanishes_while_it_is_read(tmp_path, monkeypatch):
    read_bytes = Path.read_bytes

    def gone(path):
        if path.name == "gone.md":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", gone)
    _, reasons = corpus_with(tmp_path, "gone.md", b"x")
    assert reasons == ["cannot be opened (No such file or directory)"]


def test_what_a_file_has_besides_its_text_is_reported_and_its_text_is_read(tmp_path):
    corpus, reasons = corpus_with(tmp_path, "a.jsonl", b'{"a": 1}\nno JSON\n')
    assert list(corpus.digests) == ["a.jsonl", "good.txt"]
    assert reasons == ["holds no JSON on line 2"]


def test_every_kind_of_file_in_one_folder(tmp_path):
    for name, data in SAMPLES.items():
        (tmp_path / name).write_bytes(data)
    corpus = load_corpus(tmp_path)
    assert sorted(corpus.digests) == sorted(SAMPLES)
    assert len({document.media_type for document in corpus.documents}) >= len(KINDS)
    assert [item.document for item in corpus.unread] == ["a.jsonl", "a.pdf"]
