"""An embedder that remembers: a text is embedded once for all cells, runs and processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from chunksweep.embedders.base import BatchEmbedder, Embedder, Reading, Role
from chunksweep.embedders.store import CacheInfo, VectorStore
from chunksweep.embedders.turns import Turns
from chunksweep.embedders.vectors import quoted, require_usable
from chunksweep.errors import EmbeddingError
from chunksweep.records import IntArray, Vectors

TEXTS_PER_WRITE = 256
TEXTS_PER_READ = 8_192


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """Wraps an embedder and is one; vectors are kept in `folder`/embeddings.sqlite.

    Vectors are written as they come, so that a killed run loses at most the 256 texts it was computing, and of a
    BatchEmbedder the batches under way. Each method
    may raise CacheError: an unusable folder is noticed before anything is embedded.

    maker  who the embedder is, as maker.Maker.text, for those who look after the cache
    """

    embedder: Embedder
    folder: Path
    maker: str | None = None

    @property
    def fingerprint(self) -> str:
        """That of the wrapped embedder."""
        return self.embedder.fingerprint

    @property
    def model_sha256(self) -> str:
        """That of the wrapped embedder."""
        return self.embedder.model_sha256

    @property
    def dimension(self) -> int | None:
        """That of the wrapped embedder."""
        return self.embedder.dimension

    @property
    def window(self) -> int | None:
        """That of the wrapped embedder."""
        return self.embedder.window

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:
        """Counted by the wrapped embedder; counts are not kept."""
        return self.embedder.count_tokens(texts, role)

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:
        """Read by the wrapped embedder; readings are not kept."""
        return self.embedder.read(texts, role)

    def info(self) -> CacheInfo:
        """What the cache holds, of all embedders that use it."""
        return self._store.info()

    def missing(self, texts: Sequence[str], role: Role) -> list[str]:
        """The distinct texts that `embed` would have to compute, in the order given."""
        absent: list[str] = []
        for block in _blocks(list(dict.fromkeys(texts)), TEXTS_PER_READ):
            keys = self._keys(block, role)
            found = self._store.get(list(keys.values()), self.dimension)
            absent += [text for text, key in keys.items() if key not in found]
        return absent

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """One vector a text, float32 (n, dimension), in the order given; a text given twice is embedded once.

        progress  called with the number of texts done since it was called last, those found in the cache first

        Processes that embed the same texts at once take turns by blocks of 256 texts, each finding what the other has
        written meanwhile, so that no text is computed twice.

        Raises EmbeddingError when a vector is not finite, is zero or has another length; such a vector is not kept.
        """
        keys = self._keys(texts, role)
        known = self._store.get(list(keys.values()), self.dimension)
        absent = [text for text, key in keys.items() if key not in known]
        if progress is not None and len(absent) < len(texts):
            progress(len(texts) - len(absent))
        if absent:
            self._store.require_writable()
        turns = Turns(self.folder / f"embedding-{key_of(self.fingerprint).hex()[:16]}.lock")
        for block in _blocks(_by_length(absent), TEXTS_PER_WRITE):
            with turns.turn():
                known |= self._written_meanwhile([keys[text] for text in block], progress)
                dimension = self._dimension_of(known)
                left = [text for text in block if keys[text] not in known]
                known |= self._computed(left, keys, role, dimension, progress)
        dimension = self._dimension_of(known)
        rows = [known[keys[text]] for text in texts]
        return np.stack(rows) if rows else np.empty((0, dimension or 0), dtype=np.float32)

    def _written_meanwhile(self, keys: Sequence[bytes], progress: Callable[[int], None] | None) -> dict[bytes, Vectors]:
        """What another process has embedded since this one looked."""
        found = self._store.get(keys, self.dimension)
        if found and progress is not None:
            progress(len(found))
        return found

    def _dimension_of(self, known: Mapping[bytes, Vectors]) -> int | None:
        """Length of the vectors known so far; None where there are none and the embedder does not say."""
        lengths = sorted({len(vector) for vector in known.values()})
        if len(lengths) > 1:
            raise EmbeddingError(
                f"the cache {self.folder} holds vectors of dimension {lengths[0]} and of {lengths[1]} by one embedder: "
                "the model behind its name was exchanged. Drop them with `chunksweep cache prune --model NAME`."
            )
        return lengths[0] if lengths else self.dimension

    def _computed(
        self,
        texts: Sequence[str],
        keys: Mapping[str, bytes],
        role: Role,
        dimension: int | None,
        progress: Callable[[int], None] | None,
    ) -> dict[bytes, Vectors]:
        """Embeds texts and keeps their vectors, those of a finished batch even where a later one fails."""
        computed: dict[bytes, Vectors] = {}
        for rows, vectors in self._batches(texts, role, progress):
            require_usable(vectors, dimension, lambda row, rows=rows: f"the {role} {quoted(texts[rows[row]])}")  # type: ignore[misc]
            of_batch = {keys[texts[row]]: vector for row, vector in zip(rows, vectors, strict=True)}
            self._store.put(of_batch, self.maker)
            computed |= of_batch
        return computed

    def _batches(
        self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None
    ) -> Iterator[tuple[Sequence[int], Vectors]]:
        if not isinstance(self.embedder, BatchEmbedder):
            if texts:
                yield range(len(texts)), self.embedder.embed(texts, role, progress)
            return
        for rows, vectors in self.embedder.embed_batches(texts, role):
            yield rows, vectors
            if progress is not None:
                progress(len(rows))

    @property
    def _store(self) -> VectorStore:
        return VectorStore(self.folder)

    def _keys(self, texts: Sequence[str], role: Role) -> dict[str, bytes]:
        fingerprint = self.fingerprint
        return {text: key_of(fingerprint, role, text) for text in texts}


def key_of(*fields: str) -> bytes:
    """sha256 over the fields, each after its length in bytes, so that no two lists of fields run into each other."""
    digest = sha256()
    for field in fields:
        data = field.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _by_length(texts: Sequence[str]) -> list[str]:
    """Longest first, so that a block holds texts of like length and little is computed on padding.

    The order depends on the texts alone, not on how they came in: after a lost cache the batches are the same again.
    """
    return sorted(texts, key=lambda text: (-len(text), text))


def _blocks(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[first : first + size] for first in range(0, len(texts), size))
