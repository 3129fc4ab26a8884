"""LlamaIndex's MarkdownNodeParser."""

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
class LlamaIndexMarkdown(LibraryChunker):
    """One section a chunk, with its heading line, where that begins with number signs; without any limit."""

    package: ClassVar[str] = "llama_index.core"
    extra: ClassVar[str] = "llama-index"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:  # noqa: ARG002  nothing is measured
        """The sections of the text."""
        from llama_index.core.node_parser import MarkdownNodeParser  # noqa: PLC0415

        return node_texts(MarkdownNodeParser.from_defaults(), document)
