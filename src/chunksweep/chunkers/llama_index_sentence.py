"""LlamaIndex's SentenceSplitter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaIndexSentence(SizedLibraryChunker):
    r"""Fills chunks with sentences; a longer one is cut at punctuation, then at blanks, then between characters.

    paragraph_separator       tried before sentences
    secondary_chunking_regex  finds the parts of a sentence that is too long
    separator                 between words
    """

    package: ClassVar[str] = "llama_index.core"
    extra: ClassVar[str] = "llama-index"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "nesting": "chunks are trimmed, so that the blanks before an overlap can be all that a chunk has more",
            "size": "tokens are counted in each text alone; in place it may have more",
            "overlap": "tokens are counted in each text alone; in place it may have more",
            "failure": "a character of more tokens than the size is refused",
        }
    )

    paragraph_separator: str = "\n\n\n"
    secondary_chunking_regex: str = "[^,.;。？！]+[,.;。？！]?|[,.;。？！]"
    separator: str = " "

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """What `split_text` gives."""
        from llama_index.core.node_parser import SentenceSplitter  # noqa: PLC0415

        splitter = SentenceSplitter(
            chunk_size=self.units,
            chunk_overlap=self.overlap,
            tokenizer=ruler.encode,
            paragraph_separator=self.paragraph_separator,
            secondary_chunking_regex=self.secondary_chunking_regex,
            separator=self.separator,
        )
        return splitter.split_text(document.text)
