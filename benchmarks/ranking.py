"""Ranking against many chunks whose vectors are mapped into memory.

python -m benchmarks.ranking write FILE COUNT     random vectors
python -m benchmarks.ranking rank FILE QUESTIONS  the best ten for each question
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from chunksweep.retrieval.ranking import rank

DIMENSION = 384
BLOCK = 50_000
BEST = 10


def write(path: Path, count: int) -> None:
    """A .npy file of random vectors, float32 (count, 384)."""
    generator = np.random.default_rng(count)
    vectors = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(count, DIMENSION))
    for first in range(0, count, BLOCK):
        rows = min(BLOCK, count - first)
        vectors[first : first + rows] = generator.standard_normal((rows, DIMENSION), dtype=np.float32)
    vectors.flush()


def rank_all(path: Path, questions: int) -> dict[str, float]:
    """CPU seconds of ranking alone."""
    vectors = np.load(path, mmap_mode="r")
    asked = np.random.default_rng(0).standard_normal((questions, DIMENSION), dtype=np.float32)
    began = time.process_time()
    rank(asked, vectors, np.arange(len(vectors)), BEST)
    return {"cpu": time.process_time() - began}


if __name__ == "__main__":
    action, file, number = sys.argv[1:]
    print(json.dumps((write if action == "write" else rank_all)(Path(file), int(number))))
