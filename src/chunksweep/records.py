"""The types that every stage speaks: frozen, compared by value, without input or output.

Positions are characters (Unicode code points) of `Document.text`, always half-open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open run of characters of a document's text: [start, end).

    Raises ValueError unless 0 <= start <= end.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"span [{self.start}, {self.end}) is not 0 <= start <= end")

    def __len__(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        """Whether every character of `other` lies in this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one character."""
        return max(self.start, other.start) < min(self.end, other.end)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its own text, up to the next heading of any level.

    span     heading line (or lines, for setext) and own text
    body     own text without the heading line; body.end == span.end
    heading  the words of the heading without markup; "" for text before the first heading
    level    1 to 6; 0 for text before the first heading
    path     headings from the outermost down to this one; () for text before the first heading
    """

    span: Span
    body: Span
    heading: str
    level: int
    path: tuple[str, ...]

    @property
    def heading_span(self) -> Span:
        """The heading line with its marks and line end; empty where there is no heading."""
        return Span(self.span.start, self.body.start)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: `span` from its first word to its last, and the place of every cell in order, some empty."""

    span: Span
    cells: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in the text.

    span    from the header, or else the first row, to the end of the last row
    header  the places of the column names; () where there are none
    rows    in order, without the header; a row may have fewer or more cells than the header
    """

    span: Span
    header: tuple[Span, ...]
    rows: tuple[TableRow, ...]

    @property
    def header_span(self) -> Span | None:
        """From the first column name to the last; None where there are none."""
        return Span(self.header[0].start, self.header[-1].end) if self.header else None


@dataclass(frozen=True, slots=True)
class Document:
    r"""One text of the corpus, decoded once; offsets into `text` hold to the end.

    id          path relative to the corpus root, with forward slashes
    text        line ends are "\n", no byte order mark; never changed afterwards
    title       what the file names as its title, else the first level-1 heading, else the file name without its ending
    sections    in order, not overlapping; text outside every section is blank
    verbatim    spans in which a blank line does not end a paragraph (front matter, code blocks), in order
    media_type  such as "text/markdown", "text/plain" or "text/html"
    tables      in order, not overlapping
    pages       one for each page of the file in order, empty where a page has no text; () for files without pages
    written     whether the text was written by the reader (HTML), so that its sections, tables and pages cannot be seen
                in it
    unread      what of the file is not in the text, a reason each, to be put after the file's name
    warnings    what is odd about the file though all of it is in the text, a line each, to be put after its name
    """

    id: str
    text: str
    title: str
    sections: tuple[Section, ...]
    verbatim: tuple[Span, ...] = ()
    media_type: str = "text/plain"
    tables: tuple[Table, ...] = ()
    pages: tuple[Span, ...] = ()
    written: bool = False
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """sha256 of the text, and of its structure where that cannot be seen in the text; in hexadecimal."""
        structure = repr((self.sections, self.verbatim, self.tables, self.pages)) if self.written else ""
        return sha256((self.text + structure).encode("utf-8", "surrogatepass")).hexdigest()

    def section_at(self, position: int) -> Section | None:
        """The section that holds the character at `position`, or None."""
        index = bisect_right(self.sections, position, key=lambda section: section.span.start) - 1
        if index < 0 or position >= self.sections[index].span.end:
            return None
        return self.sections[index]

    def section_path(self, span: Span) -> tuple[str, ...]:
        """The path of the section in which a chunk begins, by its first non-blank character; () where there is none."""
        section = self.section_at(self._begin(span))
        return section.path if section else ()

    def page(self, span: Span) -> int | None:
        """The number, from 1, of the page on which a chunk begins; None in a document without pages."""
        return bisect_right(self.pages, self._begin(span), key=lambda page: page.start) if self.pages else None

    def _begin(self, span: Span) -> int:
        """Where the first non-blank character of a chunk stands."""
        text = self.text[span.start : span.end]
        return span.start + len(text) - len(text.lstrip())


@dataclass(frozen=True, slots=True)
class Unread:
    """A file of the corpus that could not be read, and why."""

    document: str
    reason: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a folder or file, ordered by id, and the files that could not be read."""

    documents: tuple[Document, ...]
    unread: tuple[Unread, ...] = ()

    @property
    def characters(self) -> int:
        """Length of all texts together."""
        return sum(len(document.text) for document in self.documents)

    @property
    def digests(self) -> dict[str, str]:
        """Document id -> sha256 of its text."""
        return {document.id: document.digest for document in self.documents}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A span of a named document."""

    document_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fact:
    """A verbatim quote and every place in the corpus where it stands; any of them will do."""

    quote: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the facts that answer it (all are needed), and the section it names, if any.

    section        the name as given in the file, or None
    section_spans  the spans of the sections so named and of those below them
    """

    id: str
    text: str
    facts: tuple[Fact, ...]
    section: str | None = None
    section_spans: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document; its text is always document.text[span.start:span.end]."""

    document_id: str
    span: Span
    section_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Words put before a chunk's text, and where in the document they were copied from.

    sources  one span for each heading or table header that the words name, in their order; () where they stand
             nowhere in the document (a file name used as title)
    """

    text: str
    sources: tuple[Span, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """All chunks of a corpus as columns, in document order, then by start.

    document  int64 (n,), index into Corpus.documents
    start     int64 (n,), first character
    end       int64 (n,), one past the last character
    added     what the strategy put before each chunk (the header of a table), None where it is nothing; () where it is
              nothing for all of them. Always embedded and sent.
    counts    what the strategy counted while it cut -> how many over all documents
    """

    document: IntArray
    start: IntArray
    end: IntArray
    added: tuple[Prefix | None, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.start)

    def rows(self) -> Iterator[tuple[int, Span]]:
        """(index of the document, span) of each chunk."""
        for document, start, end in zip(self.document.tolist(), self.start.tolist(), self.end.tolist(), strict=True):
            yield document, Span(start, end)

    def added_to(self, row: int) -> Prefix | None:
        """What the strategy put before the chunk of this row."""
        return self.added[row] if self.added else None

    def texts(self, corpus: Corpus) -> list[str]:
        """The text of each chunk: what was added to it and its slice of the document."""
        slices = [corpus.documents[document].text[span.start : span.end] for document, span in self.rows()]
        if not self.added:
            return slices
        return [f"{before.text if before else ''}{text}" for before, text in zip(self.added, slices, strict=True)]

    def where(self, kept: npt.NDArray[np.bool_]) -> Chunks:
        """The chunks for which `kept`, bool (n,), is true."""
        return Chunks(self.document[kept], self.start[kept], self.end[kept], tuple(compress(self.added, kept)))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The best chunks of every question, best first.

    chunks  int64 (questions, depth), row of the chunk; depth = min(asked, number of chunks)
    scores  float64 (questions, depth), rounded to 1e-6; not increasing, but that hits which were ordered anew have
            scores of another kind than those that follow
    """

    chunks: IntArray
    scores: FloatArray


@dataclass(frozen=True, slots=True)
class Passage:
    """What is sent to the language model for a hit.

    text   as it is sent; it ends with the source text of the first span, and what stands before is a sent prefix
    spans  the contiguous source spans that its words come from; a fact is held if one of its places lies in one of them
    """

    document_id: str
    text: str
    spans: tuple[Span, ...]
    section_path: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one configuration did for one question.

    outcome           "answered", "not first", "cut", "thin" or "not found"
    answer_rank       the fewest passages that hold all facts together, or None
    values            metric name -> value of this question; a name that is absent is undefined for the question
    passages          the `send` passages in order
    """

    question: Question
    outcome: str
    answer_rank: int | None
    values: dict[str, float]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell of a grid gave: per question first, means after."""

    questions: tuple[QuestionResult, ...]
    metrics: dict[str, float]
    everything_sent: bool


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run as plain data: what the tracking store, the tables and the JSON are made of.

    status  "FINISHED" or "FAILED"; error says why it failed
    """

    run_id: str
    status: str
    params: dict[str, Any]
    metrics: dict[str, float]
    everything_sent: bool = False
    error: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
