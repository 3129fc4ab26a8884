"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from chunksweep.records import IntArray, Span, Vectors

Role = Literal["passage", "question"]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a model reads of some texts.

    tokens   int64 (n,), tokens of each text before truncation, prompt and special tokens included
    digests  one a text: equal where the model reads the same and so gives the same vector, as of two texts that
             differ only in case, or beyond its window
    """

    tokens: IntArray
    digests: Sequence[Hashable]


class Embedder(Protocol):
    """An embedding model behind one engine.

    Nothing heavy is imported or loaded before `embed` is called with a text.
    """

    @property
    def fingerprint(self) -> str:
        """Everything that changes a vector beside role and text: weights, revision, engine, precision, prompts,
        normalisation, dimension.
        """
        ...

    @property
    def model_sha256(self) -> str:
        """sha256 of the weights, for the record of a run."""
        ...

    @property
    def dimension(self) -> int | None:
        """Length of a vector; None where only its first vector tells."""
        ...

    @property
    def window(self) -> int | None:
        """Most tokens the model reads of a text, its special tokens included; None: no limit."""
        ...

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:
        """Tokens of the model for each text before truncation, prompt and special tokens included; int64 (n,)."""
        ...

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:
        """What the model reads of each text, in the order given."""
        ...

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """One vector a text, float32 (n, dimension), in the order given.

        progress  called with the number of texts done since it was called last

        Raises EmbeddingError when a vector is not finite or is zero.
        """
        ...


@runtime_checkable
class BatchEmbedder(Protocol):
    """An embedder whose batches are worth keeping one by one, since each is paid for or may be the last."""

    def embed_batches(self, texts: Sequence[str], role: Role) -> Iterator[tuple[Sequence[int], Vectors]]:
        """Rows of the texts and their vectors, float32 (rows, dimension), batch by batch as they are done.

        Raises EmbeddingError after the last batch that was done, where not all could be.
        """
        ...


class InContext(str):
    """A chunk as a model reads it that sees the text around it: [start, end) of `context`, in characters.

    As a string it names the chunk and all of its context, which chunks share: what embeds, deduplicates and keeps
    texts takes it for one.
    """

    context: str
    span: Span

    def __new__(cls, context: str, context_sha256: str, span: Span) -> InContext:
        """A chunk of a context whose sha256, in hexadecimal, is given since many chunks share it."""
        # No document begins with this character, so no text is taken for a chunk in its context.
        made = super().__new__(cls, f"\0{context_sha256}:{span.start}:{span.end}")
        made.context, made.span = context, span
        return made

    @property
    def chunk(self) -> str:
        """The text of the chunk alone."""
        return self.context[self.span.start : self.span.end]


@runtime_checkable
class ContextEmbedder(Protocol):
    """An embedder that reads chunks in their documents."""

    def in_context(self, text: str, spans: Sequence[Span]) -> list[InContext]:
        """What is to be embedded in place of the chunks of a document, in their order.

        spans  by start
        """
        ...
