"""What every chunker keeps, checked with nothing but its spans and the text.

A strategy is found by its file in conf/chunker/. Options are varied where ALLOWED names their values.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise, product
from typing import Any

import numpy as np

from chunksweep.chunkers import find, split_document
from chunksweep.chunkers.base import Chunker
from chunksweep.errors import ChunkingError, ConfigError
from chunksweep.paths import group_options
from chunksweep.records import Document, Span
from chunksweep.tokens import Tokenizer

STRATEGIES = group_options("chunker")
ALLOWED: dict[str, tuple[Any, ...]] = {
    "unit": ("characters", "tokens"),
    "headings": (None, "keep", "drop"),
    "within": ("section", "document", "paragraph"),
    "language": ("en", "de", "zh"),
    "keep_separator": ("start", "end", "none"),
    "strip_headers": (True, False),
    "markdown": (False, True),
}
# Where the same option means something else.
ALLOWED_OF: dict[str, dict[str, tuple[Any, ...]]] = {
    "code": {"language": (None, "python")},
    "langchain_recursive": {"language": (None, "markdown", "python")},
}


def option_sets(name: str) -> list[dict[str, Any]]:
    """All combinations of options that the strategy takes."""
    allowed = ALLOWED | ALLOWED_OF.get(name, {})
    options = [field.name for field in fields(find(name)) if field.name in allowed]
    combinations = [dict(zip(options, values, strict=True)) for values in product(*(allowed[key] for key in options))]
    return [combination for combination in combinations if _possible(name, combination)]


def _possible(name: str, options: dict[str, Any]) -> bool:
    try:
        find(name)(**options)
    except ConfigError:
        return False
    return True


def check(chunker: Chunker, document: Document, tokenizer: Tokenizer) -> list[Span]:
    """Asserts the contract for one document, but for what the strategy is exempt from, and returns its chunks."""
    try:
        spans = split_document(chunker, document, tokenizer)
    except (ChunkingError, ValueError, RecursionError):
        if "failure" not in chunker.exempt:
            raise
        return []
    check_order(spans, document, nesting="nesting" in chunker.exempt)
    if "coverage" not in chunker.exempt:
        check_coverage(chunker, document, spans)
    check_lengths(chunker, document, spans, tokenizer)
    return spans


def check_order(spans: list[Span], document: Document, *, nesting: bool = False) -> None:
    """Starts and ends strictly increase, which is to say that no chunk lies inside another; none is blank.

    nesting  a chunk may lie inside another: starts do not decrease
    """
    if nesting:
        assert all(one.start <= two.start for one, two in pairwise(spans)), spans
    else:
        assert all(one.start < two.start and one.end < two.end for one, two in pairwise(spans)), spans
    assert all(document.text[span.start : span.end].strip() for span in spans), spans
    assert all(span.end <= len(document.text) for span in spans), spans


def check_coverage(chunker: Chunker, document: Document, spans: list[Span]) -> None:
    """Every non-blank character is in a chunk, but for heading lines that are dropped."""
    covered = {position for span in spans for position in range(span.start, span.end)}
    if getattr(chunker, "headings", None) == "drop":
        for section in document.sections:
            covered.update(range(section.heading_span.start, section.heading_span.end))
    missing = [place for place, char in enumerate(document.text) if place not in covered and not char.isspace()]
    assert missing == []


def check_lengths(chunker: Chunker, document: Document, spans: list[Span], tokenizer: Tokenizer) -> None:
    """Size and overlap are kept in their unit, a single character that is longer excepted."""
    sizing = chunker.sizing()
    if sizing is None:
        return
    size = sizing.default if chunker.size is None else chunker.size
    shared = [Span(two.start, max(one.end, two.start)) for one, two in pairwise(spans)]
    if sizing.unit not in ("characters", "tokens"):
        assert chunker.overlap > 0 or not any(len(span) for span in shared)
    elif size is not None:
        count = _counter(sizing.unit, document, tokenizer)
        if "size" not in chunker.exempt:
            assert all(count(span) <= size or len(span) == 1 for span in spans), spans
        if sizing.overlap and "overlap" not in chunker.exempt:
            assert all(count(span) <= chunker.overlap for span in shared), spans


def _counter(unit: str, document: Document, tokenizer: Tokenizer) -> Any:
    if unit == "characters":
        return len
    starts, ends = tokenizer.offsets(document.text)
    return lambda span: int(np.count_nonzero((starts < span.end) & (ends > span.start))) if len(span) else 0
