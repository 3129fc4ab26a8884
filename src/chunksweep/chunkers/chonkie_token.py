"""Chonkie's TokenChunker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.chonkie_units import chonkie_tokenizer
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class ChonkieToken(SizedLibraryChunker):
    """Cuts after every `size` tokens of the text encoded once, and decodes the windows.

    A character of several tokens that lies on a cut is decoded to U+FFFD on both sides, and lost.
    """

    package: ClassVar[str] = "chonkie"
    extra: ClassVar[str] = "chonkie"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "coverage": "a character that is cut between its tokens is lost",
            "nesting": "two windows of an overlap differ only in damaged characters",
        }
    )

    unit: str = "tokens"

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks of the text."""
        from chonkie import TokenChunker  # noqa: PLC0415

        chunker = TokenChunker(tokenizer=chonkie_tokenizer(ruler), chunk_size=self.units, chunk_overlap=self.overlap)
        return [chunk.text for chunk in chunker.chunk(document.text)]
