"""Chonkie's RecursiveChunker with its own rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.base import DEFAULT_SIZE, Sizing
from chunksweep.chunkers.chonkie_units import at_least_one, chonkie_tokenizer
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class ChonkieRecursive(SizedLibraryChunker):
    """Cuts at blank lines, then sentence ends, other punctuation, blanks, and between tokens. It has no overlap.

    min_characters_per_chunk  shorter pieces are joined to the one before
    """

    package: ClassVar[str] = "chonkie"
    extra: ClassVar[str] = "chonkie"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "coverage": "a character that is cut between its tokens is lost",
            "size": "tokens are counted in each text alone; in place it may have more",
        }
    )

    min_characters_per_chunk: int = 24

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        at_least_one("min_characters_per_chunk", self.min_characters_per_chunk)

    def sizing(self) -> Sizing:
        """400 characters or 128 tokens, without overlap."""
        return Sizing(self.unit, DEFAULT_SIZE[self.unit], overlap=False)

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks of the text."""
        from chonkie import RecursiveChunker  # noqa: PLC0415

        chunker = RecursiveChunker(
            tokenizer=chonkie_tokenizer(ruler),
            chunk_size=self.units,
            min_characters_per_chunk=self.min_characters_per_chunk,
        )
        return [chunk.text for chunk in chunker.chunk(document.text)]
