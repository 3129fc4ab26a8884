"""What a strategy leaves of the documents: text that no chunk has, chunks that lie in another, text it changed."""

from __future__ import annotations

import numpy as np

from chunksweep.measures.chunk_stats import reached
from chunksweep.records import Chunks, Corpus


def coverage(corpus: Corpus, chunks: Chunks) -> dict[str, float]:
    """`chunks/lost_chars`, `chunks/nested` and what the strategy counted itself.

    lost_chars  characters, but for white space, that lie in no chunk, heading lines that are dropped included
    nested      chunks that end within a chunk that begins before them
    altered     a library's chunks whose text is not exactly that of their span
    left_out    a library's chunks without a character of the document
    unparsed    documents that are cut by other means, since they could not be parsed
    """
    before = reached(chunks)
    nested = int(np.count_nonzero(chunks.end <= before))
    counted = {f"chunks/{name}": float(count) for name, count in chunks.counts.items()}
    return {"chunks/lost_chars": float(_lost(corpus, chunks)), "chunks/nested": float(nested)} | counted


def _lost(corpus: Corpus, chunks: Chunks) -> int:
    ends = [0] * len(corpus.documents)
    lost = 0
    for document, span in chunks.rows():
        lost += _non_blank(corpus.documents[document].text[ends[document] : span.start])
        ends[document] = max(ends[document], span.end)
    return lost + sum(_non_blank(document.text[end:]) for document, end in zip(corpus.documents, ends, strict=True))


def _non_blank(text: str) -> int:
    return sum(map(len, text.split()))
