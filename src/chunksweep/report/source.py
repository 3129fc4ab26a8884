"""Source text in the terminal: whatever stands in it is text only, spans stand in brackets, lines behind a mark.

Nothing here depends on colour: every mark is a character too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from chunksweep.records import Span

OPENS, CLOSES, CUT = "⟦", "⟧", "✂"
DASHES = "── "

# A document must not steer the terminal that shows it; one character becomes one, so that offsets stay true.
_VISIBLE = (
    {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
    | {127: 0x2421}
    | dict.fromkeys(range(128, 160), 0xFFFD)
)


def visible(text: str) -> str:
    """The text with control characters other than line feed and tab as pictures, as long as before."""
    return text.translate(_VISIBLE)


def one_line(text: str) -> str:
    """The text with runs of white space as one blank, control characters as pictures."""
    return " ".join(visible(text).split())


def marked(source: str, shown: Span, within: Span, spans: Collection[Span], style: str | Style) -> Text:
    """The characters `shown` of a source, with those of `spans` in brackets and in `style`.

    within  the chunk or passage that `shown` is part of: where one of its ends lies inside a span stands CUT
    """
    shown = _without_blank_lines(source, shown)
    inside = [span for span in dict.fromkeys(spans) if span.overlaps(shown)]
    # White space between the end of what is shown and the boundary does not hide that it is the boundary.
    at_start = not source[within.start : shown.start].strip()
    at_end = not source[shown.end : within.end].strip()
    bounds = {edge for span in inside for edge in (span.start, span.end) if shown.start < edge < shown.end}
    text = Text()
    for start, end in pairwise(sorted({shown.start, shown.end} | bounds)):
        opened = [span for span in inside if max(span.start, shown.start) == start]
        closed = [span for span in inside if min(span.end, shown.end) == end]
        text.append("".join(_left(span, start, at_start) for span in opened), style)
        highlighted = any(span.start <= start and end <= span.end for span in inside)
        text.append(visible(source[start:end]), style if highlighted else None)
        text.append("".join(_right(span, end, at_end) for span in closed), style)
    return text


def with_cuts(source: str, span: Span, boundaries: Iterable[int]) -> str:
    """The characters of a span in one line, with CUT where a boundary lies."""
    edges = [span.start, *boundaries, span.end]
    return one_line(f" {CUT} ".join(source[start:end] for start, end in pairwise(edges)))


@dataclass(frozen=True, slots=True, eq=False)
class Gutter:
    """Text of any width behind a mark that stands before each of its lines, those that are folded included.

    first  what stands before the first line instead, as wide as the mark
    """

    mark: str
    text: Text
    style: str = ""
    first: str | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(options.max_width - len(self.mark) - 1, 1)
        mark = self.mark if self.first is None else self.first
        for line in self.text.wrap(console, width, overflow="fold"):
            line.rstrip()
            yield Text.assemble((f"{mark} ", self.style), line)
            mark = self.mark


@dataclass(frozen=True, slots=True, eq=False)
class Clipped:
    """Text in one line behind a mark, with an ellipsis where it is longer."""

    mark: str
    text: Text
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.truncate(max(options.max_width - len(self.mark) - 1, 1), overflow="ellipsis")
        yield Text.assemble((f"{self.mark} ", self.style), text)


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """A line drawn out to the full width with dashes; `more` stands in it where there is room, else below it."""

    text: Text
    more: Text
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text.assemble(self.text, "  ", self.more) if self.more else self.text
        fits = line.cell_len + len(DASHES) <= options.max_width
        line = line if fits else self.text
        rest = options.max_width - line.cell_len - len(DASHES) - 1
        yield Text.assemble((DASHES, self.style), line, (f" {'─' * rest}" if rest > 0 else "", self.style))
        if not fits:
            yield Gutter("  ", self.more)


def _without_blank_lines(source: str, span: Span) -> Span:
    """The span without blank lines at its start and white space at its end; the first line keeps its indentation."""
    part = source[span.start : span.end]
    end = span.start + len(part.rstrip())
    first = len(part) - len(part.lstrip())
    return Span(min(span.start + part.rfind("\n", 0, first) + 1, end), end)


def _left(span: Span, start: int, at_boundary: bool) -> str:
    if span.start == start:
        return OPENS
    return f"{CUT} " if at_boundary else ""


def _right(span: Span, end: int, at_boundary: bool) -> str:
    if span.end == end:
        return CLOSES
    return f" {CUT}" if at_boundary else ""
