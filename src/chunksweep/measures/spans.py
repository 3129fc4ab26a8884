"""Retrieval measured in source characters: how much of the facts was retrieved, and how much else with them.

These are the token-wise recall, precision, IoU and precision omega of Smith and Troynikov, "Evaluating Chunking
Strategies for Retrieval" (Chroma, 2024), in characters instead of tokens: they need no tokenizer and no answer depends
on one. A prefix is no source text and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chunksweep.records import Fact, Place, Span

# Half-open runs of characters by document id, sorted, without touching one another.
Cover = dict[str, list[Span]]


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
    retrieved = united(chunks)
    chosen = [max(fact.places, key=lambda place: covered(place, retrieved)) for fact in facts]
    return _overlap(chunks, chosen)


def precision_omega(facts: Iterable[Fact], touching: Callable[[Place], Sequence[Place]]) -> float:
    """Precision if exactly the chunks that touch a fact had been retrieved: what the boundaries alone allow.

    touching  from a place to the chunks that share at least one character with it

    Of each fact the place counts that gives most on its own, then the first. 0 where no chunk touches a fact.
    """
    chosen = [max(fact.places, key=lambda place: _overlap(touching(place), [place]).precision) for fact in facts]
    chunks = list(dict.fromkeys(chunk for place in chosen for chunk in touching(place)))
    return _overlap(chunks, chosen).precision


def united(places: Iterable[Place]) -> Cover:
    """The characters that lie in at least one of the places."""
    cover: Cover = {}
    for place in sorted(places):
        spans = cover.setdefault(place.document_id, [])
        if spans and place.span.start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, place.span.end))
        else:
            spans.append(place.span)
    return cover


def covered(place: Place, cover: Cover) -> int:
    """How many characters of the place are covered."""
    return sum(
        max(0, min(place.span.end, span.end) - max(place.span.start, span.start))
        for span in cover.get(place.document_id, ())
    )


def _overlap(chunks: Sequence[Place], chosen: Iterable[Place]) -> Overlap:
    retrieved, wanted = united(chunks), united(chosen)
    parts = [Place(document, span) for document, spans in wanted.items() for span in spans]
    return Overlap(
        common=sum(covered(part, retrieved) for part in parts),
        facts=sum(len(part.span) for part in parts),
        retrieved=sum(len(chunk.span) for chunk in chunks),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
