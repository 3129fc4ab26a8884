"""What the model costs at least: its multiplications at the rate at which this machine multiplies matrices.

python -m benchmarks.limit     prints the rates, in operations per CPU second of one thread
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

LAYERS = 6
DIMENSION = 384
INNER = 1_536
# Rows and columns of the matrices of one layer: queries, keys and values together; output; up; down.
SHAPES = ((3 * DIMENSION, DIMENSION), (DIMENSION, DIMENSION), (INNER, DIMENSION), (DIMENSION, INNER))
TOKENS = 1_024
REPEATS = 40


def operations(lengths: Sequence[int]) -> int:
    """Floating point operations of all-MiniLM-L6-v2 over texts of these lengths in tokens.

    Two for each weight and token, and 4 * dimension for each pair of tokens that attend to each other.
    """
    per_token = LAYERS * sum(2 * rows * columns for rows, columns in SHAPES)
    return sum(length * per_token + LAYERS * 4 * DIMENSION * length**2 for length in lengths)


def rate(dtype: str) -> float:
    """Operations per CPU second of one thread, multiplying matrices of the model's shapes."""
    import torch  # noqa: PLC0415 - the parent does without

    torch.set_num_threads(1)
    kind = getattr(torch, dtype)
    pairs = [(torch.randn(TOKENS, columns).to(kind), torch.randn(columns, rows).to(kind)) for rows, columns in SHAPES]
    for states, weights in pairs:
        states @ weights
    began = time.process_time()
    for _ in range(REPEATS):
        for states, weights in pairs:
            states @ weights
    return REPEATS * sum(2 * TOKENS * rows * columns for rows, columns in SHAPES) / (time.process_time() - began)


if __name__ == "__main__":
    print(json.dumps({dtype: rate(dtype) for dtype in ("float32", "bfloat16")}))
