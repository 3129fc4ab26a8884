"""The parent counts tokens with threads of its own before workers do: no deadlock, no flood of warnings."""

from __future__ import annotations

import os
import subprocess
import sys

# Enough texts that the tokenizer spreads them over threads.
PROGRAM = """
from joblib import Parallel, delayed
from chunksweep.embedders.minilm import MiniLM

texts = [f"text {row}" for row in range(2_000)]
here = MiniLM().count_tokens(texts).sum()
there = Parallel(n_jobs=2)(delayed(MiniLM().count_tokens)(texts) for _ in range(4))
assert [counts.sum() for counts in there] == [here] * 4
"""


def test_workers_count_what_the_parent_counted() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "TOKENIZERS_PARALLELISM"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
