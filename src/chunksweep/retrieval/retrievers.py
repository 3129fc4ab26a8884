"""Retrievers: how the chunks are ranked for a question. Their dataclass fields are their options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from chunksweep.errors import ConfigError
from chunksweep.records import IntArray, Ranking, Vectors
from chunksweep.retrieval import bm25
from chunksweep.retrieval.diversity import diversified
from chunksweep.retrieval.expansion import Expansion
from chunksweep.retrieval.fusion import fuse
from chunksweep.retrieval.ranking import best_first, rank

CANDIDATES = 50


@dataclass(frozen=True, slots=True, eq=False)
class IndexVectors:
    """The vectors of questions and chunks.

    questions      float32 (questions, dimension)
    passages       float32 (texts, dimension), of distinct texts
    text_of_chunk  int64 (chunks,), row in `passages` of each chunk's text
    """

    questions: Vectors
    passages: Vectors
    text_of_chunk: IntArray


@dataclass(frozen=True, eq=False)
class Index:
    """What is searched.

    questions  the words of each
    read       gives the text of each chunk as it is indexed, prefix included
    vectors    None where the retriever needs none
    """

    questions: tuple[str, ...]
    read: Callable[[], list[str]]
    vectors: IndexVectors | None = None

    @cached_property
    def texts(self) -> list[str]:
        """The text of each chunk, read once and only where it is asked for."""
        return self.read()

    def require_vectors(self) -> IndexVectors:
        """The vectors; ValueError where there are none."""
        if self.vectors is None:
            raise ValueError("this retriever ranks by vectors, and the index has none")
        return self.vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever(Expansion, ABC):
    """A way to rank chunks, and what is handed on for the best of them.

    by_vectors  whether it needs an embedding model

    dedupe             passages that resemble a better one at least so much are not sent, above 0 and at most 1; None:
                       all are
    rerank             folder of a cross-encoder that orders the best hits anew; None: they stay as they are
    rerank_candidates  how many it orders, at least 1; None: 50, or ignored
    """

    by_vectors: ClassVar[bool] = True

    dedupe: float | None = None
    rerank: str | None = None
    rerank_candidates: int | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError for an option that cannot be."""
        Expansion.__post_init__(self)
        _check_candidates(self, "rerank")
        if self.rerank is not None:
            folder = Path(self.rerank).expanduser().absolute()
            if not (folder / "config.json").is_file():
                raise ConfigError(
                    f"retriever.rerank={self.rerank}: no model lies there. Give the folder of a cross-encoder that "
                    "sentence-transformers has saved; nothing is downloaded."
                )
            object.__setattr__(self, "rerank", str(folder))
        if self.dedupe is not None and not 0 < self.dedupe <= 1:
            raise ConfigError(
                f"retriever.dedupe={self.dedupe}: a share of common words above 0 and at most 1 is needed, such as "
                "0.8; null sends near duplicates too."
            )

    @abstractmethod
    def rank(self, index: Index, depth: int) -> Ranking:
        """The `depth` best chunks of every question before any reranking, all of them where there are fewer.

        Equal texts have equal scores; scores are rounded to 1e-6 before they are compared, and ties go to the chunk
        that comes first in document order.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense(Retriever):
    """By the cosine of the vectors of question and chunk.

    mmr             what the cosine with the question counts where hits like those before are held back, from 0 to 1:
                    maximal marginal relevance; None: nothing else counts
    mmr_candidates  how many of the best are ordered so, at least 1; None: 50, or ignored
    """

    mmr: float | None = None
    mmr_candidates: int | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError for an option that cannot be."""
        Retriever.__post_init__(self)
        _check_candidates(self, "mmr")
        if self.mmr is not None and not 0 <= self.mmr <= 1:
            raise ConfigError(f"retriever.mmr={self.mmr}: from 0 (variety alone) to 1 (relevance alone) is needed.")

    def rank(self, index: Index, depth: int) -> Ranking:
        """See Retriever; the scores are cosines, of candidates for variety their marginal relevance."""
        vectors = index.require_vectors()
        candidates = self.mmr_candidates or 0
        found = rank(vectors.questions, vectors.passages, vectors.text_of_chunk, max(depth, candidates))
        if self.mmr is None:
            return found
        varied = diversified(found, vectors.passages, vectors.text_of_chunk, self.mmr, candidates)
        return Ranking(varied.chunks[:, :depth], varied.scores[:, :depth])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25(Retriever):
    """By the words that question and chunk share, rare ones counting for more. Needs no embedding model.

    k1         how soon further occurrences of a word in a chunk count for less, at least 0
    b          how much a long chunk is held against it, from 0 to 1
    stopwords  whose commonest words are left out: a language that bm25s has a list of, such as "en"; "none"
    """

    by_vectors: ClassVar[bool] = False

    k1: float = 1.5
    b: float = 0.75
    stopwords: str = "en"

    def __post_init__(self) -> None:
        """Raises ConfigError for an option that cannot be."""
        Retriever.__post_init__(self)
        bm25.check(self.k1, self.b, self.stopwords)

    def rank(self, index: Index, depth: int) -> Ranking:
        """See Retriever; chunks that share no word with the question have a score of 0 and come last."""
        scores = bm25.scores(index.texts, index.questions, self.k1, self.b, self.stopwords)
        return best_first(scores, len(index.questions), len(index.texts), depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid(Retriever):
    """Dense and BM25 joined by reciprocal rank fusion.

    rrf                a place r in one of the two rankings is worth 1 / (rrf + r); at least 0
    k1, b, stopwords   of BM25
    """

    rrf: float = 60.0
    k1: float = 1.5
    b: float = 0.75
    stopwords: str = "en"

    def __post_init__(self) -> None:
        """Raises ConfigError for an option that cannot be."""
        Retriever.__post_init__(self)
        if not 0 <= self.rrf < float("inf"):
            raise ConfigError(f"retriever.rrf={self.rrf}: at least 0 is needed; usual is 60.")
        bm25.check(self.k1, self.b, self.stopwords)

    def rank(self, index: Index, depth: int) -> Ranking:
        """See Retriever; the scores are sums of 1 / (rrf + rank)."""
        vectors = index.require_vectors()
        by_words = bm25.scores(index.texts, index.questions, self.k1, self.b, self.stopwords)
        fused = fuse(vectors.questions, vectors.passages, vectors.text_of_chunk, by_words, self.rrf)
        return best_first(fused, len(index.questions), len(index.texts), depth)


def _check_candidates(retriever: Retriever, option: str) -> None:
    """Sets how many candidates an option takes where it is given, and None where it is not."""
    name = f"{option}_candidates"
    asked = getattr(retriever, name)
    if asked is not None and asked < 1:
        raise ConfigError(f"retriever.{name}={asked}: at least 1 is needed.")
    usual = None if getattr(retriever, option) is None else asked or CANDIDATES
    object.__setattr__(retriever, name, usual)


_RETRIEVERS: dict[str, type[Retriever]] = {"bm25": Bm25, "dense": Dense, "hybrid": Hybrid}


def find(name: str) -> type[Retriever]:
    """The class of a retriever, to be called with its options.

    Raises ConfigError for a name that is not known.
    """
    if name not in _RETRIEVERS:
        raise ConfigError(f"retriever={name} is not known. Choose one of {', '.join(sorted(_RETRIEVERS))}.")
    return _RETRIEVERS[name]
