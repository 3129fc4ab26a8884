"""What a chunking strategy is.

A strategy is one file in this folder with one public class derived from Chunker, and one file of the same name
in conf/chunker/ that names it and its options. Nothing has to be registered: the contract suite in
tests/contracts/ finds it by its configuration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document, Span


@dataclass(frozen=True, slots=True)
class Sizing:
    """How a strategy reads `size` and `overlap`.

    unit     what they count: "characters", "tokens", "sentences", "paragraphs"
    default  the size that `size=null` stands for; None: no limit
    overlap  whether the strategy takes an overlap at this size
    """

    unit: str
    default: int | None
    overlap: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker(ABC):
    """Cuts a document into spans.

    size     at least 1, in the unit of `sizing()`; None: no limit, for strategies whose default is None
    overlap  units shared with the chunk before, less than size

    The further fields of a subclass are its options: they are the keys of its file in conf/chunker/, with the same
    defaults, each of type bool, int, float, str or None. A subclass checks its options in __post_init__ and raises
    ConfigError with one line that names option, value and what is allowed.
    """

    size: int | None = None
    overlap: int = 0

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
