"""Semantic: a new chunk where the similarity of consecutive sentences drops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chunksweep.chunkers.base import Sizing, VectorChunker, check_option
from chunksweep.chunkers.recursive import split_recursively
from chunksweep.chunkers.ruler import Characters, Ruler
from chunksweep.chunkers.sentences import Sentences
from chunksweep.errors import ConfigError
from chunksweep.records import Document, FloatArray, Span, Vectors

# About what MiniLM reads.
DEFAULT_SIZE = {"characters": 1_000, "words": 180, "tokens": 256}
# What `at` stands for where it is not given, and the least and greatest that it can be.
AT = {"percentile": (95.0, 0.0, 100.0), "deviation": (1.0, 0.0, np.inf), "absolute": (0.5, -1.0, 1.0)}
# Vectors may differ in the seventh digit with the batches they were computed in.
_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantic(VectorChunker):
    """Cuts between two sentences whose vectors are less alike than others of the document, by cosine.

    Sentences are those of Sentences within sections: a heading belongs to the sentence after it, a code block is one
    sentence. Their distance is 1 minus the cosine.

    size       the most units of a chunk; what is longer is split as by Recursive
    threshold  "percentile": cut where the distance is greater than the `at`-th percentile of the document's distances
               (interpolated linearly); "deviation": greater than their mean and `at` standard deviations;
               "absolute": where the cosine is below `at`
    at         None: 95, 1 or 0.5
    min_size   units; a shorter chunk is joined with the one before or after it where both together fit into the size
    window     how many sentences on either side are read with each sentence
    language   as of Sentences
    """

    threshold: str = "percentile"
    at: float | None = None
    min_size: int = 0
    window: int = 0
    language: str = "en"

    def __post_init__(self) -> None:
        check_option("threshold", self.threshold, tuple(AT))
        usual, least, most = AT[self.threshold]
        if self.at is None:
            object.__setattr__(self, "at", usual)
        elif not least <= self.at <= most:
            allowed = f"from {least:g} to {most:g}" if most < np.inf else f"at least {least:g}"
            raise ConfigError(
                f"chunker.at={self.at:g} is not possible with chunker.threshold={self.threshold}. Allowed: {allowed}. "
                "Give such a number, or null."
            )
        for name in ("min_size", "window"):
            if getattr(self, name) < 0:
                raise ConfigError(f"chunker.{name}={getattr(self, name)} is not possible. Allowed: at least 0.")
        if self.size is not None and self.min_size > self.size:
            raise ConfigError(
                f"chunker.min_size={self.min_size} is greater than size={self.size}, the most {self.unit} of a chunk. "
                "Give a smaller chunker.min_size, or a greater size."
            )
        Sentences(language=self.language)
        VectorChunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """1,000 characters, 180 words or 256 tokens, or the least size where that is more; no overlap."""
        return Sizing(self.unit, max(DEFAULT_SIZE[self.unit], self.min_size), overlap=False)

    def reads(self, document: Document) -> list[str]:
        """Every sentence, with those beside it where a window is asked for."""
        units = self._units(document)
        last = len(units) - 1
        return [
            document.text[units[max(row - self.window, 0)].start : units[min(row + self.window, last)].end]
            for row in range(len(units))
        ]

    def split_by(self, document: Document, ruler: Ruler, vectors: Vectors) -> Iterator[Span]:
        """Runs of sentences that are alike, none too long, and none too short where that can be."""
        units = self._units(document)
        if not units:
            return
        size = self.size or self.sizing().default or 1
        cuts = [0, *(int(row) + 1 for row in np.flatnonzero(self._drops(vectors))), len(units)]
        runs = [Span(units[first].start, units[end - 1].end) for first, end in pairwise(cuts)]
        parts = [part for run in runs for part in split_recursively(document.text, run, ruler, size, 0)]
        yield from _joined(parts, ruler, self.min_size, size)

    def _units(self, document: Document) -> list[Span]:
        return list(Sentences(language=self.language).split(document, Characters(len(document.text))))

    def _drops(self, vectors: Vectors) -> npt.NDArray[np.bool_]:
        """Between which consecutive sentences is a cut: bool (n - 1,)."""
        distances = distances_between(vectors)
        if not len(distances):
            return np.zeros(0, dtype=np.bool_)
        at = float(self.at or 0)
        if self.threshold == "absolute":
            limit = 1 - at
        elif self.threshold == "percentile":
            limit = float(np.percentile(distances, at))
        else:
            limit = float(distances.mean() + at * distances.std())
        return distances > round(limit, _DECIMALS)


def distances_between(vectors: Vectors) -> FloatArray:
    """1 minus the cosine of each vector with the next: float64 (n - 1,), to 1e-6."""
    wide = vectors.astype(np.float64)
    unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    distances: FloatArray = np.round(1 - np.einsum("ij,ij->i", unit[:-1], unit[1:]), _DECIMALS)
    return distances


def _joined(parts: list[Span], ruler: Ruler, least: int, size: int) -> list[Span]:
    """The parts, of which one with fewer than `least` units goes with a neighbour where both fit into `size`."""
    kept: list[Span] = []
    for part in parts:
        short = bool(kept) and min(ruler.length(kept[-1]), ruler.length(part)) < least
        both = Span(kept[-1].start, part.end) if short else part
        if short and ruler.length(both) <= size:
            kept[-1] = both
        else:
            kept.append(part)
    return kept
