"""The text that comes nearest to a quote found nowhere, so that the right words can be pasted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property
from heapq import nlargest
from math import log

from chunksweep.questions.normal import NormalText
from chunksweep.records import Place

_WORD = re.compile(r"\w+")

COMMON = 1000
"""A word with more occurrences says nothing about where a quote belongs, if the quote has rarer ones."""
CANDIDATES = 12
"""Stretches of text that are compared with the quote word by word."""


class NearestText:
    """Finds the stretch of words most like a quote: rare words in common say where to look, difflib which is best."""

    def __init__(self, texts: Mapping[str, NormalText]) -> None:
        self._texts = texts

    def find(self, quote: str, document_id: str | None = None) -> Place | None:
        """The nearest text to a quote in normal form, in one document or all; None where no word is alike."""
        wanted = self._known(_WORD.findall(quote))
        candidates = [
            (found_in, _aligned(wanted, self._words[found_in], window))
            for found_in, window in self._windows(wanted, document_id)
        ]
        if not candidates:
            return None
        found_in, (_, first, end) = max(candidates, key=lambda candidate: candidate[1][0])
        return self._place(found_in, first, end)

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        return {document_id: _WORD.findall(text.text) for document_id, text in self._texts.items()}

    @cached_property
    def _occurrences(self) -> dict[str, list[tuple[str, int]]]:
        """Word -> (document, number of the word in it) of each occurrence."""
        occurrences: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for document_id, words in self._words.items():
            for number, word in enumerate(words):
                occurrences[word].append((document_id, number))
        return dict(occurrences)

    @cached_property
    def _length(self) -> int:
        """Words of all documents together."""
        return sum(map(len, self._words.values()))

    def _known(self, words: Sequence[str]) -> list[str]:
        """The words; where the corpus has none of them, each replaced by the one that is spelt most like it."""
        if any(word in self._occurrences for word in words):
            return list(words)
        return [match for word in words for match in get_close_matches(word, self._spelt_like(word), n=1)]

    def _spelt_like(self, word: str) -> list[str]:
        return [known for known in self._occurrences if abs(len(known) - len(word)) <= 2 and known[0] == word[0]]

    def _windows(self, wanted: Sequence[str], document_id: str | None) -> Iterator[tuple[str, range]]:
        """Where the rare words of the quote stand together: word numbers of a document, wide enough for the quote."""
        width = max(len(wanted) // 2, 4)
        votes: dict[tuple[str, int], float] = defaultdict(float)
        for position, occurrences in self._rare(wanted, document_id):
            for found_in, number in occurrences:
                votes[found_in, (number - position) // width] += log(1 + self._length / len(occurrences))
        for found_in, step in nlargest(CANDIDATES, votes, key=votes.__getitem__):
            first = max((step - 1) * width, 0)
            yield found_in, range(first, min((step + 2) * width + len(wanted), len(self._words[found_in])))

    def _rare(self, wanted: Sequence[str], document_id: str | None) -> Iterator[tuple[int, Sequence[tuple[str, int]]]]:
        """(number in the quote, occurrences) of each word of the quote that is rare enough."""
        found = [
            [place for place in self._occurrences.get(word, ()) if document_id in (None, place[0])] for word in wanted
        ]
        limit = max(COMMON, min((len(places) for places in found if places), default=0))
        for position, places in enumerate(found):
            if 0 < len(places) <= limit:
                yield position, places

    def _place(self, document_id: str, first: int, end: int) -> Place:
        text = self._texts[document_id]
        words = list(_WORD.finditer(text.text))
        return Place(document_id, text.source_span(words[first].start(), words[end - 1].end()))


def _aligned(wanted: Sequence[str], words: Sequence[str], window: range) -> tuple[float, int, int]:
    """(likeness, first word, one past the last) of the part of a window that corresponds to the quote.

    The window holds at least one word of the quote. The part reaches as far beyond the first and last word in common
    as the quote does, so that a wrong word at its end is shown corrected and not cut off. Likeness is Dice's
    coefficient, in words.
    """
    matcher = SequenceMatcher(None, wanted, words[window.start : window.stop], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    opening, closing = blocks[0], blocks[-1]
    first = max(window.start + opening.b - opening.a, 0)
    end = min(window.start + closing.b + len(wanted) - closing.a, len(words))
    return 2 * sum(block.size for block in blocks) / (len(wanted) + end - first), first, end
