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

# Texts, the token ids that the model reads of each, and the prompt that the ids begin with and the texts do not
# -> unit vectors, float32 (texts, dimension).
Runner = Callable[[Sequence[str], Sequence[Sequence[int]], str], Vectors]


@dataclass(frozen=True, slots=True)
class SentenceTransformerEngine:
    """Runs a model that lies in a local folder. The network is not touched.

    folder     holds modules.json
    tokenizer  tokenizer.json of the model
    window     most tokens read of a text, prompt and special tokens included; what follows is cut; None: no limit
    device     where torch computes: "cpu", "cuda", "cuda:0", …, "mps"
    precision  a key of DTYPES: in what the model computes
    lowers_case     whether texts are made lower case before the tokenizer reads them
    special_tokens  whether the model reads special tokens around a text
    trust_code      whether code that the model brings may be run

    torch takes a second to import, the library several, so they are imported when the first text is embedded.
    """

    folder: Path
    tokenizer: Path
    window: int | None
    device: str = "cpu"
    precision: str = "fp32"
    lowers_case: bool = False
    special_tokens: bool = True
    trust_code: bool = False

    def count_tokens(self, texts: Sequence[str], prompt: str = "") -> IntArray:
        """Tokens of each text after the prompt, before truncation, special tokens included; int64 (n,)."""
        return self.read(texts, prompt).tokens

    def read(self, texts: Sequence[str], prompt: str = "") -> Reading:
        """What the model reads of each text after the prompt: digests of its token ids within the window."""
        special = self._tokenizer.num_special_tokens_to_add(is_pair=False) if self.special_tokens else 0
        tokens = np.empty(len(texts), dtype=np.int64)
        digests = []
        for row, encoding in enumerate(self._encoded(texts, prompt)):
            # What was cut off comes in pieces, each with special tokens of its own.
            tokens[row] = len(encoding) + sum(len(piece) - special for piece in encoding.overflowing)
            digests.append(blake2b(np.array(encoding.ids, dtype=np.int32).tobytes(), digest_size=16).digest())
        return Reading(tokens, digests)

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None, prompt: str = "") -> Vectors:
        """Unit vectors of the texts after the prompt, float32 (n, dimension), in the order given; (0, 0) of no text.

        progress  called with the number of texts done since it was called last

        A vector depends on the batch that its text is in by less than 1e-6 in each component.
        Raises EmbeddingError where the model cannot be loaded, the device is not there, or a vector is zero or not
        finite.
        """
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        vectors: dict[int, Vectors] = {}
        ids = [encoding.ids for encoding in self._encoded(texts, prompt)]
        model = _model(self)
        budget = TOKENS_PER_BATCH if self.device == "cpu" else TOKENS_PER_GPU_BATCH
        for batch in batches(np.array([len(read) for read in ids], dtype=np.int64), budget):
            rows = batch.tolist()
            computed = model([texts[row] for row in rows], [ids[row] for row in rows], prompt)
            require_usable(computed, None, lambda row, rows=rows: quoted(texts[rows[row]]))  # type: ignore[misc]
            vectors |= zip(rows, computed, strict=True)
            if progress is not None:
                progress(len(rows))
        return np.stack([vectors[row] for row in range(len(texts))])

    def _encoded(self, texts: Sequence[str], prompt: str) -> Iterator[tokenizers.Encoding]:
        after = texts if not prompt else [prompt + text for text in texts]
        blocks = (after[first : first + TEXTS_PER_READ] for first in range(0, len(after), TEXTS_PER_READ))
        tokenizer = self._tokenizer
        return chain.from_iterable(
            tokenizer.encode_batch_fast(block, add_special_tokens=self.special_tokens) for block in blocks
        )

    @property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        return _tokenizer(self.tokenizer, self.window, self.lowers_case)


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
def _tokenizer(path: Path, window: int | None, lowers_case: bool) -> tokenizers.Tokenizer:
    """The model's tokenizer, with its window in place of the truncation and padding that its file may ask for."""
    import tokenizers  # noqa: PLC0415 - a native library that a run served by the cache does without

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more precise
        raise _unusable(path.parent, error) from error
    tokenizer.no_padding()
    if window is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(window)
    if lowers_case:
        own = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Lowercase(), *own])
    return tokenizer


@lru_cache(maxsize=1)
def _model(engine: SentenceTransformerEngine) -> Runner:
    """The loaded model; one at a time is kept in memory."""
    _require_device(engine.device)
    try:
        return _packed(engine) or library(engine)
    except Exception as error:
        # Whatever the files of someone's model, or the code that comes with them, make a library raise.
        raise _unusable(engine.folder, error) from error


def _packed(engine: SentenceTransformerEngine) -> Runner | None:
    """The model without padding; None where it is of another kind, or runs elsewhere than on the processor."""
    import torch  # noqa: PLC0415

    from chunksweep.embedders import packed_bert  # noqa: PLC0415

    folder = engine.folder
    if (
        engine.device != "cpu"
        or engine.trust_code
        or not packed_bert.can_run(folder)
        or not packed_bert.finds_weights(folder)
    ):
        return None
    model = packed_bert.PackedBert(folder, getattr(torch, DTYPES[engine.precision]))
    return lambda _texts, ids, _prompt: model.embed(ids)


def library(engine: SentenceTransformerEngine) -> Runner:
    """The model as sentence-transformers itself runs it."""
    for switch in OFFLINE:
        os.environ.setdefault(switch, "1")
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds and half a gigabyte
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would draw over our own
    model = SentenceTransformer(
        str(engine.folder),
        device=engine.device,
        local_files_only=True,
        trust_remote_code=engine.trust_code,
        model_kwargs={"dtype": DTYPES[engine.precision]},
    )
    if engine.window is not None:
        model.max_seq_length = engine.window

    def run(texts: Sequence[str], _ids: Sequence[Sequence[int]], prompt: str) -> Vectors:
        vectors = model.encode(
            list(texts),
            prompt=prompt,  # given even where it is empty: else the model's default would be put before the texts
            batch_size=len(texts),
            normalize_embeddings=True,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        in_memory: Vectors = vectors.float().cpu().numpy()
        return in_memory

    return run


def _unusable(folder: Path, error: Exception) -> EmbeddingError:
    reason = " ".join(str(error).split())
    return EmbeddingError(
        f"the model in {folder} cannot be loaded ({type(error).__name__}: {reason[:300]}). "
        "Give another model, or get this one again."
    )


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
