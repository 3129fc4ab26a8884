"""Windows: units in groups of `size`, each sharing `overlap` units with the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunksweep.records import Span


def windows(count: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the units 0 ... count - 1; the last ends at `count`, which no other reaches.

    Raises ValueError unless 0 <= overlap < size.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap {overlap} is not in [0, {size})")
    for start in range(0, max(count - overlap, min(count, 1)), size - overlap):
        yield start, min(start + size, count)


def merged(units: Sequence[Span], size: int, overlap: int) -> Iterator[Span]:
    """The windows of `units` as spans, from the start of the first unit to the end of the last."""
    for first, end in windows(len(units), size, overlap):
        yield Span(units[first].start, units[end - 1].end)
