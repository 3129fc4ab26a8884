"""How size is measured: in characters, or in tokens of the document tokenised once."""

from __future__ import annotations

from abc import ABC, abstractmethod

from chunksweep.records import Span


class Ruler(ABC):
    """Measures one document in one unit."""

    @abstractmethod
    def length(self, span: Span) -> int:
        """Units that `span` touches."""

    @abstractmethod
    def reach(self, start: int, units: int) -> int:
        """The greatest end such that [start, end) is at most `units` long; a single unit is never cut.

        Greater than `start` while text is left, even where the first character alone is longer than `units`.
        """

    @abstractmethod
    def reach_back(self, end: int, units: int) -> int:
        """The least start such that [start, end) is at most `units` long; `end` itself where none is."""
