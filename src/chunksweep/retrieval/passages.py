"""The passages of a question's hits, and how they are written out for the language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunksweep.prefix import embedded_text
from chunksweep.records import Chunks, Corpus, FloatArray, IntArray, Passage, Prefix, Span


def first_of_each(hits: IntArray, scores: FloatArray, of_chunk: IntArray) -> tuple[IntArray, FloatArray]:
    """The passages of a question's hits in the order of their best hits, each once, with the scores of these.

    hits, scores  the ranked chunks, best first
    of_chunk      int64 (chunks,), row of the passage of each chunk

    So a passage takes one place, however many of its chunks were hit, and further hits fill the places it leaves.
    """
    rows = of_chunk[hits]
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return rows[first], scores[first]


@dataclass(frozen=True, slots=True, eq=False)
class PassageMaker:
    """Writes passages out: each with what was added to it, after its prefix where prefixes are sent.

    passages   where they lie; the chunks themselves where hits are handed on as they stand
    prefixes   one a passage, None where it has none; None as a whole: prefixes are not sent
    separator  stands between a prefix and the text
    """

    corpus: Corpus
    passages: Chunks
    prefixes: Sequence[Prefix | None] | None = None
    separator: str = ""

    def passage(self, row: int, score: float) -> Passage:
        """The passage of a row. Its first span is where it lies, the others are what stands before was copied from."""
        document = self.corpus.documents[int(self.passages.document[row])]
        span = Span(int(self.passages.start[row]), int(self.passages.end[row]))
        prefix = self.prefixes[row] if self.prefixes else None
        added = self.passages.added_to(row)
        text = f"{added.text if added else ''}{document.text[span.start : span.end]}"
        return Passage(
            document_id=document.id,
            text=embedded_text(prefix, self.separator, text),
            spans=(span, *(source for before in (prefix, added) if before for source in before.sources)),
            section_path=document.section_path(span),
            score=score,
        )
