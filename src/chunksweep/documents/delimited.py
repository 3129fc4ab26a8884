"""Comma- and tab-separated values: a table, written a row at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice, product

from chunksweep.documents.outline import sections_of, title_of
from chunksweep.documents.words import some_of
from chunksweep.documents.writing import BLANK_LINE, LINE_END, Writer, table_of
from chunksweep.records import Document

SUFFIXES = (".csv", ".tsv")

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 200
# Quotation marks inside a cell are doubled, or else they have a backslash before them.
_ESCAPES = (None, "\\")


def read(text: str, document_id: str) -> Document:
    """A document of one table and one section; the first row that is not blank holds the names of the columns.

    Delimiter (one of , ; | and the tab) and the way in which quotation marks are escaped are those with which the most
    rows are as long as the first. The text has the cells without quotation marks, " | " between them. The header is
    followed by its first row, and each further row is a paragraph. Cells keep their line ends. Rows with more or fewer
    cells than the header are kept, and reported in `warnings`.
    """
    rows = [[cell.strip() for cell in row] for row in _rows(text, *_dialect(text))]
    filled = [(number, row) for number, row in enumerate(rows, 1) if any(row)]
    writer, lines = Writer(), []
    for _, row in filled:
        lines.append(writer.row(row))
        writer.apart(LINE_END if len(lines) == 1 else BLANK_LINE)
    return Document(
        id=document_id,
        text=writer.text,
        title=title_of((), document_id),
        sections=sections_of(writer.text, ()),
        media_type="text/tab-separated-values" if document_id.lower().endswith(".tsv") else "text/csv",
        tables=(table_of(lines, headed=True),) if lines else (),
        written=True,
        warnings=tuple(_ragged(filled)),
    )


def _dialect(text: str) -> tuple[str, str | None]:
    """The delimiter and the escape character that fit best; of equals the more usual one."""
    return max(product(_DELIMITERS, _ESCAPES), key=lambda dialect: _regularity(_rows(text, *dialect)))


def _regularity(rows: Iterator[list[str]]) -> float:
    """The share of rows that have as many cells as the first, where these are more than one."""
    widths = [len(row) for row in islice(rows, _SAMPLE_ROWS) if any(row)]
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def _rows(text: str, delimiter: str, escape: str | None) -> Iterator[list[str]]:
    # A cell may be as long as the file; the module's own limit is 131,072 characters.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, escapechar=escape, doublequote=escape is None)


def _ragged(rows: Sequence[tuple[int, Sequence[str]]]) -> Iterator[str]:
    """A line where rows have not as many cells as the header; `rows` with their numbers."""
    if not rows:
        return
    width = len(rows[0][1])
    odd = [number for number, row in rows if len(row) != width]
    if odd:
        yield (
            f"has {len(odd)} of {len(rows)} rows with more or fewer cells than the {width} of its header "
            f"({some_of('row', odd)}): they are kept as they are"
        )
