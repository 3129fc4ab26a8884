"""What a random order of the passages would answer: large chunks are right by chance more often than small ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb

from chunksweep.measures.holding import Rows

MOST_FACTS = 16


def chance_at(holders: Iterable[Rows], passages: int, cutoffs: Sequence[int]) -> list[float] | None:
    """For each cut-off, the probability that the first passages of a random order hold all facts of a question.

    holders   of each fact
    passages  how many there are
    cutoffs   at least 1 each; one beyond `passages` takes all

    One fact with m holders among N is missed by k passages with probability C(N-m, k) / C(N, k). For several facts
    the misses are counted by inclusion and exclusion, in whole numbers, so that nothing is lost to rounding. None
    where more than 16 facts have to be told apart.
    """
    needed = _decisive(holders)
    if len(needed) > MOST_FACTS:
        return None
    terms = _terms(needed)
    return [_probability(terms, passages, min(k, passages)) for k in cutoffs]


def _decisive(holders: Iterable[Rows]) -> list[Rows]:
    """The holders without those that contain the holders of another fact: whoever has that fact has both."""
    distinct = set(holders)
    return [rows for rows in distinct if not any(other < rows for other in distinct)]


def _terms(holders: Sequence[Rows]) -> dict[int, int]:
    """How often, with its sign, each size of union occurs over all subsets of the facts.

    Subsets with the same union are added up as they arise; sets are bits of a number.
    """
    bits = {row: 1 << bit for bit, row in enumerate(sorted(frozenset().union(*holders)))}
    signs = Counter({0: 1})
    for rows in holders:
        mask = sum(bits[row] for row in rows)
        joined = Counter(signs)
        for union, sign in signs.items():
            joined[union | mask] -= sign
        signs = joined
    sizes: Counter[int] = Counter()
    for union, sign in signs.items():
        sizes[union.bit_count()] += sign
    return dict(sizes)


def _probability(terms: dict[int, int], passages: int, k: int) -> float:
    favourable = sum(sign * comb(passages - size, k) for size, sign in terms.items())
    return favourable / comb(passages, k)
