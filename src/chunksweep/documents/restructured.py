"""reStructuredText, read by docutils. The parser says on which lines titles and literal blocks stand.

Nothing that a file names is opened or run: includes and raw blocks are switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from chunksweep.documents.decoding import UnreadableError
from chunksweep.documents.outline import Heading, line_starts, sections_of, title_of
from chunksweep.records import Document, Span

SUFFIXES = (".rst",)

_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "doctitle_xform": False,  # the first title is a section like the others
    "file_insertion_enabled": False,
    "halt_level": 5,
    "raw_enabled": False,
    "report_level": 5,  # directives of other programs, such as Sphinx, are no faults of the text
    "syntax_highlight": "none",
    "warning_stream": False,
}

_CODE_DIRECTIVE = re.compile(r"\s*\.\. (code|code-block|sourcecode|parsed-literal)::")


def read(text: str, document_id: str) -> Document:
    """A document whose text is the file's, with the sections that its titles make.

    Literal blocks and code directives are verbatim. Raises UnreadableError where the markup is nested too deep.
    """
    from docutils import nodes  # noqa: PLC0415  only where there is such a file
    from docutils.core import publish_doctree  # noqa: PLC0415

    try:
        tree = publish_doctree(text, settings_overrides=_SETTINGS)
    except RecursionError as error:
        raise UnreadableError("is nested too deep to be read as reStructuredText") from error
    lines, starts = text.split("\n"), line_starts(text)
    headings = tuple(
        _heading(title.astext(), title.line, _depth(title), lines, starts)
        for title in tree.findall(nodes.title)
        if isinstance(title.parent, nodes.section) and title.line
    )
    firsts = (_first_line(block, lines) for block in tree.findall(nodes.literal_block))
    blocks = [_block(first, lines) for first in firsts if first is not None]
    return Document(
        id=document_id,
        text=text,
        title=title_of(headings, document_id),
        sections=sections_of(text, headings),
        verbatim=tuple(Span(starts[first], starts[end]) for first, end in _apart(blocks)),
        media_type="text/x-rst",
    )


def _depth(title: Any) -> int:
    """How many sections a title stands in, 6 at most."""
    depth, node = 0, title.parent
    while node.parent is not None:
        depth, node = depth + 1, node.parent
    return min(depth, 6)


def _heading(words: str, line: int, level: int, lines: Sequence[str], starts: Sequence[int]) -> Heading:
    """A title with the lines of punctuation around it; `line`, from 1, is the one below the words."""
    first = line - 2
    if first > 0 and _is_adornment(lines[first - 1]) and lines[first - 1].strip() == lines[line - 1].strip():
        first -= 1
    return Heading(Span(starts[first], starts[line]), " ".join(words.split()), level)


def _is_adornment(line: str) -> bool:
    return len(set(line.strip())) == 1 and not line.strip().isalnum()


def _first_line(block: Any, lines: Sequence[str]) -> int | None:
    """The first line of a literal block, or the line of its directive, for which the parser names one further down."""
    if block.line is None:
        return None
    line: int = min(block.line - 1, len(lines) - 1)
    in_place = lines[line].strip() == block.astext().partition("\n")[0].strip()
    if in_place and "code" not in block["classes"]:
        return line
    return next((number for number in range(line, -1, -1) if _CODE_DIRECTIVE.match(lines[number])), None)


def _block(first: int, lines: Sequence[str]) -> tuple[int, int]:
    """The lines [first, end) of a literal block, or of a directive with its content, by their indentation."""
    least = _indent(lines[first]) + (1 if lines[first].lstrip().startswith("..") else 0)
    end = first + 1
    for number in range(first + 1, len(lines)):
        if lines[number].strip():
            if _indent(lines[number]) < least:
                break
            end = number + 1
    return first, end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _apart(blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Blocks in order, without those that begin in the one before."""
    reached = 0
    for first, end in sorted(blocks):
        if first >= reached:
            yield first, end
            reached = end
