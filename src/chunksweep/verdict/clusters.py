"""Clusters: which questions may succeed and fail together, because their answers stand in the same documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunksweep.records import FloatArray, IntArray

ENOUGH = 10
NOTHING_BEYOND = (
    "Questions were taken as independent: nothing is said about other documents, since the answers stand in only "
    "{groups} separate {groups_word} of documents."
)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """A partition of the questions.

    unit    "document" where a cluster is the questions joined by shared documents, "question" where it is one question
    labels  int64 (questions,), cluster of each question, numbered from 0 in order of appearance
    words   what the choice means for what may be said, None where nothing has to be
    """

    unit: str
    labels: IntArray
    words: str | None = None

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1

    @property
    def sizes(self) -> IntArray:
        """int64 (clusters,), questions in each."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def joins(self) -> bool:
        """Whether some cluster holds more than one question."""
        return self.count < len(self.labels)

    def sums(self, scores: FloatArray) -> FloatArray:
        """float64 (cells, clusters), from (cells, questions)."""
        sums = np.zeros((len(scores), self.count))
        np.add.at(sums.T, self.labels, scores.T)
        return sums

    def only(self, questions: IntArray) -> Clusters:
        """The partition of some of the questions, given by their positions; these must be whole clusters."""
        return Clusters(self.unit, _renumbered(self.labels[questions].tolist()), self.words)


def clusters_of(documents: Sequence[frozenset[str]], wanted: str = "auto") -> Clusters:
    """The clusters of questions whose facts lie in these documents.

    wanted  "document", "question", or "auto": documents where they make ten clusters or more, else questions
    """
    joined = joined_by_documents(documents)
    groups = int(joined.max()) + 1
    if wanted == "document" or (wanted == "auto" and groups >= ENOUGH):
        return Clusters("document", joined)
    words = NOTHING_BEYOND.format(groups=groups, groups_word="group" if groups == 1 else "groups")
    return Clusters("question", np.arange(len(documents)), words if groups < len(documents) else None)


def joined_by_documents(documents: Sequence[frozenset[str]]) -> IntArray:
    """int64 (questions,): questions that share a document, directly or through others, get the same number."""
    parent = list(range(len(documents)))
    first_of: dict[str, int] = {}
    for question, of_question in enumerate(documents):
        for document in of_question:
            a, b = _root(parent, first_of.setdefault(document, question)), _root(parent, question)
            parent[max(a, b)] = min(a, b)
    return _renumbered([_root(parent, question) for question in range(len(documents))])


def held_out(clusters: Clusters, share: float, seed: int) -> tuple[IntArray, IntArray] | None:
    """Positions of the questions that are compared and of those kept out, whole clusters drawn at random.

    share  of the clusters, rounded down

    None where the share is less than one cluster, or nothing would be left to compare.
    """
    count = int(share * clusters.count)
    if not 0 < count < clusters.count:
        return None
    out = np.random.default_rng(seed).permutation(clusters.count)[:count]
    kept_out = np.isin(clusters.labels, out)
    return np.flatnonzero(~kept_out), np.flatnonzero(kept_out)


def _root(parent: list[int], question: int) -> int:
    while parent[question] != question:
        parent[question] = parent[parent[question]]
        question = parent[question]
    return question


def _renumbered(labels: Sequence[int]) -> IntArray:
    numbers: Iterator[int] = iter(range(len(labels)))
    known: dict[int, int] = {}
    for label in labels:
        if label not in known:
            known[label] = next(numbers)
    return np.array([known[label] for label in labels], dtype=np.int64)
