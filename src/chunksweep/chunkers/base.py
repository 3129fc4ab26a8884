"""What a chunking strategy is.

A strategy is one file in this folder with one public class derived from Chunker, and one file of the same name
in conf/chunker/ that names it and its options. Nothing has to be registered: the contract suite in
tests/contracts/ finds it by its configuration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Prefix, Span, Vectors


@dataclass(frozen=True, slots=True)
class Sizing:
    """How a strategy reads `size` and `overlap`.

    unit     what they count: "characters", "tokens", "words", "sentences", "paragraphs", "rows",
             "pages", "questions"
    default  the size that `size=null` stands for; None: no limit
    overlap  whether the strategy takes an overlap at this size
    """

    unit: str
    default: int | None
    overlap: bool = True


@dataclass(frozen=True, slots=True)
class Cuts:
    """The chunks of one document, and what the strategy counted while it cut.

    spans   in order
    counts  what is counted -> how many; summed over the documents and logged as `chunks/...`
    """

    spans: tuple[Span, ...]
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker(ABC):
    """Cuts a document into spans.

    size     at least 1, in the unit of `sizing()`; None: no limit, for strategies whose default is None
    overlap  units shared with the chunk before, less than size

    The further fields of a subclass are its options: they are the keys of its file in conf/chunker/, with the same
    defaults, each of type bool, int, float, str or None, or a tuple of str. A subclass checks its options in
    __post_init__ and raises ConfigError with one line that names option, value and what is allowed. An option that is
    ignored beside the others becomes None there, so that settings with equal chunks are equal. It ends with
    Chunker.__post_init__(self): super() does not know the class that slots=True makes anew.

    exempt  what of the contract the strategy does not keep -> why: "coverage" (no text is lost), "nesting" (no chunk
            lies inside another), "size", "overlap", "failure" (every text can be cut); for code of others, which is
            measured as it is
    """

    exempt: ClassVar[Mapping[str, str]] = MappingProxyType({})

    size: int | None = None
    overlap: int = 0

    def __post_init__(self) -> None:
        """Raises ConfigError where size or overlap cannot be."""
        sizing = self.sizing()
        if sizing is None:
            return
        size = sizing.default if self.size is None else self.size
        if size is not None and size < 1:
            raise ConfigError(f"size={size}: at least 1 of {sizing.unit} is needed. Give a greater size.")
        if size is not None and sizing.overlap and not 0 <= self.overlap < size:
            raise ConfigError(
                f"overlap={self.overlap} with size={size}: an overlap is at least 0 and smaller than the size, both in "
                f"{sizing.unit}. Give a smaller overlap."
            )

    @abstractmethod
    def sizing(self) -> Sizing | None:
        """How size and overlap are read under these options; None: both are ignored."""

    @abstractmethod
    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:
        """The chunks of `document` in order.

        Starts strictly increase, no chunk lies inside another or is blank, and every non-blank character lies in
        one, but for what the strategy says it leaves out. Deterministic; keeps nothing between documents.

        ruler  measures this document in the unit of `sizing()`
        """

    def added(self, document: Document, span: Span) -> Prefix | None:  # noqa: ARG002  most strategies add nothing
        """Words that belong before a chunk of this strategy and do not stand there in the source.

        They are always embedded and sent with it; the spans they were copied from are theirs and not the chunk's.
        """
        return None

    def cut(self, document: Document, ruler: Ruler) -> Cuts:
        """As `split`; a strategy that counts something on the way gives that too."""
        return Cuts(tuple(self.split(document, ruler)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredChunker(Chunker):
    """A strategy whose size is a length of text.

    unit       "characters" (Unicode code points), "words" (see Words) or "tokens" (of the document
               tokenised once); a subclass may allow fewer in `measured_in`
    tokenizer  what counts tokens: "o200k", "cl100k", "embedder" or the path of a tokenizer.json; None: the tokenizer
               that counts what is sent; ignored, and None, where the unit is characters
    """

    measured_in: ClassVar[tuple[str, ...]] = ("characters", "words", "tokens")

    unit: str = "characters"
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        check_option("unit", self.unit, self.measured_in)
        if self.unit != "tokens":
            object.__setattr__(self, "tokenizer", None)
        elif self.tokenizer is not None and not self.tokenizer.endswith(".json"):
            check_option("tokenizer", self.tokenizer, (*TOKENIZERS, "the path of a tokenizer.json"))
        Chunker.__post_init__(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorChunker(MeasuredChunker):
    """A strategy that cuts by the vectors of parts of the text, such as its sentences.

    They are embedded as passages before the text is cut, by the model that will embed the chunks, and count as
    embedded.
    """

    @abstractmethod
    def reads(self, document: Document) -> list[str]:
        """The parts of the document whose vectors are needed, in order; none is blank."""

    @abstractmethod
    def split_by(self, document: Document, ruler: Ruler, vectors: Vectors) -> Iterator[Span]:
        """The chunks of `document`, as `split` promises.

        vectors  float32 (n, dimension), a row for each of `reads(document)`
        """

    def split(self, document: Document, ruler: Ruler) -> Iterator[Span]:  # noqa: ARG002  cannot be done
        """Raises ValueError: without vectors nothing can be cut."""
        raise ValueError("a strategy that cuts by vectors needs them")


DEFAULT_SIZE = {"characters": 400, "words": 80, "tokens": 128}
TOKENIZERS = ("o200k", "cl100k", "embedder")


def check_option(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raises ConfigError unless the option `name` has an allowed value."""
    if value not in allowed:
        raise ConfigError(f"chunker.{name}={value} is not possible. Allowed: {', '.join(allowed)}. Choose one of them.")
