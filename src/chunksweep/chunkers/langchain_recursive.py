"""LangChain's RecursiveCharacterTextSplitter, with its separators or those of a language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

from chunksweep.chunkers.base import check_option
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

KEEP: Mapping[str, bool | Literal["start", "end"]] = MappingProxyType({"start": "start", "end": "end", "none": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainRecursive(SizedLibraryChunker):
    r"""Cuts at the first separator that is in the text, what is too long at the next, and puts neighbours together.

    separators          in order; (): the library's own, "\n\n", "\n", " " and ""
    is_separator_regex  whether they are regular expressions
    language            takes the separators of a language of the library, such as "markdown", "python" or "html"
    keep_separator      "start": a separator begins the piece that follows; "end": it ends the one before; "none": it is
                        put between pieces again where they share a chunk
    strip_whitespace    whether chunks are trimmed
    """

    package: ClassVar[str] = "langchain_text_splitters"
    extra: ClassVar[str] = "langchain"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "coverage": "a separator between two chunks is lost with keep_separator=none",
            "nesting": "an overlap alone becomes a chunk where a blank piece follows it",
            "size": "what no separator parts stays whole, and tokens are counted piece by piece",
            "overlap": "tokens are counted piece by piece; in place an overlap may have more",
            "failure": "with keep_separator=none a regular expression is put between pieces instead of what it matched",
        }
    )

    separators: tuple[str, ...] = ()
    is_separator_regex: bool = False
    language: str | None = None
    keep_separator: str = "start"
    strip_whitespace: bool = True

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        check_option("keep_separator", self.keep_separator, tuple(KEEP))
        if self.language is not None:
            from langchain_text_splitters import Language  # noqa: PLC0415  needed only where a language is named

            check_option("language", self.language, sorted(language.value for language in Language))
            if self.separators or self.is_separator_regex:
                raise ConfigError(
                    f"chunker.language={self.language} brings its own separators: leave out chunker.separators and "
                    "chunker.is_separator_regex, or the language."
                )

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """What `split_text` gives."""
        return self.splitter(ruler).split_text(document.text)

    def splitter(self, ruler: Ruler) -> RecursiveCharacterTextSplitter:
        """The library's splitter with these options."""
        from langchain_text_splitters import Language, RecursiveCharacterTextSplitter  # noqa: PLC0415

        separators, regex = list(self.separators) or None, self.is_separator_regex
        if self.language is not None:
            separators = RecursiveCharacterTextSplitter.get_separators_for_language(Language(self.language))
            regex = True
        return RecursiveCharacterTextSplitter(
            separators=separators,
            keep_separator=KEEP[self.keep_separator],
            is_separator_regex=regex,
            chunk_size=self.units,
            chunk_overlap=self.overlap,
            length_function=ruler.count,
            strip_whitespace=self.strip_whitespace,
        )
