"""Processes that embed the same texts at once: none waits for ever, nothing is embedded twice."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from filelock import FileLock

from chunksweep.embedders.cache import TEXTS_PER_WRITE, CachedEmbedder
from chunksweep.embedders.test import WordInitials
from chunksweep.embedders.turns import Turns
from chunksweep.errors import CacheError

# Says which texts it embeds, and takes long enough over each block for the other to come in between.
TALKATIVE = """
import sys, time
from pathlib import Path
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.test import WordInitials

class Talkative(WordInitials):
    def embed(self, texts, role, progress=None):
        print(*[text.split()[1] for text in texts], flush=True)
        time.sleep(0.2)
        return WordInitials.embed(self, texts, role, progress)

texts = [f"text {row}" for row in range(1_000)]
vectors = CachedEmbedder(Talkative(), Path(sys.argv[1])).embed(texts, "passage")
assert (vectors == WordInitials().embed(texts, "passage")).all()
"""


def test_two_processes_embed_each_text_once(tmp_path):
    both = [
        subprocess.Popen([sys.executable, "-c", TALKATIVE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    embedded = Counter(" ".join(outputs).split())
    assert sorted(map(int, embedded)) == list(range(1_000))
    assert set(embedded.values()) == {1}


def test_what_another_process_wrote_meanwhile_is_counted_as_progress(tmp_path):
    texts = [f"text {row}" for row in range(3 * TEXTS_PER_WRITE)]

    class Slow(WordInitials):
        """While its first block is computed, another process embeds all."""

        def embed(self, texts_of_block, role, progress=None):
            if len(done) == 0:
                CachedEmbedder(WordInitials(), tmp_path / "other").embed(texts, "passage")
                for file in (tmp_path / "other").glob("embeddings.sqlite*"):
                    file.replace(tmp_path / file.name)
            return WordInitials.embed(self, texts_of_block, role, progress)

    done: list[int] = []
    CachedEmbedder(Slow(), tmp_path).embed(texts, "passage", done.append)
    assert done == [TEXTS_PER_WRITE] * 3


def test_whoever_takes_turn_after_turn_lets_others_in(tmp_path):
    had: list[float] = []
    ended = threading.Event()

    def one_after_the_other():
        turns = Turns(tmp_path / "turn.lock")
        while not ended.is_set():
            with turns.turn():
                had.append(time.monotonic())
                time.sleep(0.2)

    thread = threading.Thread(target=one_after_the_other)
    thread.start()
    try:
        while not had:
            time.sleep(0.01)
        asked = time.monotonic()
        with Turns(tmp_path / "turn.lock", patience=20).turn():
            between = sum(moment > asked for moment in had)
    finally:
        ended.set()
        thread.join()
    assert between <= 3  # dozens, where whoever releases may take at once


def test_whoever_waits_in_vain_goes_on(tmp_path):
    turns = Turns(tmp_path / "turn.lock", patience=0.2)
    with FileLock(tmp_path / "turn.lock"):
        began = time.monotonic()
        for _ in range(20):
            with turns.turn():
                pass
        waited = time.monotonic() - began
    assert 0.2 <= waited < 2  # once, not twenty times


def test_a_file_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(CacheError, match=r"cannot be written.*cache\.dir=FOLDER"),
        Turns(tmp_path / "file" / "t").turn(),
    ):
        pass
