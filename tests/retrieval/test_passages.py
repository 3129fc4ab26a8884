"""What is handed on for hits: text, spans, and no passage twice."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.records import Chunks, Corpus, Document, Passage, Prefix, Section, Span
from chunksweep.retrieval import PassageMaker, as_they_stand, first_of_each

TEXT = "# S\nsame passage"
SECTION = Section(Span(0, 16), Span(4, 16), "S", 1, ("S",))
CORPUS = Corpus(tuple(Document(name, TEXT, "S", (SECTION,)) for name in ("x.md", "y.md")))
CHUNKS = Chunks(np.array([0, 0, 1]), np.array([3, 8, 4]), np.array([8, 16, 16]))
HEADING = Prefix("S", (Span(0, 3),))


def test_a_passage_is_the_chunk_as_it_stands():
    assert PassageMaker(CORPUS, CHUNKS).passage(0, 0.5) == Passage("x.md", "\nsame", (Span(3, 8),), ("S",), 0.5)


@pytest.mark.parametrize(
    ("prefix", "text", "spans"),
    [
        pytest.param(HEADING, "S: same passage", (Span(4, 16), Span(0, 3)), id="heading"),
        pytest.param(Prefix("file", ()), "file: same passage", (Span(4, 16),), id="words without a source"),
        pytest.param(None, "same passage", (Span(4, 16),), id="no prefix for this chunk"),
    ],
)
def test_a_prefix_that_is_sent_brings_its_source(prefix, text, spans):
    passage = PassageMaker(CORPUS, CHUNKS, (None, None, prefix), ": ").passage(2, 1.0)
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
    passage = PassageMaker(CORPUS, chunks, prefixes, ": ").passage(2, 1.0)
    assert (passage.text, passage.spans) == (text, spans)
    assert PassageMaker(CORPUS, chunks).passage(0, 1.0) == PassageMaker(CORPUS, CHUNKS).passage(0, 1.0)


def test_a_chunk_outside_every_section_has_an_empty_path():
    corpus = Corpus((Document("a.txt", "words", "a", ()),))
    chunks = Chunks(np.array([0]), np.array([0]), np.array([5]))
    assert PassageMaker(corpus, chunks).passage(0, 1.0).section_path == ()


def test_equal_text_of_two_documents_stays_two_passages():
    chunks = Chunks(np.array([0, 1]), np.array([4, 4]), np.array([16, 16]))
    passages = as_they_stand(chunks)
    rows, _ = first_of_each(np.array([1, 0]), np.array([0.9, 0.9]), passages.of_chunk)
    found = [PassageMaker(CORPUS, passages.passages).passage(row, 0.9) for row in rows.tolist()]
    assert [passage.document_id for passage in found] == ["y.md", "x.md"]
    assert len({passage.text for passage in found}) == 1


def test_equal_chunks_of_a_document_are_one_passage():
    chunks = Chunks(np.array([0, 0, 0, 1]), np.array([3, 3, 8, 3]), np.array([8, 8, 16, 8]))
    passages = as_they_stand(chunks)
    assert [(document, span) for document, span in passages.passages.rows()] == [
        (0, Span(3, 8)),
        (0, Span(8, 16)),
        (1, Span(3, 8)),
    ]
    assert passages.of_chunk.tolist() == [0, 0, 1, 2]


# Rows 0 to 9 are children of a first parent, 10 and 11 of a second and third.
PARENT = np.array([0] * 10 + [1, 2])


@pytest.mark.parametrize(
    ("hits", "delivered"),
    [
        pytest.param([3, 1, 2, 0, 4, 5, 10, 6, 11, 7], {0: 3, 1: 10, 2: 11}, id="places are filled from further hits"),
        pytest.param([10, 1, 2, 3], {1: 10, 0: 1}, id="all there are"),
        pytest.param([11, 10, 0], {2: 11, 1: 10, 0: 0}, id="the best first"),
        pytest.param([], {}, id="no hits"),
    ],
)
def test_hits_of_one_parent_take_one_place(hits, delivered):
    scores = np.array([1 - hit / 100 for hit in hits])
    rows, of_rows = first_of_each(np.array(hits, dtype=np.int64), scores, PARENT)
    # The score and the place are those of the best child.
    assert dict(zip(rows.tolist(), of_rows.tolist(), strict=True)) == {
        parent: 1 - child / 100 for parent, child in delivered.items()
    }
    assert rows.tolist() == list(delivered)
