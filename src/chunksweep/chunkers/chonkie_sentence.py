"""Chonkie's SentenceChunker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.base import check_option
from chunksweep.chunkers.chonkie_units import at_least_one, chonkie_tokenizer
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class ChonkieSentence(SizedLibraryChunker):
    r"""Fills chunks with sentences; an overlap is of whole sentences.

    min_sentences_per_chunk      at least so many, even where they are longer than the size
    min_characters_per_sentence  shorter ones are joined to their neighbours
    delim                        what ends a sentence
    include_delim                "prev": it belongs to the sentence; "next": to the one that follows
    """

    package: ClassVar[str] = "chonkie"
    extra: ClassVar[str] = "chonkie"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "nesting": "an overlap alone becomes a chunk where the sentence after it is too long",
            "size": "a sentence that is too long stays whole",
        }
    )

    min_sentences_per_chunk: int = 1
    min_characters_per_sentence: int = 12
    delim: tuple[str, ...] = (". ", "! ", "? ", "\n")
    include_delim: str = "prev"

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        at_least_one("min_sentences_per_chunk", self.min_sentences_per_chunk)
        at_least_one("min_characters_per_sentence", self.min_characters_per_sentence)
        check_option("include_delim", self.include_delim, ("prev", "next"))

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks of the text."""
        from chonkie import SentenceChunker  # noqa: PLC0415

        chunker = SentenceChunker(
            tokenizer=chonkie_tokenizer(ruler),
            chunk_size=self.units,
            chunk_overlap=self.overlap,
            min_sentences_per_chunk=self.min_sentences_per_chunk,
            min_characters_per_sentence=self.min_characters_per_sentence,
            delim=list(self.delim),
            include_delim="prev" if self.include_delim == "prev" else "next",
        )
        return [chunk.text for chunk in chunker.chunk(document.text)]
