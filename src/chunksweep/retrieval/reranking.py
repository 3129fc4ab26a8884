"""Reranking: a cross-encoder reads the question together with each of the best hits and orders them anew."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from chunksweep.embedders.sentence_transformers import OFFLINE
from chunksweep.errors import EmbeddingError
from chunksweep.records import FloatArray, Ranking
from chunksweep.retrieval.ranking import rounded


def reordered(ranking: Ranking, scores: FloatArray) -> Ranking:
    """The ranking with its first hits ordered by these scores; the others follow as before, with their own scores.

    scores  float64 (questions, hits), of the first hits in their order, rounded to 1e-6

    Ties go to the chunk that comes first in document order.
    """
    first = scores.shape[1]
    order = np.lexsort((ranking.chunks[:, :first], -scores), axis=1)
    chunks, theirs = ranking.chunks.copy(), ranking.scores.copy()
    chunks[:, :first] = np.take_along_axis(chunks[:, :first], order, axis=1)
    theirs[:, :first] = np.take_along_axis(scores, order, axis=1)
    return Ranking(chunks, theirs)


@dataclass(eq=False)
class CrossEncoder:
    """A model that scores pairs of question and text, run by sentence-transformers. The network is not touched.

    folder  of the model, as the library saves it
    device  where torch computes

    The library takes seconds to import, and is imported when the first pair is scored. A pair is scored once.
    """

    folder: Path
    device: str = "cpu"
    _known: dict[tuple[str, str], float] = field(default_factory=dict)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """The score of each pair, float64 (pairs,), rounded to 1e-6; greater is better.

        Raises EmbeddingError where the model cannot be loaded, gives more than one number, or one that is not finite.
        """
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            found = np.asarray(self._model.predict(new, show_progress_bar=False), dtype=np.float64)
            if found.shape != (len(new),) or not np.isfinite(found).all():
                raise EmbeddingError(
                    f"retriever.rerank={self.folder} does not give one finite number for a question with a text. "
                    "Choose a cross-encoder with one label."
                )
            self._known.update(zip(new, rounded(found).tolist(), strict=True))
        return np.array([self._known[pair] for pair in pairs])

    @cached_property
    def _model(self) -> Any:
        for switch in OFFLINE:
            os.environ.setdefault(switch, "1")
        import sentence_transformers  # noqa: PLC0415 - takes seconds and half a gigabyte
        from transformers.utils import logging  # noqa: PLC0415

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would draw over our own
        try:
            return sentence_transformers.CrossEncoder(str(self.folder), device=self.device, local_files_only=True)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            reason = " ".join(str(error).split())
            raise EmbeddingError(f"retriever.rerank={self.folder} cannot be loaded: {reason[:300]}") from error
