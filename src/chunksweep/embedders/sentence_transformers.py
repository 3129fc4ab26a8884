"""The engine of models in the sentence-transformers layout: float32, one process, batches of equal work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chunksweep.embedders.vectors import quoted, require_usable
from chunksweep.errors import EmbeddingError
from chunksweep.records import IntArray, Vectors

if TYPE_CHECKING:
    import tokenizers

TOKENS_PER_BATCH = 1_024
TEXTS_PER_COUNT = 1_024
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


@dataclass(frozen=True, slots=True)
class SentenceTransformerEngine:
    """Runs a model that lies in a local folder. The network is not touched.

    folder     holds modules.json and tokenizer.json
    dimension  length of a vector
    window     most tokens read of a text, special tokens included; what follows is cut
    device     where torch computes: "cpu", "cuda", "cuda:0", …, "mps"

    torch and sentence-transformers take seconds to import, so they are imported when the first text is embedded.
    """

    folder: Path
    dimension: int
    window: int
    device: str = "cpu"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text before truncation, special tokens included; int64 (n,)."""
        tokenizer = _tokenizer(self.folder / "tokenizer.json")
        counts = np.empty(len(texts), dtype=np.int64)
        for first in range(0, len(texts), TEXTS_PER_COUNT):
            block = texts[first : first + TEXTS_PER_COUNT]
            counts[first : first + len(block)] = [len(encoding) for encoding in tokenizer.encode_batch_fast(block)]
        return counts

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, float32 (n, dimension), in the order given.

        progress  called with the number of texts done since it was called last

        Raises EmbeddingError where the device is not there, or a vector is zero or not finite.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        model = _model(self.folder, self.device, self.window)
        for batch in batches(np.minimum(self.count_tokens(texts), self.window), TOKENS_PER_BATCH):
            rows = batch.tolist()
            computed = model.encode(
                [texts[row] for row in rows],
                batch_size=len(rows),
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
            require_usable(computed, self.dimension, lambda row, rows=rows: quoted(texts[rows[row]]))  # type: ignore[misc]
            vectors[batch] = computed
            if progress is not None:
                progress(len(rows))
        return vectors


def batches(tokens: IntArray, budget: int) -> Iterator[IntArray]:
    """Groups texts of about equal length, longest first, so that little is computed on padding.

    tokens  int64 (n,), what the model reads of each text
    budget  most tokens of a batch, padding included; a text that alone has more is a batch of its own

    Yields rows, each exactly once. The longest come first, so that memory that does not suffice shows at once.
    """
    order = np.argsort(-tokens, kind="stable")
    first = 0
    while first < len(order):
        last = first + max(1, budget // max(1, int(tokens[order[first]])))
        yield order[first:last]
        first = last


@lru_cache(maxsize=4)
def _tokenizer(path: Path) -> tokenizers.Tokenizer:
    """The model's tokenizer without the truncation and padding that its file may ask for."""
    import tokenizers  # noqa: PLC0415 - a native library that a run served by the cache does without

    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@lru_cache(maxsize=1)
def _model(folder: Path, device: str, window: int) -> Any:
    """The loaded model; one at a time is kept in memory."""
    for switch in OFFLINE:
        os.environ.setdefault(switch, "1")
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds and half a gigabyte
    from transformers.utils import logging  # noqa: PLC0415

    _require_device(device)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would draw over our own
    model = SentenceTransformer(str(folder), device=device, local_files_only=True, model_kwargs={"dtype": "float32"})
    model.max_seq_length = window
    return model


def _require_device(device: str) -> None:
    import torch  # noqa: PLC0415

    available = ["cpu"]
    if torch.cuda.is_available():
        available += ["cuda", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        available.append("mps")
    if device not in available:
        raise EmbeddingError(
            f"embedder.device={device} is not on this machine, which has {', '.join(available)}. "
            "Leave it out to compute on the cpu."
        )
