"""LlamaIndex's SemanticSplitterNodeParser, with vectors of the cell's own embedder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from chunksweep.chunkers.base import Cuts, VectorChunker
from chunksweep.chunkers.library import LibraryChunker
from chunksweep.chunkers.llama_index_nodes import node_texts
from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Vectors

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaIndexSemantic(LibraryChunker, VectorChunker):
    """Cuts where the distance of neighbouring groups of sentences is greater than a percentile of all distances.

    buffer_size                      sentences on either side that are read with each
    breakpoint_percentile_threshold  0 to 100; the smaller, the more chunks
    """

    package: ClassVar[str] = "llama_index.core"
    extra: ClassVar[str] = "llama-index"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType({})

    buffer_size: int = 1
    breakpoint_percentile_threshold: int = 95

    def __post_init__(self) -> None:
        LibraryChunker.__post_init__(self)
        if self.buffer_size < 0:
            raise ConfigError(f"chunker.buffer_size={self.buffer_size} is not possible. Allowed: at least 0.")
        if not 0 <= self.breakpoint_percentile_threshold <= 100:
            raise ConfigError(
                f"chunker.breakpoint_percentile_threshold={self.breakpoint_percentile_threshold} is not possible. "
                "Allowed: from 0 to 100."
            )

    def reads(self, document: Document) -> list[str]:
        """The groups of sentences as the parser puts them together."""
        parser = self._parser({})
        # There is no public way to ask what it would embed.
        groups = parser._build_sentence_groups(parser.sentence_splitter(document.text))
        return [group["combined_sentence"] for group in groups if group["combined_sentence"].strip()]

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:  # noqa: ARG002  cannot be done
        """Raises ValueError: without vectors nothing can be cut."""
        raise ValueError("a strategy that cuts by vectors needs them")

    def cut_by(self, document: Document, ruler: Ruler, vectors: Vectors) -> Cuts:
        """What the parser gives, with these vectors in place of its model."""
        known = dict(zip(self.reads(document), vectors.tolist(), strict=True))
        return self.placed(document, ruler, node_texts(self._parser(known), document) if known else ())

    def _parser(self, vectors: Mapping[str, list[float]]) -> SemanticSplitterNodeParser:
        from llama_index.core.node_parser import SemanticSplitterNodeParser  # noqa: PLC0415

        return SemanticSplitterNodeParser(
            embed_model=_model(vectors),
            buffer_size=self.buffer_size,
            breakpoint_percentile_threshold=self.breakpoint_percentile_threshold,
            include_metadata=False,
            include_prev_next_rel=False,
        )


def _model(vectors: Mapping[str, list[float]]) -> BaseEmbedding:
    """A model of LlamaIndex's that knows the vectors of some texts."""
    from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: PLC0415

    class Known(BaseEmbedding):
        """Looks vectors up."""

        def _get_text_embedding(self, text: str) -> list[float]:
            return vectors[text]

        def _get_query_embedding(self, query: str) -> list[float]:
            return vectors[query]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vectors[query]

    return Known()
