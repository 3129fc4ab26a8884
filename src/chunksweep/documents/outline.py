"""From headings to sections: spans, paths and the title, the same for every kind of file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import PurePosixPath

from chunksweep.records import Section, Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it stands in the text.

    span   its whole line or lines with the line end
    words  its text without markup, white space runs made one blank; may be empty
    level  1 (outermost) to 6
    """

    span: Span
    words: str
    level: int


def line_starts(text: str) -> list[int]:
    """Where each line begins, and last where the text ends: line i is text[starts[i]:starts[i + 1]].

    Only LF ends a line; after a final one comes an empty last line.
    """
    ends = accumulate(len(line) + 1 for line in text.split("\n"))
    return [0, *(min(end, len(text)) for end in ends)]


def sections_of(text: str, headings: Sequence[Heading]) -> tuple[Section, ...]:
    """One section a heading, up to the next heading of any level, and one for text before the first if it is not blank.

    headings  in the order of the text
    """
    first = headings[0].span.start if headings else len(text)
    return tuple(chain(_preamble(text, first), _headed(headings, len(text))))


def title_of(headings: Sequence[Heading], document_id: str) -> str:
    """The words of the first level-1 heading that has any, else the file name without its ending."""
    titles = (heading.words for heading in headings if heading.level == 1 and heading.words)
    return next(titles, PurePosixPath(document_id).stem)


def _preamble(text: str, end: int) -> Iterator[Section]:
    span = Span(0, end)
    if text[:end].strip():
        yield Section(span, body=span, heading="", level=0, path=())


def _headed(headings: Sequence[Heading], end: int) -> Iterator[Section]:
    bounds = [*(heading.span.start for heading in headings), end]
    above: list[Heading] = []
    for heading, section_end in zip(headings, bounds[1:], strict=True):
        # A heading ends every section that is not above it, so that after a jump from level 1 to 3
        # the next of level 3 or 2 is a sibling and not a child.
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield Section(
            span=Span(heading.span.start, section_end),
            body=Span(heading.span.end, section_end),
            heading=heading.words,
            level=heading.level,
            path=tuple(outer.words for outer in above if outer.words),
        )
