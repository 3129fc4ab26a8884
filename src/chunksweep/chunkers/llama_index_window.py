"""LlamaIndex's SentenceWindowNodeParser: what is embedded, which is one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.library import LibraryChunker
from chunksweep.chunkers.llama_index_nodes import node_texts
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaIndexWindow(LibraryChunker):
    """One sentence a chunk, as that parser finds them; its window around a hit is not part of the chunk."""

    package: ClassVar[str] = "llama_index.core"
    extra: ClassVar[str] = "llama-index"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:  # noqa: ARG002  sentences are not measured
        """The sentences of the text."""
        from llama_index.core.node_parser import SentenceWindowNodeParser  # noqa: PLC0415

        return node_texts(SentenceWindowNodeParser.from_defaults(), document)
