"""DOCX: opened by python-docx, its body written block by block."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from chunksweep.documents.decoding import UnreadableError, storable
from chunksweep.documents.outline import Heading, sections_of, title_of
from chunksweep.documents.words import said
from chunksweep.documents.writing import BLANK_LINE, LINE_END, Writer, table_of
from chunksweep.records import Document, Table

SUFFIXES = (".docx",)

_MAIN = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH, _TABLE, _ROW, _CELL, _BOX = (f"{_MAIN}{tag}" for tag in ("p", "tbl", "tr", "tc", "txbxContent"))
_WORDS = {f"{_MAIN}tab": "\t", f"{_MAIN}br": "\n", f"{_MAIN}cr": "\n", f"{_MAIN}noBreakHyphen": "-"}
# Deleted and moved away, and what older programs show in place of something shown already.
_GONE = frozenset((f"{_MAIN}del", f"{_MAIN}moveFrom", _FALLBACK))
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_NOTES = ("/footnotes", "/endnotes")


def read(data: bytes, document_id: str) -> Document:
    """A document whose sections are those of the styles Heading 1 to Heading 9, from 6 on of level 6.

    Items of a list and rows of a table have a line each; the first row of a table of several holds the names of its
    columns, unless the table says that it is none. Text boxes follow the paragraph that they are anchored in, foot- and
    endnotes the text. Deleted text, and the heads and feet of pages, are left out.

    Raises UnreadableError where the file is damaged.
    """
    body, styles, notes, title = _opened(data)
    text = _Text(styles)
    text.blocks(body)
    for note in notes:
        text.blocks(note)
    headings = tuple(text.headings)
    written = text.writer.text
    return Document(
        id=document_id,
        text=written,
        title=title or title_of(headings, document_id),
        sections=sections_of(written, headings),
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        tables=tuple(text.tables),
        written=True,
    )


def _opened(data: bytes) -> tuple[Any, dict[str, str], list[Any], str | None]:
    """The body, style id -> name, the notes, and the title that the file names."""
    import docx  # noqa: PLC0415  only where there is such a file

    try:
        document = docx.Document(io.BytesIO(data))
        styles = {style.style_id: str(style.name) for style in document.styles}
        notes = [etree.fromstring(part.blob) for part in _note_parts(document)]
        title = " ".join(storable(document.core_properties.title or "").split())
    except Exception as error:  # a damaged file can lead zipfile, lxml and python-docx to any error there is
        raise UnreadableError(f"is no DOCX that can be read ({said(error)})") from error
    return document.element.body, styles, notes, title or None


def _note_parts(document: Any) -> Iterator[Any]:
    for relation in document.part.rels.values():
        if relation.reltype.endswith(_NOTES) and not relation.is_external:
            yield relation.target_part


class _Text:
    """Writes paragraphs and tables in their order.

    styles  style id -> name, which is English for those that come with Word
    """

    def __init__(self, styles: Mapping[str, str]) -> None:
        self.writer = Writer()
        self.headings: list[Heading] = []
        self.tables: list[Table] = []
        self._styles = styles

    def blocks(self, root: Any) -> None:
        """Everything below an element, whatever it is wrapped in."""
        walk = etree.iterwalk(root, events=("start",))
        for _, element in walk:
            if element.tag == _PARAGRAPH:
                self._paragraph(element)
            elif element.tag == _TABLE:
                self._table(element)
            if element.tag in _GONE or element.tag in (_PARAGRAPH, _TABLE):
                walk.skip_subtree()

    def _paragraph(self, paragraph: Any) -> None:
        words = _words(paragraph).strip()
        style = paragraph.find(f"{_MAIN}pPr/{_MAIN}pStyle")
        name = self._styles.get(style.get(f"{_MAIN}val"), "") if style is not None else ""
        is_item = paragraph.find(f"{_MAIN}pPr/{_MAIN}numPr") is not None or name.startswith("List")
        self.writer.apart(LINE_END if is_item else BLANK_LINE)
        heading = _HEADING.fullmatch(name)
        if words and heading:
            words = " ".join(words.split())
            self.headings.append(Heading(self.writer.write(words), words, min(int(heading[1]), 6)))
        else:
            self.writer.write(words)
        self.writer.apart(LINE_END if is_item else BLANK_LINE)
        for box in paragraph.iter(_BOX):
            if next(box.iterancestors(_FALLBACK), None) is None:
                self.blocks(box)

    def _table(self, table: Any) -> None:
        rows = [[_one_line(cell) for cell in row.iter(_CELL) if _row_of(cell) is row] for row in _rows(table)]
        rows = [row for row in rows if any(row)]
        self.writer.apart(BLANK_LINE)
        lines = []
        for row in rows:
            lines.append(self.writer.row(row))
            self.writer.apart(LINE_END)
        self.writer.apart(BLANK_LINE)
        if lines:
            look = table.find(f"{_MAIN}tblPr/{_MAIN}tblLook")
            plain = look is not None and look.get(f"{_MAIN}firstRow") == "0"
            self.tables.append(table_of(lines, headed=len(lines) > 1 and not plain))


def _rows(table: Any) -> list[Any]:
    return [row for row in table.iter(_ROW) if next(row.iterancestors(_TABLE), None) is table]


def _row_of(cell: Any) -> Any:
    return next(cell.iterancestors(_ROW), None)


def _one_line(cell: Any) -> str:
    """The words of a cell, those of a table inside it too."""
    return " ".join(" ".join(_words(paragraph) for paragraph in cell.iter(_PARAGRAPH)).split())


def _words(paragraph: Any) -> str:
    """The text of a paragraph without that of text boxes in it."""
    parts: list[str] = []
    walk = etree.iterwalk(paragraph, events=("start",))
    for _, element in walk:
        if element.tag in _GONE or element.tag == _BOX:
            walk.skip_subtree()
        elif element.tag == f"{_MAIN}t":
            parts.append(element.text or "")
        else:
            parts.append(_WORDS.get(element.tag, ""))
    return storable("".join(parts))
