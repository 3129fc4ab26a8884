"""When a vector can be used: it has the right length, is finite, and has a direction; and beginnings of vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chunksweep.errors import EmbeddingError
from chunksweep.records import Vectors


def require_usable(vectors: Vectors, dimension: int | None, name: Callable[[int], str]) -> None:
    """Checks float32 (n, dimension) vectors before they are kept or compared.

    dimension  None: any, but for none at all
    name       what to call row i in the message

    Raises EmbeddingError where the length is another, or where a vector is zero or not finite: a cosine with it is
    undefined, and sorting would put it anywhere.
    """
    if vectors.ndim != 2 or vectors.shape[1] != (dimension or vectors.shape[1]):
        raise EmbeddingError(
            f"vectors of dimension {vectors.shape[-1]} came where dimension {dimension} is expected. "
            "Use one model for questions and passages, and state its dimension."
        )
    unusable = np.flatnonzero(~np.isfinite(vectors).all(axis=1) | ~vectors.any(axis=1))
    if len(unusable):
        row = int(unusable[0])
        fault = "not finite" if vectors[row].any() else "zero"
        raise EmbeddingError(
            f"the vector of {name(row)} is {fault}, so it is neither near nor far from anything. "
            "Leave that text out, or use another model."
        )


def shortened(vectors: Vectors, dimension: int, name: Callable[[int], str]) -> Vectors:
    """The first components of float32 vectors, scaled to length 1 again: float32 (n, dimension).

    For models that were trained so that a beginning of a vector serves (Matryoshka). Without the scaling a product of
    two of them would be no cosine.

    name  what to call row i in the message

    Raises EmbeddingError where the vectors are shorter, or a beginning is zero.
    """
    if vectors.shape[1] < dimension:
        raise EmbeddingError(
            f"embedder.dimension={dimension} is more than the {vectors.shape[1]} that the model gives. "
            "Give a smaller one, or leave it out."
        )
    beginnings = vectors[:, :dimension]
    require_usable(beginnings, dimension, name)
    scaled: Vectors = beginnings / np.linalg.norm(beginnings, axis=1, keepdims=True)
    return scaled


def quoted(text: str, limit: int = 60) -> str:
    """The beginning of a text on one line, in quotation marks, to name it in a message."""
    line = " ".join(text[: 4 * limit].split())
    return f'"{line}"' if len(line) <= limit else f'"{line[:limit].rstrip()}…"'
