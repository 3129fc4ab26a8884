"""The engine of models in the sentence-transformers layout: one process, batches of equal work.

On the processor a BERT with mean pooling runs without padding; everything else, and every other device, runs through
the library sentence-transformers itself. Both compute the same vectors, to 1e-6.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunksweep.embedders.base import Reading
from chunksweep.embedders.vectors import quoted, require_usable
from chunksweep.errors import EmbeddingError
from chunksweep.records import IntArray, Vectors

if TYPE_CHECKING:
    import tokenizers

TOKENS_PER_BATCH = 2_048
TOKENS_PER_GPU_BATCH = 65_536
TEXTS_PER_READ = 1_024
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")

# Texts and the token ids that the model reads of each -> unit vectors, float32 (texts, dimension).
Runner = Callable[[Sequence[str], Sequence[Sequence[int]]], Vectors]


@dataclass(frozen=True, slots=True)
class SentenceTransformerEngine:
    """Runs a model that lies in a local folder. The network is not touched.

    folder     holds modules.json and tokenizer.json
    dimension  length of a vector
    window     most tokens read of a text, special tokens included; what follows is cut
    device     where torch computes: "cpu", "cuda", "cuda:0", …, "mps"
    precision  a key of DTYPES: in what the model computes

    torch takes a second to import, the library several, so they are imported when the first text is embedded.
    """

    folder: Path
    dimension: int
    window: int
    device: str = "cpu"
    precision: str = "fp32"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text before truncation, special tokens included; int64 (n,)."""
        return self.read(texts).tokens

    def read(self, texts: Sequence[str]) -> Reading:
        """What the model reads of each text: digests of its token ids within the window."""
        special = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        tokens = np.empty(len(texts), dtype=np.int64)
        digests = []
        for row, encoding in enumerate(self._encoded(texts)):
            # What was cut off comes in pieces, each with special tokens of its own.
            tokens[row] = len(encoding) + sum(len(piece) - special for piece in encoding.overflowing)
            digests.append(blake2b(np.array(encoding.ids, dtype=np.int32).tobytes(), digest_size=16).digest())
        return Reading(tokens, digests)

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, float32 (n, dimension), in the order given.

        progress  called with the number of texts done since it was called last

        A vector depends on the batch that its text is in by less than 1e-6 in each component.
        Raises EmbeddingError where the device is not there, or a vector is zero or not finite.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        ids = [encoding.ids for encoding in self._encoded(texts)]
        model = _model(self.folder, self.device, self.precision, self.window)
        budget = TOKENS_PER_BATCH if self.device == "cpu" else TOKENS_PER_GPU_BATCH
        for batch in batches(np.array([len(read) for read in ids], dtype=np.int64), budget):
            rows = batch.tolist()
            computed = model([texts[row] for row in rows], [ids[row] for row in rows])
            require_usable(computed, self.dimension, lambda row, rows=rows: quoted(texts[rows[row]]))  # type: ignore[misc]
            vectors[batch] = computed
            if progress is not None:
                progress(len(rows))
        return vectors

    def _encoded(self, texts: Sequence[str]) -> Iterator[tokenizers.Encoding]:
        blocks = (texts[first : first + TEXTS_PER_READ] for first in range(0, len(texts), TEXTS_PER_READ))
        return chain.from_iterable(map(self._tokenizer.encode_batch_fast, blocks))

    @property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        return _tokenizer(self.folder / "tokenizer.json", self.window)


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
def _tokenizer(path: Path, window: int) -> tokenizers.Tokenizer:
    """The model's tokenizer, with its window in place of the truncation and padding that its file may ask for."""
    import tokenizers  # noqa: PLC0415 - a native library that a run served by the cache does without

    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(window)
    tokenizer.no_padding()
    return tokenizer


@lru_cache(maxsize=1)
def _model(folder: Path, device: str, precision: str, window: int) -> Runner:
    """The loaded model; one at a time is kept in memory."""
    _require_device(device)
    import torch  # noqa: PLC0415

    from chunksweep.embedders import packed_bert  # noqa: PLC0415

    if device == "cpu" and packed_bert.can_run(folder):
        model = packed_bert.PackedBert(folder, getattr(torch, DTYPES[precision]))
        return lambda _texts, ids: model.embed(ids)
    return library(folder, device, precision, window)


def library(folder: Path, device: str, precision: str, window: int) -> Runner:
    """The model as sentence-transformers itself runs it."""
    for switch in OFFLINE:
        os.environ.setdefault(switch, "1")
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds and half a gigabyte
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would draw over our own
    model = SentenceTransformer(
        str(folder), device=device, local_files_only=True, model_kwargs={"dtype": DTYPES[precision]}
    )
    model.max_seq_length = window

    def run(texts: Sequence[str], _ids: Sequence[Sequence[int]]) -> Vectors:
        vectors = model.encode(
            list(texts),
            batch_size=len(texts),
            normalize_embeddings=True,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        in_memory: Vectors = vectors.float().cpu().numpy()
        return in_memory

    return run


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
