"""BM25 by the library bm25s: its tokens, its stop words, its scores, in the variant of Lucene.

A token is a run of at least two letters or digits, in lower case. There is no stemming: "backup" is not "backups".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np

from chunksweep.errors import ConfigError
from chunksweep.records import FloatArray
from chunksweep.retrieval.ranking import rounded

# The languages that bm25s 0.2 and later have a list of.
STOPWORDS = ("da", "de", "en", "es", "fr", "it", "ko", "nl", "no", "pt", "ru", "sv", "tr", "zh", "none")


def check(k1: float, b: float, stopwords: str) -> None:
    """Raises ConfigError for an option that cannot be."""
    if not (isfinite(k1) and k1 >= 0):
        raise ConfigError(f"retriever.k1={k1}: at least 0 is needed; usual are 1.2 to 2.")
    if not 0 <= b <= 1:
        raise ConfigError(f"retriever.b={b}: from 0 (the length of a chunk is ignored) to 1 is needed.")
    if stopwords not in STOPWORDS:
        raise ConfigError(f"retriever.stopwords={stopwords}: one of {', '.join(STOPWORDS)} is needed.")


def scores(texts: Sequence[str], questions: Sequence[str], k1: float, b: float, stopwords: str) -> Iterator[FloatArray]:
    """For each question the score of every text, float64 (texts,), rounded to 1e-6; 0 where they share no word.

    Every text is a document of the index, equal ones too.
    """
    import bm25s  # noqa: PLC0415 - takes most of a second where numba is installed, and only these retrievers need it

    leave_out = [] if stopwords == "none" else stopwords
    indexed, asked = (
        bm25s.tokenize(list(words), stopwords=leave_out, return_ids=False, show_progress=False)
        for words in (texts, questions)
    )
    if not any(indexed):
        yield from (np.zeros(len(texts)) for _ in questions)
        return
    index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
    index.index(indexed, show_progress=False)
    known = index.vocab_dict
    for words in asked:
        found = [word for word in words if word in known]
        yield rounded(index.get_scores(found)) if found else np.zeros(len(texts))
