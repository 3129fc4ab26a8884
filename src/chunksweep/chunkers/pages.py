"""Pages: a chunk is `size` consecutive pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.ruler import Ruler
from chunksweep.chunkers.windows import merged
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages(Chunker):
    """Cuts where a page ends; pages without text are not counted. A document without pages is one page.

    size     pages in a chunk
    overlap  pages shared with the chunk before, less than size
    """

    def sizing(self) -> Sizing:
        """One page."""
        return Sizing("pages", 1)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  pages are counted
        """Windows of the pages that have text."""
        pages = document.pages or (Span(0, len(document.text)),)
        filled = [page for page in (trimmed(document.text, page) for page in pages) if len(page)]
        yield from merged(filled, self.size or 1, self.overlap)
