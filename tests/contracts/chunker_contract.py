"""Every strategy of this package with every combination of its options, held against what all of them promise.

A strategy is found by its file in conf/chunker/. Options are varied where ALLOWED names their values.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

from chunksweep.chunkers import custom, find
from chunksweep.chunkers.base import Chunker
from chunksweep.contract.promises import cut
from chunksweep.errors import ConfigError
from chunksweep.paths import group_options
from chunksweep.records import Document, Span
from chunksweep.tokens import Tokenizer

STRATEGIES = [name for name in group_options("chunker") if name != custom.NAME]
ALLOWED: dict[str, tuple[Any, ...]] = {
    "unit": ("characters", "words", "tokens"),
    "whole_words": (False, True),
    "headings": (None, "keep", "drop"),
    "within": ("section", "document", "paragraph"),
    "language": ("en", "de", "zh"),
    "keep_separator": ("start", "end", "none"),
    "strip_headers": (True, False),
    "markdown": (False, True),
    "threshold": ("percentile", "deviation", "absolute"),
    "window": (0, 1),
    "buffer_size": (0, 1),
    "breakpoint_percentile_threshold": (50, 95),
}
# Where the same option means something else.
ALLOWED_OF: dict[str, dict[str, tuple[Any, ...]]] = {
    "code": {"language": (None, "python")},
    "semantic": {"language": ("en",)},
    "chonkie_semantic": {
        "threshold": (0.2, 0.8),
        "filter_polyorder": (2, 3),
        "similarity_window": (1, 3),
        "min_characters_per_sentence": (1, 24),
    },
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
    spans, breaches = cut(chunker, document, tokenizer)
    assert breaches == []
    return spans or []
