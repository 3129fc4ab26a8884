"""HTML: the text that a reader of the page came for, parsed by lxml.

Blocks are written apart and white space is made what a browser makes of it. Navigation and the like is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

from lxml import etree

from chunksweep.documents.outline import Heading, sections_of, title_of
from chunksweep.documents.writing import BLANK, BLANK_LINE, LINE_END, Writer, table_of
from chunksweep.records import Document, Span, Table

SUFFIXES = (".html", ".htm", ".xhtml")

# Elements that are never shown as text, then controls, then what surrounds the matter of a page.
_LEFT_OUT = frozenset(
    re.findall(
        r"\w+",
        """
        head script style template noscript svg annotation iframe object canvas audio video map
        button select input textarea datalist dialog
        nav footer aside
        """,
    )
)
_BOILERPLATE_ROLES = frozenset(("navigation", "contentinfo", "complementary", "search", "dialog", "alertdialog"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = frozenset(("ul", "ol"))
_CELLS = frozenset(("td", "th"))
_LINES = frozenset(("br", "dd", "li", "tr"))
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """
        address article blockquote body center details div dl dt fieldset figcaption figure footer form header hr
        legend main p pre section summary table caption
        """,
    )
).union(_HEADINGS, _LISTS, _CELLS)
# Not the no-break space, which a browser keeps.
_WHITE_SPACE = re.compile(r"[ \t\n\f\r]+")
_PERMALINKS = frozenset("¶#§🔗")
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
# No document is deeper by design; the parser stops here.
_TOO_DEEP = "is nested more than 2,048 elements deep, and what lies deeper is not read"


def read(text: str, document_id: str) -> Document:
    """A document whose sections are those of the elements h1 to h6, wherever they stand.

    Left out are scripts, styles, form controls, what is hidden, and what surrounds the matter of a page: nav, aside,
    footer, the roles that stand for these or for search, dialogs and banners, and a page's header unless it holds a
    heading. List items, definitions and rows of tables have a line each; `pre` is kept as it is. A table is one whose
    rows have two cells or more, with no table inside; other tables lay out a page and are read cell by cell.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    page = _Page()
    if root is not None:
        page.read(root)
    headings = tuple(page.headings)
    written = page.writer.text
    return Document(
        id=document_id,
        text=written,
        title=_title(root) or title_of(headings, document_id),
        sections=sections_of(written, headings),
        verbatim=tuple(page.verbatim),
        media_type="text/html",
        tables=tuple(page.tables),
        written=True,
        unread=(_TOO_DEEP,) if _stopped(parser) else (),
    )


def _stopped(parser: etree.HTMLParser) -> bool:
    return any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)


def _title(root: etree._Element | None) -> str | None:
    title = None if root is None else root.find("head/title")
    return None if title is None else _one_line(_words(title)) or None


class _Page:
    """Writes the elements of a page in their order; nesting is followed without recursion.

    numbers  for each open list the numbers of its items, None where it is not numbered
    number   that of a list item of which nothing is written yet
    """

    def __init__(self) -> None:
        self.writer = Writer()
        self.headings: list[Heading] = []
        self.verbatim: list[Span] = []
        self.tables: list[Table] = []
        self._numbers: list[Iterator[int] | None] = []
        self._number = ""

    def read(self, root: etree._Element) -> None:
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped: etree._Element | None = None
        for event, element in walk:
            if event == "start" and (_is_left_out(element) or self._as_a_whole(element)):
                skipped = element
                walk.skip_subtree()
            elif event == "start":
                self._open(element)
            else:
                if element is not skipped:
                    self._close(element)
                self._say(element.tail)

    def _as_a_whole(self, element: etree._Element) -> bool:
        """Writes headings, tables and text that is kept as it is, whose place has to be known; whether it was one."""
        if element.tag in _HEADINGS:
            self._heading(element)
        elif element.tag == "pre":
            self._pre(element)
        elif element.tag == "table" and (rows := _rows(element)):
            self._table(element, rows)
        else:
            return False
        return True

    def _open(self, element: etree._Element) -> None:
        self.writer.apart(self._gap(element.tag))
        if element.tag in _LISTS:
            self._numbers.append(_numbers(element))
            self._indent()
        elif element.tag == "li":
            numbers = self._numbers[-1] if self._numbers else None
            self._number = f"{next(numbers)}. " if numbers else ""
        self._say(element.text)

    def _close(self, element: etree._Element) -> None:
        if element.tag in _LISTS:
            self._numbers.pop()
            self._indent()
        elif element.tag == "li":
            self._number = ""
        # What defines a term stands on the line below it.
        self.writer.apart(LINE_END if element.tag == "dt" else self._gap(element.tag))

    def _gap(self, tag: str) -> str:
        if tag in _LISTS and self._numbers:
            return LINE_END
        if tag in _BLOCKS:
            return BLANK_LINE
        return LINE_END if tag in _LINES else ""

    def _indent(self) -> None:
        self.writer.indent = "  " * max(len(self._numbers) - 1, 0)

    def _say(self, text: str | None) -> None:
        """Text between tags: runs of white space are one blank."""
        words = _WHITE_SPACE.sub(" ", text or "")
        if words.startswith(" "):
            self.writer.apart(BLANK)
        if words.strip(" "):
            self.writer.write(self._number + words.strip(" "))
            self._number = ""
        if words.endswith(" "):
            self.writer.apart(BLANK)

    def _heading(self, element: etree._Element) -> None:
        self.writer.apart(BLANK_LINE)
        words = _one_line(_words(element))
        if words:
            self.headings.append(Heading(self.writer.write(words), words, level=int(element.tag[1])))
        self.writer.apart(BLANK_LINE)

    def _pre(self, element: etree._Element) -> None:
        self.writer.apart(BLANK_LINE)
        # The line end straight after the tag is no part of the text.
        text = _words(element, kept=True).removeprefix("\n").rstrip()
        if text:
            self.verbatim.append(self.writer.write(text))
        self.writer.apart(BLANK_LINE)

    def _table(self, table: etree._Element, rows: Sequence[Sequence[etree._Element]]) -> None:
        self.writer.apart(BLANK_LINE)
        for caption in table.iterchildren("caption"):
            self.writer.write(_one_line(_words(caption)))
            self.writer.apart(LINE_END)
        lines = []
        for cells in rows:
            lines.append(self.writer.row([_one_line(_words(cell)) for cell in cells]))
            self.writer.apart(LINE_END)
        self.writer.apart(BLANK_LINE)
        self.tables.append(table_of(lines, headed=all(cell.tag == "th" for cell in rows[0])))


def _is_left_out(element: etree._Element) -> bool:
    if element.tag in _LEFT_OUT or element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    role = element.get("role", "").lower()
    if role == "banner" or (element.tag == "header" and _is_of_the_page(element)):
        return not _holds_a_heading(element)
    if role in _BOILERPLATE_ROLES or _HIDDEN.search(element.get("style", "")):
        return True
    return element.tag == "a" and element.text in _PERMALINKS and not len(element)


def _is_of_the_page(header: etree._Element) -> bool:
    return next(header.iterancestors("main", "article", "section"), None) is None


def _holds_a_heading(element: etree._Element) -> bool:
    return next(element.iter(*_HEADINGS), None) is not None


def _rows(table: etree._Element) -> list[list[etree._Element]]:
    """The cells of the rows of a table of data that are not blank; no rows where the table lays out a page."""
    if table.get("role") in ("presentation", "none") or len(list(table.iter("table"))) > 1 or _holds_a_heading(table):
        return []
    rows = [
        [cell for cell in row.iterchildren(*_CELLS) if not _is_left_out(cell)]
        for row in table.iter("tr")
        if not _is_left_out(row)
    ]
    rows = [cells for cells in rows if any(_one_line(_words(cell)) for cell in cells)]
    return rows if any(len(cells) > 1 for cells in rows) else []


def _words(element: etree._Element, kept: bool = False) -> str:
    """All text of an element.

    kept  as it is, with its line breaks; else blocks are kept apart by blanks
    """
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "start" and inner is not element and _is_left_out(inner):
            walk.skip_subtree()
        elif event == "start":
            parts.append(inner.text or "")
        elif inner is not element:
            parts += (_between(inner.tag, kept), inner.tail or "")
    return "".join(parts)


def _between(tag: str, kept: bool) -> str:
    if tag == "br":
        return "\n"
    return " " if not kept and (tag in _BLOCKS or tag in _LINES) else ""


def _one_line(text: str) -> str:
    return _WHITE_SPACE.sub(" ", text).strip()


def _numbers(element: etree._Element) -> Iterator[int] | None:
    if element.tag != "ol" or element.get("type", "1") != "1":
        return None
    start = element.get("start", "1")
    return count(int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1)
