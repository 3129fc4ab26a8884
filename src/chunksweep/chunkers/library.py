"""Splitters of other libraries: their classes with their options, their chunks as spans of the document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

from chunksweep.chunkers.alignment import UnplacedError, align
from chunksweep.chunkers.base import DEFAULT_SIZE, Chunker, Cuts, MeasuredChunker, Sizing
from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ChunkingError, ConfigError
from chunksweep.records import Document, Span

_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChunker(Chunker):
    """A strategy that hands the text to a library.

    A subclass gives `texts()`, and imports the library there and nowhere else.

    package, extra  what is imported, and the extra of chunksweep that installs it

    Counted for each run: `altered`, chunks whose text the library changed, and `left_out`, chunks without a character
    of the document. Lost text and nested chunks are counted for every strategy.
    """

    package: ClassVar[str]
    extra: ClassVar[str]

    def __post_init__(self) -> None:
        """Raises ConfigError where the library is not installed, or size, overlap or an option cannot be."""
        require(self.package, self.extra)
        Chunker.__post_init__(self)

    def sizing(self) -> Sizing | None:
        """Has no size."""
        return None

    @abstractmethod
    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks as the library gives them, in order."""

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The spans of the library's chunks."""
        yield from self.cut(document, ruler).spans

    def cut(self, document: Document, ruler: Ruler) -> Cuts:
        """The spans of the library's chunks, with what it altered and what was left out.

        Raises ChunkingError for a chunk that stands nowhere in the document.
        """
        sizing = self.sizing()
        overlap = self.overlap if sizing and sizing.overlap else 0
        try:
            aligned = align(
                document.text,
                self.texts(document, ruler),
                lambda before: self._reach_back(document.text, ruler, before.end, overlap),
            )
        except UnplacedError as error:
            start = " ".join(error.chunk.split())[:_SHOWN]
            raise ChunkingError(
                f'{document.id}: chunk {error.number} of {self.package} ("{start}") stands nowhere in the document, so '
                "it cannot be cited. Choose other options, or leave the document out with corpus.exclude."
            ) from error
        return Cuts(aligned.spans, {"altered": aligned.altered, "left_out": aligned.left_out})

    def _reach_back(self, text: str, ruler: Ruler, end: int, overlap: int) -> int:
        """Where a chunk that overlaps one up to `end` may begin.

        White space does not count where the library does not keep to the overlap: it is what such libraries leave out.
        """
        start, blanks = ruler.reach_back(end, overlap), 0
        while "overlap" in self.exempt and (more := sum(map(str.isspace, text[start:end]))) > blanks:
            start, blanks = ruler.reach_back(end, overlap + more), more
        return start


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedLibraryChunker(LibraryChunker, MeasuredChunker):
    """A library's strategy whose size is a length of text.

    Lengths are counted by the ruler through the library's own hook, so that a size means the same for every strategy;
    its default is ours too.
    """

    measured_in: ClassVar[tuple[str, ...]] = ("characters", "tokens")

    def __post_init__(self) -> None:
        require(self.package, self.extra)
        MeasuredChunker.__post_init__(self)

    def sizing(self) -> Sizing:
        """400 characters or 128 tokens."""
        return Sizing(self.unit, DEFAULT_SIZE[self.unit])

    @property
    def units(self) -> int:
        """The size, or its default."""
        return self.size or DEFAULT_SIZE[self.unit]


def require(package: str, extra: str) -> None:
    """Raises ConfigError unless a package, or a module of it, is installed."""
    top, *_ = package.split(".")
    if find_spec(top) is None or find_spec(package) is None:
        raise ConfigError(f"{package} is not installed. Install it: pip install 'chunksweep[{extra}]'.")
