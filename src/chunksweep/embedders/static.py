"""Static embeddings: a vector for each word piece, whatever stands beside it; a text's is their mean. A first look."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from chunksweep.embedders.base import Reading, Role
from chunksweep.embedders.model_files import file_sha256, find_model
from chunksweep.embedders.reading import TextReader, unusable
from chunksweep.embedders.vectors import quoted, require_usable, shortened
from chunksweep.errors import ConfigError, EmbeddingError
from chunksweep.records import IntArray, Vectors

PACKAGE = "wordllama"
WEIGHTS, TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
# What sentence-transformers and model2vec call the table.
TABLES = ("embedding.weight", "embeddings")


@dataclass(frozen=True, slots=True)
class Static:
    """A table of vectors, one a word piece, hundreds of times as fast as a model that reads words in their context.

    model      a folder with model.safetensors and tokenizer.json as sentence-transformers' StaticEmbedding and
               model2vec write them, or a name under which the local cache of Hugging Face holds it; None: the 256
               dimensions of WordLlama, from its package
    dimension  so many components of each vector; None: all

    Vectors have length 1. There is no window and there are no prompts. Nothing of torch is imported, and no code of
    the package. The methods raise EmbeddingError where the model is not there or cannot be used.
    """

    model: str | None = None
    dimension: int | None = None

    def __post_init__(self) -> None:
        if self.dimension is not None and self.dimension < 1:
            raise ConfigError(f"embedder.dimension={self.dimension}: a whole number of at least 1 is needed.")
        if self.model is not None and (folder := Path(self.model).expanduser()).is_dir():
            object.__setattr__(self, "model", str(folder.absolute()))

    @property
    def fingerprint(self) -> str:
        """Names table and tokenizer by their content."""
        return (
            f"static:{self.model_sha256}:tokenizer={file_sha256(self.tokenizer_path)}:"
            f"float32:mean:normalised:dimension={self.dimension}"
        )

    @property
    def model_sha256(self) -> str:
        """sha256 of the table."""
        return file_sha256(self._table_path)

    @property
    def tokenizer_path(self) -> Path:
        """The model's tokenizer.json, in Hugging Face's format."""
        return self._file(TOKENIZER, "tokenizer.json")

    @property
    def window(self) -> None:
        """No limit."""
        return

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:
        """Word pieces of each text; int64 (n,)."""
        return self.read(texts, role).tokens

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:  # noqa: ARG002 - no prompts
        """The word pieces of each text."""
        return self._reader.read(texts)

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:  # noqa: ARG002 - no prompts
        """Unit vectors, float32 (n, dimension)."""
        if not texts:
            return np.empty((0, self.dimension or 0), dtype=np.float32)
        table = _table(self._table_path, self.tokenizer_path)
        sums = np.zeros((len(texts), table.shape[1]), dtype=np.float64)
        for row, encoding in enumerate(self._reader.encoded(texts)):
            sums[row] = table[encoding.ids].sum(axis=0, dtype=np.float64)
        require_usable(sums.astype(np.float32), None, lambda row: quoted(texts[row]))
        vectors: Vectors = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        if progress is not None:
            progress(len(texts))
        if self.dimension is None:
            return vectors
        return shortened(vectors, self.dimension, lambda row: quoted(texts[row]))

    @property
    def _reader(self) -> TextReader:
        return TextReader(self.tokenizer_path, None, special_tokens=False)

    @property
    def _table_path(self) -> Path:
        return self._file(WEIGHTS, "model.safetensors")

    def _file(self, of_package: str, of_folder: str) -> Path:
        if self.model is None:
            return _package() / of_package
        path = find_model(self.model, None) / of_folder
        if not path.is_file():
            raise EmbeddingError(
                f"embedder.model={self.model} has no {of_folder}, so it is no table of static embeddings. Give "
                "another, or embedder=sentence_transformers for models of other kinds."
            )
        return path


def _package() -> Path:
    """Where WordLlama's files lie; it is not imported.

    Raises EmbeddingError where it is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    folder = Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None
    if folder is None or not all((folder / name).is_file() for name in (WEIGHTS, TOKENIZER)):
        raise EmbeddingError(
            f"embedder=static finds no table in a package {PACKAGE}. Install it with "
            "`pip install 'chunksweep[static]'`, or give a model with embedder.model=NAME_OR_FOLDER."
        )
    return folder


@lru_cache(maxsize=1)
def _table(path: Path, tokenizer: Path) -> Vectors:
    """The vectors of all word pieces, float32 (word pieces, dimension)."""
    from safetensors.numpy import load_file  # noqa: PLC0415 - not needed where the cache serves
    from tokenizers import Tokenizer  # noqa: PLC0415

    try:
        tensors = load_file(path)
        needed = Tokenizer.from_file(str(tokenizer)).get_vocab_size()
        table = _folded(tensors)
    except Exception as error:  # the libraries raise nothing more precise
        raise unusable(path.parent, error) from error
    if table is None or table.ndim != 2 or len(table) < needed:
        shapes = ", ".join(f"{name} {list(tensor.shape)}" for name, tensor in sorted(tensors.items())) or "nothing"
        raise EmbeddingError(
            f"{path} holds {shapes}, and no table, called {' or '.join(TABLES)}, of the {needed} word pieces that its "
            "tokenizer knows. Give another model, or embedder=sentence_transformers."
        )
    return table


def _folded(tensors: Mapping[str, Vectors]) -> Vectors | None:
    """The table; model2vec may keep rows that word pieces share, and a weight for each word piece, apart."""
    table = next((tensors[name].astype(np.float32) for name in TABLES if name in tensors), None)
    if table is not None and "mapping" in tensors:
        table = table[tensors["mapping"].astype(np.int64)]
    if table is not None and "weights" in tensors:
        table = table * tensors["weights"].astype(np.float32)[:, np.newaxis]
    return table
