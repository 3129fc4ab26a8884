"""Retrieval measured in source characters: how much of the facts was retrieved, and how much else with them.

These are the token-wise recall, precision, IoU and precision omega of Smith and Troynikov, "Evaluating Chunking
Strategies for Retrieval" (Chroma, 2024), in characters instead of tokens: they need no tokenizer and no answer depends
on one. A prefix is no source text and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chunksweep.records import Fact, Place, Span


@dataclass(frozen=True, slots=True)
class Overlap:
    """What was retrieved beside what was wanted, in characters.

    common     distinct characters of the facts that were retrieved
    facts      characters of the facts, those of overlapping facts once
    retrieved  characters of all chunks, one retrieved twice counted twice
    """

    common: int
    facts: int
    retrieved: int

    @property
    def recall(self) -> float:
        """Share of the facts' characters that were retrieved."""
        return _share(self.common, self.facts)

    @property
    def precision(self) -> float:
        """Share of the characters retrieved that are of a fact and new; 0 where nothing was retrieved."""
        return _share(self.common, self.retrieved)

    @property
    def iou(self) -> float:
        """Intersection over union, also called the Jaccard index: common / (retrieved + facts - common)."""
        return _share(self.common, self.retrieved + self.facts - self.common)


def overlap(chunks: Sequence[Place], facts: Iterable[Fact]) -> Overlap:
    """The characters of some chunks beside those of a question's facts.

    chunks  where the chunks lie
    facts   of each the place counts of which the chunks cover most characters, then the first
    """
    return _overlap(chunks, [_best(fact.places, lambda place: covered(place, chunks)) for fact in facts])


def precision_omega(facts: Iterable[Fact], touching: Callable[[Place], Sequence[Place]]) -> float:
    """Precision if exactly the chunks that touch a fact had been retrieved: what the boundaries alone allow.

    touching  from a place to the chunks that share at least one character with it

    Of each fact the place counts that gives most on its own, then the first. 0 where no chunk touches a fact.
    """
    chosen = [_best(fact.places, lambda place: _overlap(touching(place), [place]).precision) for fact in facts]
    chunks = list(dict.fromkeys(chunk for place in chosen for chunk in touching(place)))
    return _overlap(chunks, chosen).precision


def covered(place: Place, chunks: Iterable[Place]) -> int:
    """How many characters of the place lie in at least one of the chunks."""
    parts = [
        Place(place.document_id, Span(max(place.span.start, chunk.span.start), min(place.span.end, chunk.span.end)))
        for chunk in chunks
        if chunk.document_id == place.document_id and chunk.span.overlaps(place.span)
    ]
    return sum(len(part.span) for part in united(parts))


def united(places: Sequence[Place]) -> Sequence[Place]:
    """The characters that lie in at least one of the places: sorted, without touching one another."""
    if len(places) < 2:
        return places
    runs: list[Place] = []
    for place in sorted(places):
        last = runs[-1] if runs else None
        if last is None or last.document_id != place.document_id or last.span.end < place.span.start:
            runs.append(place)
        else:
            runs[-1] = Place(last.document_id, Span(last.span.start, max(last.span.end, place.span.end)))
    return runs


def _best(places: Sequence[Place], worth: Callable[[Place], float]) -> Place:
    """The first place that is worth most. Most facts have only one, and nothing is computed for it."""
    return places[0] if len(places) == 1 else max(places, key=worth)


def _overlap(chunks: Sequence[Place], chosen: Sequence[Place]) -> Overlap:
    wanted = united(chosen)
    return Overlap(
        common=sum(covered(place, chunks) for place in wanted),
        facts=sum(len(place.span) for place in wanted),
        retrieved=sum(len(chunk.span) for chunk in chunks),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
