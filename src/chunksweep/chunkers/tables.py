"""Tables: a chunk is `size` consecutive rows, each with the names of its columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.paragraphs import ends_in_heading, headed_paragraphs
from chunksweep.chunkers.ruler import Ruler
from chunksweep.chunkers.windows import windows
from chunksweep.records import Document, Prefix, Span, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables(Chunker):
    """Cuts tables between rows; what stands outside tables, at blank lines, one paragraph a chunk.

    size     rows in a chunk
    overlap  rows shared with the chunk before, less than size

    The first chunk of a table begins with its header, and with the heading lines or the caption directly above it.
    To all others the header is added: it is embedded and sent before the rows, and is no part of their span.
    """

    def sizing(self) -> Sizing:
        """One row."""
        return Sizing("rows", 1)

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  rows are counted
        """The paragraphs and blocks of rows in their order."""
        position = 0
        for table in document.tables:
            above = list(headed_paragraphs(document, Span(position, table.span.start)))
            start = table.span.start
            if above and _belongs_to(document, above[-1], table):
                start = above.pop().start
            yield from above
            yield from self._blocks(table, start)
            position = table.span.end
        yield from headed_paragraphs(document, Span(position, len(document.text)))

    def added(self, document: Document, span: Span) -> Prefix | None:
        """The header of the table whose rows the chunk has, unless it stands in the chunk."""
        index = bisect_right(document.tables, span.start, key=lambda table: table.span.start) - 1
        if index < 0:
            return None
        table = document.tables[index]
        header = table.header_span
        if header is None or not table.span.start < span.start < table.span.end:
            return None
        return Prefix(f"{document.text[header.start : header.end]}\n", (header,))

    def _blocks(self, table: Table, start: int) -> Iterator[Span]:
        """Windows of rows; the first begins at `start`, and the header of a table without rows is one."""
        if not table.rows:
            yield Span(start, table.span.end)
        for first, end in windows(len(table.rows), self.size or 1, self.overlap):
            yield Span(table.rows[first].span.start if first else start, table.rows[end - 1].span.end)


def _belongs_to(document: Document, above: Span, table: Table) -> bool:
    """Whether what stands above a table is its heading, or a caption with no blank line between the two."""
    return ends_in_heading(document, above) or document.text.count("\n", above.end, table.span.start) == 1
