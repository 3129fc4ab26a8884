"""Late chunking: the model reads the document, and a chunk's vector is the mean of its tokens' vectors in there.

Günther et al., "Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models", 2024
(https://arxiv.org/abs/2409.04701). "It is led by ..." is then embedded by a model that has read who "it" is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunksweep.embedders.base import InContext, Reading, Role
from chunksweep.embedders.local_model import LocalModel
from chunksweep.embedders.minilm import model_folder
from chunksweep.embedders.model_files import ModelFiles, find_model
from chunksweep.embedders.sentence_transformers import SentenceTransformerEngine
from chunksweep.embedders.vectors import quoted, require_usable, shortened
from chunksweep.errors import EmbeddingError
from chunksweep.records import Span, Vectors

# A context that is cut out of its document may have some tokens more than it has there.
SPARE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class LateChunking(LocalModel):
    """A model of sentence-transformers that reads chunks in their documents; options as of LocalModel.

    model  None: the bundled all-MiniLM-L6-v2

    A document that fits the window is read at once. Of a longer one as many chunks in a row are read together as fit,
    from the first one on; a chunk that alone does not fit is read alone and cut, as by any model. Special tokens and
    prompt are read and not pooled. Questions, and the sentences that dilution looks at, are embedded as by LocalModel.

    Only models whose vector is the mean of their tokens' are taken: of others, token vectors are none of a text.
    """

    def __post_init__(self) -> None:
        self._settle()

    def _named(self) -> str:
        return f"late:{LocalModel._named(self)}"

    def in_context(self, text: str, spans: Sequence[Span]) -> list[InContext]:
        """The chunks of a document with what the model reads around them, in the order given."""
        found: list[InContext] = []
        for group in self._groups(text, spans):
            first = group[0].start
            context = text[first : max(span.end for span in group)]
            sha256 = hashlib.sha256(context.encode("utf-8", "surrogatepass")).hexdigest()
            found += [InContext(context, sha256, Span(span.start - first, span.end - first)) for span in group]
        return found

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:
        """Of a chunk in its context its own tokens; of other texts what the model reads of them."""
        alone = [text.chunk if isinstance(text, InContext) else text for text in texts]
        reading = LocalModel.read(self, alone, role)
        digests = [
            str(text) if isinstance(text, InContext) else digest
            for text, digest in zip(texts, reading.digests, strict=True)
        ]
        return Reading(reading.tokens, digests)

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, float32 (n, dimension)."""
        contexts: dict[str, dict[int, InContext]] = {}
        others: dict[int, str] = {}
        for row, text in enumerate(texts):
            if isinstance(text, InContext):
                contexts.setdefault(text.context, {})[row] = text
            else:
                others[row] = text
        plain = LocalModel.embed(self, list(others.values()), role, progress)
        vectors = dict(zip(others, plain, strict=True))
        for context, chunks in contexts.items():
            vectors |= zip(chunks, self._pooled(context, list(chunks.values()), role), strict=True)
            if progress is not None:
                progress(len(chunks))
        return np.stack([vectors[row] for row in range(len(texts))]) if texts else plain

    def _pooled(self, context: str, chunks: Sequence[InContext], role: Role) -> Vectors:
        """The vectors of chunks of one context, which the model reads once."""
        states, places = self._pooling_engine.token_vectors(context, self._prompt(role))
        sums = np.zeros((len(chunks), states.shape[1]), dtype=np.float64)
        for row, chunk in enumerate(chunks):
            within = (places[:, 0] < chunk.span.end) & (places[:, 1] > chunk.span.start)
            sums[row] = states[within].sum(axis=0, dtype=np.float64)
        named = [quoted(chunk.chunk) for chunk in chunks]
        require_usable(sums.astype(np.float32), None, named.__getitem__)
        units = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        return units if self.dimension is None else shortened(units, self.dimension, named.__getitem__)

    def _groups(self, text: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
        """Consecutive chunks that the window holds together."""
        window = self.window
        if window is None:
            yield from [list(spans)] if spans else []
            return
        whole = self._engine.reader.without_window()
        room = window - int(whole.read([""], self._prompt("passage")).tokens[0]) - SPARE_TOKENS
        places = whole.places(text)
        starts = places[places[:, 1] > places[:, 0], 0]
        group: list[Span] = []
        for span in spans:
            end = max(span.end, group[-1].end) if group else span.end
            needed = np.searchsorted(starts, end) - np.searchsorted(starts, group[0].start if group else span.start)
            if group and needed > room:
                yield group
                group = []
            group.append(span)
        if group:
            yield group

    @property
    def _pooling_engine(self) -> SentenceTransformerEngine:
        files = self._files
        if (
            files.kinds[:2] != ("Transformer", "Pooling")
            or set(files.kinds[2:]) - {"Normalize"}
            or not files.takes_mean
        ):
            raise EmbeddingError(
                f"{files.folder} does not take the mean of its tokens' vectors, so that they are no vectors of parts "
                "of a text: late chunking needs a model that does. Give another with embedder.model=NAME_OR_FOLDER."
            )
        return self._engine

    @property
    def _files(self) -> ModelFiles:
        return ModelFiles(find_model(self.model, self.revision) if self.model else model_folder())
