"""semchunk: recursive cuts at the longest white space there is, then at punctuation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, cast

from chunksweep.chunkers.library import SizedLibraryChunker
from chunksweep.chunkers.ruler import Ruler
from chunksweep.records import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Semchunk(SizedLibraryChunker):
    """What `semchunk.chunk` gives for this size and overlap, its chunking by a paid service left aside."""

    package: ClassVar[str] = "semchunk"
    extra: ClassVar[str] = "semchunk"
    exempt: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "size": "white space between the parts that an overlap puts together is not counted",
            "overlap": "white space between the parts is not counted",
            "failure": "large overlaps end in a RecursionError for some texts",
        }
    )

    def texts(self, document: Document, ruler: Ruler) -> Iterable[str]:
        """The chunks of the text."""
        from semchunk.semchunk import chunk  # noqa: PLC0415

        # Its own memory of counts is never emptied, and is keyed by the function that counts.
        count = lru_cache(maxsize=None)(ruler.count)
        chunks = chunk(document.text, self.units, count, overlap=self.overlap or None, memoize=False)
        return cast(list[str], chunks)  # pairs with offsets only where these are asked for
