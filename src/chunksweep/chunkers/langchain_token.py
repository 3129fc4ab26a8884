"""LangChain's token windows: what its TokenTextSplitter does, by the tokenizer that counts everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainToken(SizedLibraryChunker):
    """Cuts after every `size` tokens of the text encoded once, wherever that falls, and decodes the windows.

    A character of several tokens that lies on a cut is decoded to U+FFFD on both sides, and lost.
    """

    package: ClassVar[str] = "langchain_text_splitters"
    extra: ClassVar[str] = "langchain"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "coverage": "a character that is cut between its tokens is lost",
            "nesting": "two windows of an overlap differ only in damaged characters",
        }
    )

    unit: str = "tokens"

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """What `split_text_on_tokens` gives, as TokenTextSplitter calls it."""
        # TokenTextSplitter itself only takes the encodings of tiktoken, which downloads their tables.
        from langchain_text_splitters import Tokenizer, split_text_on_tokens  # noqa: PLC0415

        tokenizer = Tokenizer(
            chunk_overlap=self.overlap, tokens_per_chunk=self.units, decode=ruler.decode, encode=ruler.encode
        )
        return split_text_on_tokens(text=document.text, tokenizer=tokenizer)
