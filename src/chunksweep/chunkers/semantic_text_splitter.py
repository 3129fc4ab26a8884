"""semantic-text-splitter (text-splitter in Rust): the largest semantic units that fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticTextSplitter(SizedLibraryChunker):
    """Cuts at the highest of its levels at which the next unit fits: line breaks, sentences, words, graphemes.

    markdown  cuts at the blocks and inline elements of Markdown instead of line breaks
    minimum   a chunk is closed once it has so many units; None: it is filled up to the size
    trim      whether chunks are trimmed
    """

    package: ClassVar[str] = "semantic_text_splitter"
    extra: ClassVar[str] = "semantic-text-splitter"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "nesting": "an overlap may be all of the chunk before, which the next one then begins with",
            "size": "tokens are counted in each text alone; in place it may have more",
            "overlap": "tokens are counted in each text alone; in place it may have more",
        }
    )

    markdown: bool = False
    minimum: int | None = None
    trim: bool = True

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        if self.minimum is not None and not 1 <= self.minimum <= self.units:
            raise ConfigError(f"chunker.minimum={self.minimum}: a number from 1 to the size, {self.units}, is needed.")

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks of the text."""
        from semantic_text_splitter import MarkdownSplitter, TextSplitter  # noqa: PLC0415

        splitter = MarkdownSplitter if self.markdown else TextSplitter
        capacity = self.units if self.minimum is None else (self.minimum, self.units)
        return splitter.from_callback(ruler.count, capacity, overlap=self.overlap, trim=self.trim).chunks(document.text)
