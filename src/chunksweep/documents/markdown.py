"""Markdown: CommonMark with tables and YAML front matter, read by markdown-it.

The parser only says on which lines its blocks stand; every position is a line start of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from chunksweep.documents.outline import Heading, line_starts, sections_of, title_of
from chunksweep.records import Document, Span, Table, TableRow

SUFFIXES = (".md", ".markdown")

_VERBATIM = ("front_matter", "fence", "code_block")
_CONTENT = re.compile(r"\S(?:.*\S)?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_FRONT_MATTER = re.compile(r"---[ \t]*\n")


def read(text: str, document_id: str) -> Document:
    """A document whose sections are those of its headings at top level, ATX and setext.

    A heading inside a list, a quotation or a code block makes no section, and a table there is text like any other.
    Front matter stays in the text and belongs to what stands before the first heading.
    """
    references: dict[str, Any] = {}
    parser = _parser(front_matter=_FRONT_MATTER.match(text) is not None)
    tokens = parser.parse(text, references)
    starts = line_starts(text)
    headings = tuple(_headings(tokens, starts, parser, references))
    return Document(
        id=document_id,
        text=text,
        title=_front_matter_title(tokens) or title_of(headings, document_id),
        sections=sections_of(text, headings),
        verbatim=tuple(_lines(token, starts) for token in tokens if token.type in _VERBATIM),
        media_type="text/markdown",
        tables=tuple(_tables(text, tokens, starts)),
    )


@cache
def _parser(front_matter: bool) -> MarkdownIt:
    """Reads blocks only: inline markup matters in headings alone, and is most of the work.

    front_matter  the plug-in takes any line that begins with three dashes for an opening one, be it a rule above a
                  title; the caller knows better
    """
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return parser.use(front_matter_plugin) if front_matter else parser


def _lines(token: Token, starts: Sequence[int]) -> Span:
    first, end = token.map or (0, 0)
    return Span(starts[first], starts[end])


def _headings(
    tokens: Sequence[Token], starts: Sequence[int], parser: MarkdownIt, references: dict[str, Any]
) -> Iterator[Heading]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0:
            children: list[Token] = []
            parser.inline.parse(inline.content, parser, references, children)
            words = " ".join(_visible(children).split())
            yield Heading(_lines(opening, starts), words, level=int(opening.tag.removeprefix("h")))


def _tables(text: str, tokens: Sequence[Token], starts: Sequence[int]) -> Iterator[Table]:
    """The tables at top level. The line below the header, which says how columns are aligned, is no row."""
    for token in tokens:
        if token.type == "table_open" and token.level == 0:
            first, end = token.map or (0, 0)
            header, alignment, *rows = (_row(text, Span(starts[line], starts[line + 1])) for line in range(first, end))
            last = rows[-1] if rows else alignment
            yield Table(Span(header.span.start, last.span.end), header.cells, tuple(rows))


def _row(text: str, line: Span) -> TableRow:
    """A line of a table. A cell ends at any pipe but one with a backslash before it; those at both ends are borders."""
    row = _content(text, line.start, line.end)
    borders = [match.start() for match in _CELL_BORDER.finditer(text, row.start, row.end)]
    starts = [row.start, *(border + 1 for border in borders)]
    ends = [*borders, row.end]
    cells = [_content(text, start, end) for start, end in zip(starts, ends, strict=True)]
    first = 1 if borders[:1] == [row.start] else 0
    last = len(cells) - (1 if borders[1:] and borders[-1] == row.end - 1 else 0)
    return TableRow(row, tuple(cells[first:last]))


def _content(text: str, start: int, end: int) -> Span:
    """What stands between two positions of a line, without blanks at its ends; empty if that is nothing."""
    found = _CONTENT.search(text, start, end)
    return Span(*found.span()) if found else Span(start, start)


def _visible(tokens: Sequence[Token]) -> str:
    """What a reader sees of inline tokens: text, code, the text of links and images; no markup, no HTML."""
    return "".join(_visible_part(token) for token in tokens)


def _visible_part(token: Token) -> str:
    match token.type:
        case "text" | "text_special" | "code_inline":
            return token.content
        case "softbreak" | "hardbreak":
            return " "
        case _:
            return _visible(token.children or ())


def _front_matter_title(tokens: Sequence[Token]) -> str | None:
    """The `title` as it is written there; None where there is none, or the front matter is not YAML."""
    if not tokens or tokens[0].type != "front_matter":
        return None
    try:
        # BaseLoader builds strings, lists and mappings only: a title such as 1.10 or No stays what it is.
        fields = yaml.load(tokens[0].content, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    title = fields.get("title") if isinstance(fields, dict) else None
    return " ".join(title.split()) or None if isinstance(title, str) else None
