"""A file as users write it: chunkers that keep their promises, and some that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span

SEEN: list[str] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Chunker):
    """A line a chunk; lines of fewer than `least` characters are joined with the next."""

    least: int = 0

    def sizing(self) -> Sizing | None:
        return None

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        start = None
        for line in re.finditer(r"[^\n]*[^\n\s][^\n]*", document.text):
            start = line.start() if start is None else start
            if line.end() - start >= self.least:
                yield Span(start, line.end())
                start = None
        if start is not None:
            yield Span(start, len(document.text))


class Loses(Lines):
    """Leaves out the first line."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        yield from list(Lines.split(self, document, ruler))[1:]


class Fails(Lines):
    """Cuts no document with a question mark."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        if "?" in document.text:
            raise RuntimeError("no questions")
        yield from Lines.split(self, document, ruler)


class Hashes(Lines):
    """Cuts by the hash of the text, which is another in every process."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        end = len(document.text)
        middle = hash(document.text) % (end + 1)
        yield from (
            span for span in (Span(0, middle), Span(middle, end)) if document.text[span.start : span.end].strip()
        )


class Remembers(Lines):
    """Cuts a document in another way when it comes back after others."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        SEEN.append(document.id)
        again = len(set(SEEN[SEEN.index(document.id) :])) > 1
        yield from Lines(least=1_000 * again).split(document, ruler)


class Long(Lines):
    """Says that its chunks have 10 characters, and gives whole lines, the last of them twice."""

    def sizing(self) -> Sizing | None:
        return Sizing("characters", 10)


class Within(Lines):
    """Gives every line twice."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        for span in Lines.split(self, document, ruler):
            yield span
            yield span


class Endless(Lines):
    """Never comes to an end."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        while True:
            yield Span(0, len(document.text))


class Beyond(Lines):
    """Ends beyond the text."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        yield Span(0, len(document.text) + 1)


class Pairs(Lines):
    """Gives pairs of numbers instead of spans."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        yield (0, len(document.text))  # type: ignore[misc]


class Picky(Lines):
    """Cannot be made."""

    def __post_init__(self) -> None:
        raise KeyError("mood")


class Unfinished(Chunker):
    """Lacks both methods."""


class NoChunker:
    """Is no chunker."""
