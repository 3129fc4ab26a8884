"""Near duplicates: passages that say what a better one has said already, found by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from chunksweep.records import Chunks, Corpus

RUN = 3
_WORD = re.compile(r"\w+")
Runs = frozenset[tuple[str, ...]]


def runs_of_words(text: str) -> Runs:
    """All runs of three consecutive words in lower case, also called shingles; of fewer words the one run they are."""
    words = _WORD.findall(text.lower()) or [text.strip()]
    return frozenset(tuple(words[at : at + RUN]) for at in range(max(len(words) - RUN, 0) + 1))


def resemblance(one: Runs, other: Runs) -> float:
    """Share of the runs of words of either that both have: 1 for the same words in the same order.

    After Broder, "On the resemblance and containment of documents" (1997); also called the Jaccard index of shingles.
    """
    return len(one & other) / len(one | other)


@dataclass(frozen=True, slots=True, eq=False)
class NearDuplicates:
    """Finds passages that resemble a better one.

    threshold  passages that resemble each other at least so much are near duplicates, above 0
    """

    corpus: Corpus
    passages: Chunks
    threshold: float
    _runs: dict[int, Runs] = field(default_factory=dict)

    def without(self, rows: Iterable[int], limit: int) -> list[int]:
        """The places, from 0, of the first `limit` of these passages that resemble none kept before them.

        rows  rows of the passages, best first
        """
        kept: list[int] = []
        runs: list[Runs] = []
        for place, row in enumerate(rows):
            if len(kept) == limit:
                break
            mine = self._of(row)
            if all(resemblance(mine, other) < self.threshold for other in runs):
                kept.append(place)
                runs.append(mine)
        return kept

    def _of(self, row: int) -> Runs:
        """Of the passage's own words, without what is put before it."""
        if row not in self._runs:
            text = self.corpus.documents[int(self.passages.document[row])].text
            self._runs[row] = runs_of_words(text[int(self.passages.start[row]) : int(self.passages.end[row])])
        return self._runs[row]
