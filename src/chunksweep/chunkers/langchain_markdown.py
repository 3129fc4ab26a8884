"""LangChain's MarkdownHeaderTextSplitter, with RecursiveCharacterTextSplitter behind it where a size is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.base import Sizing
from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainMarkdown(SizedLibraryChunker):
    """Cuts at the headings of a Markdown text that begin with number signs; a longer section recursively.

    size           a cap; None: no cap
    overlap        between the parts of one section; ignored without a cap
    levels         headings of the levels 1 to `levels` are cut at
    strip_headers  whether heading lines are left out
    """

    package: ClassVar[str] = "langchain_text_splitters"
    extra: ClassVar[str] = "langchain"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "coverage": "heading lines are left out by default, and control characters always",
            "nesting": "as langchain_recursive",
            "size": "white space that the splitter takes out of the text is not counted",
            "overlap": "white space that the splitter takes out of the text is not counted",
            "failure": "sections of one heading are joined across the heading lines that part them",
        }
    )

    levels: int = 6
    strip_headers: bool = True

    def __post_init__(self) -> None:
        SizedLibraryChunker.__post_init__(self)
        if not 1 <= self.levels <= 6:
            raise ConfigError(f"chunker.levels={self.levels}: Markdown has the levels 1 to 6. Give one of them.")

    def sizing(self) -> Sizing:
        """No cap unless one is given."""
        return Sizing(self.unit, None, overlap=self.size is not None)

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The sections, and their parts under a cap."""
        from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter  # noqa: PLC0415

        levels = [("#" * level, f"level {level}") for level in range(1, self.levels + 1)]
        sections = MarkdownHeaderTextSplitter(levels, strip_headers=self.strip_headers).split_text(document.text)
        if self.size is not None:
            sections = RecursiveCharacterTextSplitter(
                chunk_size=self.size, chunk_overlap=self.overlap, length_function=ruler.count
            ).split_documents(sections)
        return [section.page_content for section in sections]
