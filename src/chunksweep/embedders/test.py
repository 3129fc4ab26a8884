"""An embedder whose vectors can be worked out by hand, for tests and for trying things out in no time."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chunksweep.embedders.base import Reading, Role
from chunksweep.embedders.vectors import quoted, require_usable
from chunksweep.records import IntArray, Vectors

COLUMNS = {letter: column for column, letter in enumerate(string.ascii_lowercase)}
OTHER = len(COLUMNS)


@dataclass(frozen=True, slots=True)
class WordInitials:
    """Counts words by their first letter, then scales to length 1.

    A word is a run of anything but white space. Columns 0 to 25 count the words that begin with a to z in either
    case, column 26 all other words, so that every text that is not blank has a direction. "Bees buzz 3 times" has
    b twice, t once, others once: (2, 1, 1) / √6 in columns 1, 19 and 26. A word is a token; there is no window.
    """

    @property
    def fingerprint(self) -> str:
        """The name of this rule; it has no weights."""
        return "word initials:float32:normalised:dimension=27"

    @property
    def model_sha256(self) -> str:
        """sha256 of the fingerprint, which stands for the weights."""
        return hashlib.sha256(self.fingerprint.encode()).hexdigest()

    @property
    def dimension(self) -> int:
        """27."""
        return OTHER + 1

    @property
    def window(self) -> None:
        """No limit."""
        return

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:  # noqa: ARG002 - no prompts
        """Words of each text; int64 (n,)."""
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:  # noqa: ARG002 - no prompts
        """All of each text."""
        return Reading(self.count_tokens(texts), texts)

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:  # noqa: ARG002 - no prompts
        """Unit vectors, float32 (n, 27); EmbeddingError for a blank text, which has no direction."""
        counts = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                counts[row, COLUMNS.get(word[0].lower(), OTHER)] += 1
        require_usable(counts, self.dimension, lambda row: quoted(texts[row]))
        if progress is not None and texts:
            progress(len(texts))
        vectors: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return vectors
