"""What is handed on for hits: text, spans, and no passage twice."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.records import Chunks, Corpus, Document, Passage, Prefix, Section, Span
from chunksweep.retrieval import ChunkPassages, passages_of

TEXT = "# S\nsame passage"
SECTION = Section(Span(0, 16), Span(4, 16), "S", 1, ("S",))
CORPUS = Corpus(tuple(Document(name, TEXT, "S", (SECTION,)) for name in ("x.md", "y.md")))
CHUNKS = Chunks(np.array([0, 0, 1]), np.array([3, 8, 4]), np.array([8, 16, 16]))
HEADING = Prefix("S", (Span(0, 3),))


def test_a_passage_is_the_chunk_as_it_stands():
    assert ChunkPassages(CORPUS, CHUNKS).passage(0, 0.5) == Passage("x.md", "\nsame", (Span(3, 8),), ("S",), 0.5)


@pytest.mark.parametrize(
    ("prefix", "text", "spans"),
    [
        pytest.param(HEADING, "S: same passage", (Span(4, 16), Span(0, 3)), id="heading"),
        pytest.param(Prefix("file", ()), "file: same passage", (Span(4, 16),), id="words without a source"),
        pytest.param(None, "same passage", (Span(4, 16),), id="no prefix for this chunk"),
    ],
)
def test_a_prefix_that_is_sent_brings_its_source(prefix, text, spans):
    passage = ChunkPassages(CORPUS, CHUNKS, (None, None, prefix), ": ").passage(2, 1.0)
    assert (passage.text, passage.spans) == (text, spans)


@pytest.mark.parametrize(
    ("prefixes", "text", "spans"),
    [
        pytest.param(None, "a | b\nsame passage", (Span(4, 16), Span(0, 3)), id="always sent"),
        pytest.param(
            [None, None, Prefix("S", (Span(0, 1),))],
            "S: a | b\nsame passage",
            (Span(4, 16), Span(0, 1), Span(0, 3)),
            id="after a prefix",
        ),
    ],
)
def test_what_a_strategy_added_is_sent_with_its_source(prefixes, text, spans):
    header = Prefix("a | b\n", (Span(0, 3),))
    chunks = Chunks(CHUNKS.document, CHUNKS.start, CHUNKS.end, (None, None, header))
    passage = ChunkPassages(CORPUS, chunks, prefixes, ": ").passage(2, 1.0)
    assert (passage.text, passage.spans) == (text, spans)
    assert ChunkPassages(CORPUS, chunks).passage(0, 1.0) == ChunkPassages(CORPUS, CHUNKS).passage(0, 1.0)


def test_a_chunk_outside_every_section_has_an_empty_path():
    corpus = Corpus((Document("a.txt", "words", "a", ()),))
    chunks = Chunks(np.array([0]), np.array([0]), np.array([5]))
    assert ChunkPassages(corpus, chunks).passage(0, 1.0).section_path == ()


def test_equal_text_of_two_documents_stays_two_passages():
    chunks = Chunks(np.array([0, 1]), np.array([4, 4]), np.array([16, 16]))
    found = passages_of([1, 0], [0.9, 0.9], ChunkPassages(CORPUS, chunks).passage, 5)
    assert [passage.document_id for passage in found] == ["y.md", "x.md"]
    assert len({passage.text for passage in found}) == 1


def parent_of(row, score):
    """Rows 0 to 9 are children of a first parent, 10 and 11 of a second and third."""
    parent = max(0, row - 9)
    return Passage("d", f"P{parent + 1}", (Span(10 * parent, 10 * parent + 10),), (), score)


@pytest.mark.parametrize(
    ("hits", "limit", "delivered"),
    [
        pytest.param([3, 1, 2, 0, 4, 5, 10, 6, 11, 7], 3, ["P1", "P2", "P3"], id="places are filled from further hits"),
        pytest.param([10, 1, 2, 3], 3, ["P2", "P1"], id="all there are"),
        pytest.param([11, 10, 0], 2, ["P3", "P2"], id="no more than asked"),
        pytest.param([], 3, [], id="no hits"),
    ],
)
def test_hits_of_one_parent_take_one_place(hits, limit, delivered):
    scores = [1 - place / 100 for place in range(len(hits))]
    found = passages_of(hits, scores, parent_of, limit)
    assert [passage.text for passage in found] == delivered
    # The score and the place are those of the best child.
    first = {passage.text: scores[[parent_of(hit, 0).text for hit in hits].index(passage.text)] for passage in found}
    assert {passage.text: passage.score for passage in found} == first
