"""Shorthand for tests of strategies: what a text is cut into."""

from __future__ import annotations

from typing import Any

from chunksweep.chunkers import find
from chunksweep.contract.promises import split
from chunksweep.documents import markdown, plain
from chunksweep.records import Document, Span
from chunksweep.tokens import load_tokenizer


def spans(name: str, document: Document | str, **options: Any) -> list[Span]:
    """The chunks of a document, or of a plain text."""
    document = plain.read(document, "a.txt") if isinstance(document, str) else document
    return split(find(name)(**options), document, load_tokenizer("o200k"))


def bounds(name: str, document: Document | str, **options: Any) -> list[tuple[int, int]]:
    """Start and end of the chunks."""
    return [(span.start, span.end) for span in spans(name, document, **options)]


def cut(name: str, document: Document | str, **options: Any) -> list[str]:
    """The text of the chunks."""
    text = document if isinstance(document, str) else document.text
    return [text[span.start : span.end] for span in spans(name, document, **options)]


def md(text: str) -> Document:
    """A Markdown document."""
    return markdown.read(text, "a.md")
