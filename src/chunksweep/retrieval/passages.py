"""What is handed to the language model for a hit.

Hits become passages through a function from (row of a chunk, score) to a Passage. `ChunkPassages.passage` hands on the
chunk itself; an expansion to its window, section or document is another such function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunksweep.prefix import embedded_text
from chunksweep.records import Chunks, Corpus, Document, Passage, Prefix, Span


@dataclass(frozen=True, slots=True, eq=False)
class ChunkPassages:
    """Hands on each hit as it stands: its chunk with what was added to it, after its prefix where prefixes are sent.

    prefixes   one a chunk, None where a chunk has none; None as a whole: prefixes are not sent
    separator  stands between a prefix and the text
    """

    corpus: Corpus
    chunks: Chunks
    prefixes: Sequence[Prefix | None] | None = None
    separator: str = ""

    def passage(self, row: int, score: float) -> Passage:
        """The passage of a chunk. Its first span is the chunk, the others are what stands before it was copied from."""
        document = self.corpus.documents[int(self.chunks.document[row])]
        span = Span(int(self.chunks.start[row]), int(self.chunks.end[row]))
        prefix = self.prefixes[row] if self.prefixes else None
        added = self.chunks.added_to(row)
        text = f"{added.text if added else ''}{document.text[span.start : span.end]}"
        return Passage(
            document_id=document.id,
            text=embedded_text(prefix, self.separator, text),
            spans=(span, *(source for before in (prefix, added) if before for source in before.sources)),
            section_path=_section_path(document, span),
            score=score,
        )


def passages_of(
    rows: Sequence[int], scores: Sequence[float], hand_on: Callable[[int, float], Passage], limit: int
) -> tuple[Passage, ...]:
    """The first `limit` different passages of a question's hits, in order; fewer where the hits give no more.

    rows, scores  the hits, best first
    hand_on       makes the passage of a hit

    A passage with the document and spans of an earlier one is left out and its place filled from further hits. The
    same words elsewhere are another passage.
    """
    passages: list[Passage] = []
    seen: set[tuple[str, tuple[Span, ...]]] = set()
    for row, score in zip(rows, scores, strict=True):
        if len(passages) == limit:
            break
        passage = hand_on(row, score)
        source = (passage.document_id, passage.spans)
        if source not in seen:
            seen.add(source)
            passages.append(passage)
    return tuple(passages)


def _section_path(document: Document, span: Span) -> tuple[str, ...]:
    """The path of the section in which the chunk's first non-blank character lies."""
    text = document.text[span.start : span.end]
    section = document.section_at(span.start + len(text) - len(text.lstrip()))
    return section.path if section else ()
