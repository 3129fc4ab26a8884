"""Dilution, with vectors that can be worked out by hand, and its runs of sentences beside a search through all runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import strategies
from tests.measures.builders import fact, question
from tests.measures.cells import CELL, ranking
from tests.sweep.carrying_out import carried_out
from tests.tiny_corpus import settings as cell_of

from chunksweep.chunkers import split_document
from chunksweep.chunkers.sentences import Sentences
from chunksweep.documents import markdown, plain
from chunksweep.measures import CellVectors, evaluate, run_texts
from chunksweep.measures.dilution import dilution
from chunksweep.records import Corpus, Fact, Place, Span

# Cosines with the question (1, 0): 1, 0.6, 0.8 and 0, whatever the lengths.
PASSAGES = np.array([[2, 0], [3, 4], [0.8, 0.6], [0, 5]], dtype=np.float32)
QUESTION = np.array([[3, 0]], dtype=np.float32)


def vectors(*runs):
    """Three chunks with the second to fourth text, and the rows of the runs."""
    return CellVectors(QUESTION, PASSAGES, np.array([1, 2, 3]), (runs,))


def rows(*holders):
    return [frozenset(chunks) for chunks in holders]


@pytest.mark.parametrize(
    ("runs", "holders", "value"),
    [
        pytest.param([0], [{0}], 1 - 0.6, id="one chunk"),
        pytest.param([0], [{0, 1, 2}], 1 - 0.8, id="the best chunk that holds it"),
        pytest.param([2], [{1}], 0.0, id="the chunk is the run"),
        pytest.param([1], [{1}], 0.6 - 0.8, id="below 0 where the company helps"),
        pytest.param([0, 1], [{0}, {2}], ((1 - 0.6) + (0.6 - 0)) / 2, id="mean over the facts"),
        pytest.param([0, 1], [{0}, set()], 1 - 0.6, id="a cut fact is left out"),
        pytest.param([0], [set()], None, id="undefined where no fact is held"),
    ],
)
def test_dilution_worked_out_by_hand(runs, holders, value):
    found = dilution(vectors(*runs), 0, rows(*holders))
    assert found == (None if value is None else pytest.approx(value, abs=1e-6))


def test_the_mean_is_over_the_questions_that_have_it():
    # As CELL: the first question's fact is in chunk 0, the second's in chunks 0 and 2, the third's is cut.
    given_vectors = CellVectors(np.repeat(QUESTION, 3, axis=0), PASSAGES, np.array([1, 2, 3]), (((0,), (0, 0), (0,))))
    metrics = evaluate(replace(CELL, vectors=given_vectors)).metrics
    assert metrics["retrieval/dilution"] == pytest.approx((0.4 + (0.4 + 1.0) / 2) / 2, abs=1e-6)
    assert metrics["retrieval/dilution_n"] == 2


def test_without_vectors_or_without_a_held_fact_it_is_absent():
    alone = replace(CELL, questions=CELL.questions[2:], ranking=ranking([1, 0, 2]))
    for cell in (CELL, replace(alone, vectors=vectors(0))):
        assert not [name for name in evaluate(cell).metrics if "dilution" in name]


def test_dilution_of_the_tiny_corpus(tiny, tmp_path):
    paragraphs, whole = cell_of(tiny), cell_of(tiny, chunker="whole")
    results = carried_out([paragraphs, whole], tmp_path)
    # By letters the questions are b 2; d 3; c 1, a 2. Paragraphs: the heading before the bees is b 1, other 1 more; the
    # other facts are alone in theirs. Whole documents: b 5, a 4, other 1, and c 3, d 4.
    bees = 1 - 5 / math.sqrt(26)
    assert results[paragraphs].metrics["retrieval/dilution"] == pytest.approx(bees / 3, abs=1e-6)
    both = (1 - 3 / 5) / math.sqrt(5), (2 - 8 / math.sqrt(42)) / math.sqrt(5)
    expected = ((1 - 5 / math.sqrt(42)) + (1 - 4 / 5) + sum(both) / 2) / 3
    assert results[whole].metrics["retrieval/dilution"] == pytest.approx(expected, abs=1e-6)
    assert results[whole].metrics["retrieval/dilution_n"] == 3
    # The sentences are no part of the index: whole documents have the 17 words of the corpus.
    assert results[whole].metrics["cost/embedded_tokens"] == 17
    assert results[whole].metrics["cost/index_vectors"] == 2


@settings(deadline=None)
@given(strategies.documents(), st.data())
def test_the_shortest_run_beside_all_runs(document, data):
    words = [position for position, letter in enumerate(document.text) if not letter.isspace()]
    if not words:
        return
    ends = st.tuples(st.sampled_from(words), st.sampled_from(words)).map(sorted)
    places = [Span(first, last + 1) for first, last in data.draw(st.lists(ends, min_size=1, max_size=2))]
    sentences = split_document(Sentences(size=1, within="document"), document, None)
    runs = [
        Span(one.start, other.end)
        for first, one in enumerate(sentences)
        for other in sentences[first:]
        if any(one.start <= where.start and where.end <= other.end for where in places)
    ]
    wanted = Fact("quote", tuple(Place(document.id, where) for where in places))
    ((found,),) = run_texts(Corpus((document,)), [question(wanted)])
    assert len(found) == min(map(len, runs))
    assert found in {document.text[run.start : run.end] for run in runs}


TEXT = "# Pods\n\nThe pod ends. Code 137 is memory; the kernel kills it. It starts again.\n"


@pytest.mark.parametrize(
    ("quote", "run"),
    [
        pytest.param("137", "Code 137 is memory; the kernel kills it.", id="one sentence"),
        pytest.param("ends. Code", "The pod ends. Code 137 is memory; the kernel kills it.", id="two sentences"),
        pytest.param("Pods", "# Pods", id="a heading line is a unit"),
    ],
)
def test_whole_sentences_around_a_fact(quote, run):
    document = markdown.read(TEXT, "a")
    start = TEXT.index(quote)
    asked = question(fact(("a", start, start + len(quote))))
    assert run_texts(Corpus((document,)), [asked, asked]) == ((run,), (run,))


def test_of_several_places_the_one_with_the_shortest_run():
    texts = {"a": "The long way to say that the key is under the mat.", "b": "So the key is here. Go."}
    documents = Corpus(tuple(plain.read(text, id) for id, text in texts.items()))
    places = fact(*((id, text.index("the key"), text.index("the key") + 7) for id, text in texts.items()))
    assert run_texts(documents, [question(places)]) == (("So the key is here.",),)
