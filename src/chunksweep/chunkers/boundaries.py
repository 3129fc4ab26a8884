"""Where a text may be cut: between paragraphs, sentences and words.

All functions give half-open spans of the whole text, in order, without white space at either end; together they hold
every non-blank character of the span they were given. White space is what `str.isspace` says. Only a line feed ends a
line: a form feed does not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chunksweep.records import Span

# Both begin at a fixed character and never try a run twice: linear also in long runs of blanks.
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_WORD = re.compile(r"\S+")
# Not a full-width stop between digits: that is a decimal point. A closing quote or bracket belongs to its sentence.
_FULL_WIDTH_END = re.compile(r"[。！？．]+(?!(?<=\d．)\d)[”’」』）】》〉〕］]*")
# sentencex slows with the square of what it is given at once.
_BLOCK = 2_000


def trimmed(text: str, span: Span) -> Span:
    """`span` without white space at both ends; empty where it is blank."""
    part = text[span.start : span.end]
    start = span.start + len(part) - len(part.lstrip())
    return Span(start, max(start, span.start + len(part.rstrip())))


def words(text: str, span: Span) -> list[Span]:
    """Runs without white space."""
    return [Span(*match.span()) for match in _WORD.finditer(text, span.start, span.end)]


def paragraphs(text: str, span: Span, verbatim: Sequence[Span] = ()) -> list[Span]:
    """Runs of non-blank lines.

    verbatim  spans in order whose blank lines end no paragraph
    """
    gaps = [
        gap
        for match in _BLANK_LINES.finditer(text, span.start, span.end)
        if not holds(verbatim, (gap := Span(*match.span())).start + 1)
    ]
    starts = [span.start, *(gap.end for gap in gaps)]
    ends = [*(gap.start for gap in gaps), span.end]
    return _tight(text, zip(starts, ends, strict=True))


def sentences(text: str, span: Span, language: str = "en") -> list[Span]:
    """Sentences of a text without blank lines.

    language  "en": by nupunkt, and after full-width stops; the code of another language: by sentencex, which takes
              the rules of a related language where it has none of its own

    A line break, form feed or tab is no boundary; nor is the Chinese ellipsis.
    """
    part = text[span.start : span.end]
    ends = _english_ends(part) if language == "en" else _other_ends(part, language)
    cuts = sorted({0, *ends, len(part)})
    return _tight(text, ((span.start + start, span.start + end) for start, end in pairwise(cuts)))


def holds(spans: Sequence[Span], position: int) -> bool:
    """Whether one of the spans, in order and not overlapping, has the character at `position`."""
    index = bisect_right(spans, position, key=lambda span: span.start) - 1
    return index >= 0 and position < spans[index].end


def _tight(text: str, bounds: Iterator[tuple[int, int]]) -> list[Span]:
    spans = (trimmed(text, Span(start, end)) for start, end in bounds)
    return [span for span in spans if len(span)]


def _english_ends(text: str) -> Iterator[int]:
    import nupunkt  # noqa: PLC0415  only where sentences are needed

    yield from (end for _, end in nupunkt.sent_spans(text))
    yield from (match.end() for match in _FULL_WIDTH_END.finditer(text))


def _other_ends(text: str, language: str) -> Iterator[int]:
    from sentencex import get_sentence_boundaries  # noqa: PLC0415

    start, width = 0, _BLOCK
    while start < len(text):
        ends = [found["end_index"] for found in get_sentence_boundaries(language, text[start : start + width])]
        if start + width < len(text):
            # The last sentence may go on beyond the block: it is read again with what follows.
            ends = ends[:-1]
        elif not ends:
            return
        yield from (start + end for end in ends)
        start, width = (start + ends[-1], _BLOCK) if ends else (start, width * 2)
