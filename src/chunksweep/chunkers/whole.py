"""Whole: a document is one chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.boundaries import trimmed
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Chunker):
    """Cuts nothing; white space around the text is left out. What every other strategy has to beat."""

    def sizing(self) -> Sizing | None:
        """None: size and overlap are ignored."""
        return None

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  nothing is measured
        """The text of the document; nothing where it is blank."""
        span = trimmed(document.text, Span(0, len(document.text)))
        if len(span):
            yield span
