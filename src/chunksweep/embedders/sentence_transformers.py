"""The engine of models in the sentence-transformers layout: one process, batches of equal work.

On the processor a BERT with mean pooling runs without padding; everything else, and every other device, runs through
the library sentence-transformers itself. Both compute the same vectors, to 1e-6.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from chunksweep.embedders.reading import TextReader, unusable
from chunksweep.embedders.vectors import quoted, require_usable
from chunksweep.errors import EmbeddingError
from chunksweep.records import IntArray, Vectors

TOKENS_PER_BATCH = 2_048
TOKENS_PER_GPU_BATCH = 65_536
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")

# Texts, the token ids that the model reads of each, and the prompt that the ids begin with and the texts do not
# -> unit vectors, float32 (texts, dimension).
Runner = Callable[[Sequence[str], Sequence[Sequence[int]], str], Vectors]


@dataclass(frozen=True, slots=True)
class SentenceTransformerEngine:
    """Runs a model that lies in a local folder. The network is not touched.

    folder     holds modules.json
    reader     how the model reads texts
    device     where torch computes: "cpu", "cuda", "cuda:0", …, "mps"
    precision  a key of DTYPES: in what the model computes
    trust_code whether code that the model brings may be run

    torch takes a second to import, the library several, so they are imported when the first text is embedded.
    """

    folder: Path
    reader: TextReader
    device: str = "cpu"
    precision: str = "fp32"
    trust_code: bool = False

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
        ids = [encoding.ids for encoding in self.reader.encoded(texts, prompt)]
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

    def token_vectors(self, text: str, prompt: str = "") -> tuple[Vectors, IntArray]:
        """The vectors of the tokens that the model reads of a text, and where they stand in it, as TextReader.places.

        float32 (tokens, dimension), not scaled, special tokens and those of the prompt included.
        """
        places = self.reader.places(text, prompt)
        vectors = _token_model(self)(text, prompt)
        if len(vectors) != len(places):
            raise EmbeddingError(
                f"the model in {self.folder} reads {len(vectors)} tokens where its tokenizer.json has {len(places)}: "
                "which vector is of which word is not known. Give another model."
            )
        return vectors, places


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


@lru_cache(maxsize=1)
def _model(engine: SentenceTransformerEngine) -> Runner:
    """The loaded model; one at a time is kept in memory."""
    _require_device(engine.device)
    try:
        return _packed(engine) or library(engine)
    except Exception as error:
        # Whatever the files of someone's model, or the code that comes with them, make a library raise.
        raise unusable(engine.folder, error) from error


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
    model = _loaded(engine)

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


@lru_cache(maxsize=1)
def _token_model(engine: SentenceTransformerEngine) -> Callable[[str, str], Vectors]:
    """The loaded model, from a text and a prompt to the vectors of its tokens; one at a time is kept in memory."""
    _require_device(engine.device)
    try:
        model = _loaded(engine)
    except Exception as error:  # as in _model
        raise unusable(engine.folder, error) from error

    def run(text: str, prompt: str) -> Vectors:
        (states,) = model.encode(
            [text], prompt=prompt, output_value="token_embeddings", convert_to_tensor=False, show_progress_bar=False
        )
        in_memory: Vectors = states.float().cpu().numpy()
        return in_memory

    return run


def _loaded(engine: SentenceTransformerEngine) -> Any:
    """sentence-transformers' own model."""
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
    if engine.reader.window is not None:
        model.max_seq_length = engine.reader.window
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
