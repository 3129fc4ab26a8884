"""A text written piece by piece, for files whose text is not what stands in them: HTML, tables, word processors.

Where each piece came to stand is known from the writing; nothing is searched for afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunksweep.records import Span, Table, TableRow

# What may stand between two pieces; of several that are asked for, the longest is written.
BLANK, LINE_END, BLANK_LINE = " ", "\n", "\n\n"
_GAPS = ("", BLANK, LINE_END, BLANK_LINE)
CELL_BORDER = " | "


class Writer:
    """Collects a text that begins and ends with its first and last piece.

    indent  put before what begins on a new line
    """

    def __init__(self) -> None:
        self.indent = ""
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    @property
    def end(self) -> int:
        """Where the last piece ends."""
        return self._length

    def apart(self, gap: str) -> None:
        """Asks for at least BLANK, LINE_END or BLANK_LINE before the next piece."""
        self._gap = max(self._gap, gap, key=_GAPS.index)

    def write(self, piece: str) -> Span:
        """Writes a piece as it is, after what was asked for; gives its place. Nothing is done for an empty one."""
        if not piece:
            return Span(self._length, self._length)
        if self._length:
            self._append(self._gap + (self.indent if "\n" in self._gap else ""))
        self._gap = ""
        start = self._length
        self._append(piece)
        return Span(start, self._length)

    def row(self, cells: Sequence[str]) -> TableRow:
        """Writes the cells of a table's row with borders between them; those at either end may be empty."""
        line = CELL_BORDER.join(cells)
        place = self.write(line.strip())
        position = place.start - (len(line) - len(line.lstrip()))
        spans = []
        for cell in cells:
            # An empty cell at either end of the row lies where blanks were taken off.
            start, end = (min(max(at, place.start), place.end) for at in (position, position + len(cell)))
            spans.append(Span(start, end))
            position += len(cell) + len(CELL_BORDER)
        return TableRow(place, tuple(spans))

    def _append(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)


def table_of(lines: Sequence[TableRow], headed: bool) -> Table:
    """The table that some rows make, of which the first holds the names of the columns where it is `headed`.

    Raises ValueError where there is no row.
    """
    if not lines:
        raise ValueError("a table has at least one row")
    header, rows = (lines[0].cells, lines[1:]) if headed else ((), lines)
    return Table(Span(lines[0].span.start, lines[-1].span.end), header, tuple(rows))
