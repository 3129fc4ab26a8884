"""Chonkie's SemanticChunker, with vectors of the cell's own embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from chunksweep.chunkers.base import Cuts, Sizing, VectorChunker, check_option
from chunksweep.chunkers.chonkie_units import at_least_one, chonkie_tokenizer
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Characters, Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Vectors

if TYPE_CHECKING:
    from chonkie import SemanticChunker
    from chonkie.embeddings import BaseEmbeddings
    from chonkie.tokenizer import Tokenizer

CAP = {"characters": 8_192, "tokens": 2_048}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChonkieSemantic(SizedLibraryChunker, VectorChunker):
    r"""Cuts where a sentence is least like the window of sentences before it, after smoothing these similarities.

    size                         a cap on the sum of the sentences' lengths
    threshold                    above 0, below 1: of the minima those below this quantile are cut at
    similarity_window            sentences that each is compared with
    min_sentences_per_chunk      at least so many between two cuts
    min_characters_per_sentence  shorter ones are joined to their neighbours
    delim, include_delim         as of chonkie_sentence
    filter_window, filter_polyorder, filter_tolerance  of the Savitzky-Golay filter

    Its `skip_window`, which joins chunks by vectors of what was cut before, is left at 0.
    """

    package: ClassVar[str] = "chonkie"
    extra: ClassVar[str] = "chonkie"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"size": "a sentence that is too long stays whole, and each is measured alone"}
    )

    unit: str = "tokens"
    threshold: float = 0.8
    similarity_window: int = 3
    min_sentences_per_chunk: int = 1
    min_characters_per_sentence: int = 24
    delim: tuple[str, ...] = (". ", "! ", "? ", "\n")
    include_delim: str = "prev"
    filter_window: int = 5
    filter_polyorder: int = 3
    filter_tolerance: float = 0.2

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        for option in ("similarity_window", "min_sentences_per_chunk", "min_characters_per_sentence"):
            at_least_one(option, getattr(self, option))
        check_option("include_delim", self.include_delim, ("prev", "next"))
        for option in ("threshold", "filter_tolerance"):
            if not 0 < getattr(self, option) < 1:
                raise ConfigError(f"chunker.{option}={getattr(self, option)}: above 0 and below 1 is needed.")
        if self.filter_window < 1 or self.filter_window % 2 == 0:
            raise ConfigError(f"chunker.filter_window={self.filter_window}: an odd number of at least 1 is needed.")
        if not 0 <= self.filter_polyorder < self.filter_window:
            raise ConfigError(
                f"chunker.filter_polyorder={self.filter_polyorder}: at least 0 and less than "
                f"chunker.filter_window={self.filter_window} is needed."
            )

    def sizing(self) -> Sizing:
        """2,048 tokens or 8,192 characters, without overlap."""
        return Sizing(self.unit, CAP[self.unit], overlap=False)

    def reads(self, document: Document) -> list[str]:
        """The windows, then the sentences after them, as the library compares them; each once."""
        asked: dict[str, None] = {}

        def note(text: str) -> Vectors:
            asked[text] = None
            return np.ones(1, dtype=np.float32)

        # There is no public way to ask what it would embed; how long sentences are does not matter for it.
        chunker = self._chunker(note, Characters(len(document.text)))
        sentences = chunker._prepare_sentences(document.text)
        if len(sentences) > self.similarity_window:
            chunker._get_similarity(sentences)
        return [text for text in asked if text.strip()]

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:  # noqa: ARG002  cannot be done
        """Raises ValueError: without vectors nothing can be cut."""
        raise ValueError("a strategy that cuts by vectors needs them")

    def cut_by(self, document: Document, ruler: Ruler, vectors: Vectors) -> Cuts:
        """What the chunker gives, with these vectors in place of its model; a blank sentence is like nothing."""
        known = dict(zip(self.reads(document), vectors, strict=True))
        nothing = np.zeros(vectors.shape[1], dtype=np.float32)
        chunker = self._chunker(lambda text: known.get(text, nothing), ruler)
        return self.placed(document, ruler, [chunk.text for chunk in chunker.chunk(document.text)])

    def _chunker(self, vector_of: Callable[[str], Vectors], ruler: Ruler) -> SemanticChunker:
        from chonkie import SemanticChunker  # noqa: PLC0415

        return SemanticChunker(
            embedding_model=_embeddings(vector_of, chonkie_tokenizer(ruler)),
            threshold=self.threshold,
            chunk_size=self.size or CAP[self.unit],
            similarity_window=self.similarity_window,
            min_sentences_per_chunk=self.min_sentences_per_chunk,
            min_characters_per_sentence=self.min_characters_per_sentence,
            delim=list(self.delim),
            include_delim="prev" if self.include_delim == "prev" else "next",
            filter_window=self.filter_window,
            filter_polyorder=self.filter_polyorder,
            filter_tolerance=self.filter_tolerance,
        )


def _embeddings(vector_of: Callable[[str], Vectors], tokenizer: Tokenizer) -> BaseEmbeddings:
    """A model of Chonkie's that looks vectors up."""
    from chonkie.embeddings import BaseEmbeddings  # noqa: PLC0415

    class Known(BaseEmbeddings):
        def embed(self, text: str) -> Vectors:
            vector: Vectors = vector_of(text)
            return vector

        def similarity(self, u: Vectors, v: Vectors) -> np.float32:
            lengths = float(np.linalg.norm(u) * np.linalg.norm(v))
            return np.float32(np.dot(u, v) / lengths if lengths else 0.0)

        @property
        def dimension(self) -> int:
            raise NotImplementedError("is asked by no chunker")

        def get_tokenizer(self) -> Tokenizer:
            return tokenizer

    return Known()
