"""What LlamaIndex's node parsers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunksweep.records import Document

if TYPE_CHECKING:
    from llama_index.core.node_parser import NodeParser


def node_texts(parser: NodeParser, document: Document) -> list[str]:
    """The texts of the nodes that a parser makes of a document, without metadata."""
    from llama_index.core.schema import Document as Source  # noqa: PLC0415
    from llama_index.core.schema import MetadataMode  # noqa: PLC0415

    nodes = parser.get_nodes_from_documents([Source(text=document.text)])
    return [node.get_content(MetadataMode.NONE) for node in nodes]
