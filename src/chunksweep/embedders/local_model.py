"""Any model of sentence-transformers that lies on this machine, by name or folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunksweep.embedders.base import Reading, Role
from chunksweep.embedders.model_files import ModelFiles, find_model
from chunksweep.embedders.prompts import Prompts, prompts_of
from chunksweep.embedders.reading import TextReader
from chunksweep.embedders.sentence_transformers import DTYPES, SentenceTransformerEngine
from chunksweep.embedders.vectors import quoted, shortened
from chunksweep.errors import ConfigError, EmbeddingError
from chunksweep.records import IntArray, Vectors


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model of sentence-transformers, run on this machine.

    model      a folder, or a name under which the local cache of Hugging Face holds it; nothing is fetched
    revision   of a model in that cache; None: main
    query_prompt, passage_prompt  what is put before questions and before passages, as it stands; "" for nothing; None:
               what the model declares. A model of a family that is trained with prompts and declares none is refused
               until they are given
    dimension  so many components of each vector, for models that were trained for it (Matryoshka); None: all
    max_seq_length  most tokens read of a text, prompt and special tokens included; None: what the model states
    device     where torch computes: "cpu", "cuda", "cuda:0", …, "mps"
    precision  "fp32" or "bf16", as of MiniLM
    trust_remote_code  whether code that the model brings may be run; without it such a model is refused

    Vectors have length 1, as they are compared by cosine. The methods raise EmbeddingError where the model is not
    there or cannot be used.
    """

    model: str | None = None
    revision: str | None = None
    query_prompt: str | None = None
    passage_prompt: str | None = None
    dimension: int | None = None
    max_seq_length: int | None = None
    device: str = "cpu"
    precision: str = "fp32"
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("embedder=sentence_transformers needs embedder.model=NAME_OR_FOLDER.")
        self._settle()

    def _settle(self) -> None:
        """Checks the options and makes the path of a folder absolute."""
        if self.precision not in DTYPES:
            raise ConfigError(f"embedder.precision={self.precision}: one of {', '.join(DTYPES)} is needed.")
        for key in ("dimension", "max_seq_length"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise ConfigError(f"embedder.{key}={value}: a whole number of at least 1 is needed.")
        if (
            self.model and (folder := Path(self.model).expanduser()).is_dir()
        ):  # a past run is run again from another folder too
            object.__setattr__(self, "model", str(folder.absolute()))

    @property
    def fingerprint(self) -> str:
        """Names the files of the model by their content, wherever they lie."""
        return self._named()

    def _named(self) -> str:
        prompts = self._prompts
        return (
            f"sentence-transformers:{self.model_sha256}:{DTYPES[self.precision]}:normalised:"
            f"prompts={[prompts.question, prompts.passage]}:dimension={self.dimension}:window={self.window}"
        )

    @property
    def model_sha256(self) -> str:
        """sha256 over weights, tokenizer and configuration of the model."""
        return self._files.sha256

    @property
    def tokenizer_path(self) -> Path:
        """The model's tokenizer.json, in Hugging Face's format."""
        return self._files.tokenizer_path

    @property
    def window(self) -> int | None:
        """Most tokens read of a text, prompt and special tokens included; None: no limit."""
        return self._files.window if self.max_seq_length is None else self.max_seq_length

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:
        """Tokens of each text after its prompt, before truncation, special tokens included; int64 (n,)."""
        return self.read(texts, role).tokens

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:
        """The tokens of each text after its prompt, within the window."""
        return self._engine.reader.read(texts, self._prompt(role))

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, float32 (n, dimension)."""
        if not texts:
            return np.empty((0, self.dimension or 0), dtype=np.float32)
        vectors = self._engine.embed(texts, progress, self._prompt(role))
        if self.dimension is None:
            return vectors
        return shortened(vectors, self.dimension, lambda row: quoted(texts[row]))

    def _prompt(self, role: Role) -> str:
        prompts = self._prompts
        return prompts.question if role == "question" else prompts.passage

    @property
    def _prompts(self) -> Prompts:
        files = self._files
        return prompts_of(str(self.model), files.prompts, files.names, self.query_prompt, self.passage_prompt)

    @property
    def _files(self) -> ModelFiles:
        return ModelFiles(find_model(str(self.model), self.revision))

    @property
    def _engine(self) -> SentenceTransformerEngine:
        files = self._files
        if files.brings_code and not self.trust_remote_code:
            raise EmbeddingError(
                f"embedder.model={self.model} brings code of its own, which is not run unless you ask for it. Read it, "
                "then give embedder.trust_remote_code=true, or choose another model."
            )
        reader = TextReader(
            files.tokenizer_path,
            self.window,
            lowers_case=files.lowers_case,
            special_tokens=files.kinds[0] != "StaticEmbedding",
        )
        return SentenceTransformerEngine(files.folder, reader, self.device, self.precision, self.trust_remote_code)
