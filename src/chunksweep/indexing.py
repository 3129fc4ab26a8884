"""The bill of an index: what it takes to embed a whole corpus, and again what changed in it.

Two changes are priced, each on average. A document that changes is embedded again whole, over all documents; it is the
most that an edit within it can cost. One character that becomes another changes the chunks that cover it, over all
characters that some chunk covers; it is the least. An edit that moves boundaries lies between the two. A prefix that
changes, and with it all chunks that carry it, is not counted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np

from chunksweep.measures.chunk_stats import covered_characters
from chunksweep.records import Chunks, IntArray

INDEXING = "indexing.json"
# Loading the model takes seconds: in a shorter time it would be taken for a part of the rate.
MEASURABLE_S = 20


@dataclass(frozen=True, slots=True)
class Embedded:
    """What a sweep embedded with one model, what the cache held aside.

    tokens   that the model read
    seconds  on the wall clock, loading the model included
    """

    tokens: int
    seconds: float

    @property
    def tokens_per_second(self) -> float | None:
        """The measured rate; None where too little was embedded to measure one."""
        return self.tokens / self.seconds if self.tokens and self.seconds >= MEASURABLE_S else None


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What has to be embedded before a corpus can be cut, such as its sentences.

    characters, tokens  int64 (parts,), of each part; tokens of the model before truncation
    """

    characters: IntArray
    tokens: IntArray


@dataclass(frozen=True, slots=True)
class IndexBill:
    """Counts of one configuration, whatever a cache held; tokens are the model's after its truncation.

    What is embedded only to cut by it is among the tokens, and not among the chunks.

    documents, chunks, tokens            of the corpus
    document_chunks, document_tokens     to embed again when a document changes, mean over the documents
    character_chunks, character_tokens   to embed again when a character changes, mean over the characters
    tokens_per_second                    measured in the sweep that the configuration ran in; None where it embedded too
                                         little, since the cache held the rest or the corpus is small
    """

    documents: int
    chunks: int
    tokens: int
    document_chunks: float
    document_tokens: float
    character_chunks: float
    character_tokens: float
    tokens_per_second: float | None = None

    def seconds(self, tokens: float) -> float | None:
        """How long it takes to embed so many tokens at the measured rate."""
        return None if self.tokens_per_second is None else tokens / self.tokens_per_second


def index_bill(
    documents: int,
    chunks: Chunks,
    model_tokens: IntArray,
    window: int | None,
    embedded: Embedded,
    *,
    parts: Parts | None = None,
) -> IndexBill:
    """The bill of an index of at least one chunk.

    documents     in the corpus, at least one; those without a chunk count in the mean
    model_tokens  int64 (chunks,), tokens of the model for each embedded text before truncation
    window        most tokens it reads; None: no limit
    embedded      by the sweep, with this configuration's model
    parts         what was embedded to cut by it; None: nothing
    """
    lengths, covered = chunks.end - chunks.start, covered_characters(chunks)
    texts, every = lengths, model_tokens
    if parts is not None:
        texts, every = np.concatenate([lengths, parts.characters]), np.concatenate([model_tokens, parts.tokens])
    read = every if window is None else np.minimum(every, window)
    tokens = int(read.sum())
    return IndexBill(
        documents=documents,
        chunks=len(chunks),
        tokens=tokens,
        document_chunks=len(chunks) / documents,
        document_tokens=tokens / documents,
        character_chunks=int(lengths.sum()) / covered,
        character_tokens=int(texts @ read) / covered,
        tokens_per_second=embedded.tokens_per_second,
    )


def bill_json(bill: IndexBill) -> str:
    """The bill as a run keeps it."""
    return json.dumps(asdict(bill), indent=2, allow_nan=False)


def read_bill(text: str) -> IndexBill:
    """What bill_json wrote."""
    return IndexBill(**json.loads(text))
