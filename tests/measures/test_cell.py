"""All measures of a cell: one worked out by hand, and what holds for every cell."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.builders import (
    LENGTH,
    Words,
    chunks,
    corpus,
    document,
    fact,
    place,
    question,
    some_chunks,
)

from chunksweep.measures import CellInput, evaluate
from chunksweep.measures.outcomes import OUTCOMES
from chunksweep.records import Corpus, Prefix, Ranking, Section, Span

#        0        9         19
TEXT = "red fox. blue owl. tan bee."
FOX, BEE = fact(("a", 4, 7)), fact(("a", 23, 26))
QUESTIONS = (
    question(FOX),
    question(FOX, BEE),
    question(fact(("a", 4, 13)), section="owls", section_spans=[place("a", 9, 18)]),
)


def ranking(*rows):
    order = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    return Ranking(order, np.linspace(1, 0, order.size).reshape(order.shape))


CELL = CellInput(
    corpus=corpus(a=TEXT),
    questions=QUESTIONS,
    chunks=chunks((0, 0, 8), (0, 9, 18), (0, 19, 27)),
    prefixes=None,
    separator="",
    send_prefix=False,
    ranking=ranking([1, 0, 2], [0, 2, 1], [1, 0, 2]),
    send=2,
    k=(1, 3),
    tokenizer=Words(),
    chunk_tokens=np.array([2, 2, 2]),
    model_tokens=np.array([4, 5, 300]),
    window=256,
    dimension=2,
    embedding_price=1.0,
    input_price=3.0,
)


def test_every_metric_worked_out_by_hand():
    second = 1 / math.log2(3)  # the gain of the second rank
    assert evaluate(CELL).metrics == pytest.approx(
        {
            "retrieval/answerable": 2 / 3,
            "retrieval/answerable_at_1": 0,
            "retrieval/answerable_at_3": 2 / 3,
            "retrieval/hit_at_1": 1 / 3,
            "retrieval/hit_at_3": 2 / 3,
            "retrieval/recall_at_1": (0 + 1 / 2 + 0) / 3,
            "retrieval/recall_at_3": 2 / 3,
            "retrieval/mrr": (1 / 2 + 1 + 0) / 3,
            "retrieval/ndcg_at_1": (0 + 1 / 2 + 0) / 3,
            "retrieval/ndcg_at_3": (second + (1 + second) / 2 + 0) / 3,
            "retrieval/ceiling": 2 / 3,
            "retrieval/chance_at_1": (1 / 3 + 0 + 0) / 3,
            "retrieval/chance_at_3": 2 / 3,
            "retrieval/section_at_1": 1,
            "retrieval/section_at_1_n": 1,
            "cost/sent_tokens": 4,
            "cost/sent_tokens_p95": 4,
            "cost/sent_tokens_at_1": 2,
            "cost/sent_tokens_at_3": 6,
            "cost/sent_chars": (17 + 16 + 17) / 3,
            "cost/sent_chars_p95": 17,
            "cost/repeated_tokens": 0,
            "cost/usd_per_1k_questions": 0.012,
            "cost/embedded_tokens": 4 + 5 + 256,
            "cost/embedding_usd": 265e-6,
            "cost/index_vectors": 3,
            "cost/index_mb": 24e-6,
            "chunks/count": 3,
            "chunks/mean_chars": 25 / 3,
            "chunks/mean_tokens": 2,
            "chunks/max_tokens": 2,
            "chunks/truncated": 1,
            "chunks/effective_overlap": 0,
            "chunks/cut_facts": 1,
        }
    )


def test_what_became_of_every_question():
    results = evaluate(CELL).questions
    assert [result.outcome for result in results] == ["not first", "not first", "cut"]
    assert [result.answer_rank for result in results] == [2, 2, None]
    assert [[passage.text for passage in result.passages] for result in results] == [
        ["blue owl.", "red fox."],
        ["red fox.", "tan bee."],
        ["blue owl.", "red fox."],
    ]
    assert results[0].passages[1].score == CELL.ranking.scores[0, 1]
    assert "retrieval/section_at_1" not in results[0].values


@pytest.mark.parametrize(
    ("send", "everything"),
    [pytest.param(2, False, id="some"), pytest.param(3, True, id="all"), pytest.param(9, True, id="more than all")],
)
def test_a_cell_that_sends_all_there_is_is_marked(send, everything):
    assert evaluate(replace(CELL, send=send)).everything_sent is everything


def test_without_prices_there_is_no_money():
    metrics = evaluate(replace(CELL, embedding_price=None, input_price=None)).metrics
    assert not [name for name in metrics if "usd" in name]


def test_without_a_named_section_the_measure_is_absent():
    cell = replace(CELL, questions=QUESTIONS[:2], ranking=ranking([1, 0, 2], [0, 2, 1]))
    assert not [name for name in evaluate(cell).metrics if "section" in name]


def test_where_nothing_was_retrieved_a_question_scores_0():
    cell = replace(
        CELL,
        chunks=chunks(),
        ranking=Ranking(np.empty((3, 0), dtype=np.int64), np.empty((3, 0))),
        chunk_tokens=np.array([], dtype=np.int64),
        model_tokens=np.array([], dtype=np.int64),
    )
    metrics = evaluate(cell).metrics
    for name in ("recall_at_3", "answerable", "hit_at_3", "mrr", "ceiling", "chance_at_3", "section_at_1"):
        assert metrics[f"retrieval/{name}"] == 0
    assert metrics["cost/sent_tokens"] == 0


def test_chance_is_absent_where_it_is_unknown_for_a_question():
    text = " ".join(f"w{row:02}" for row in range(20))
    spans = [(4 * row, 4 * row + 3) for row in range(20)]
    many = question(*(fact(("a", *span)) for span in spans))
    cell = replace(
        CELL,
        corpus=corpus(a=text),
        questions=(question(fact(("a", 0, 3))), many),
        chunks=chunks(*((0, *span) for span in spans)),
        ranking=ranking(range(20), range(20)),
        chunk_tokens=np.ones(20, dtype=np.int64),
        model_tokens=np.ones(20, dtype=np.int64),
    )
    result = evaluate(cell)
    assert not [name for name in result.metrics if "chance" in name]
    assert result.questions[0].values["retrieval/chance_at_1"] == 1 / 20
    assert result.metrics["retrieval/recall_at_3"] == pytest.approx((1 + 3 / 20) / 2)


def test_a_ranking_that_is_too_shallow_is_refused():
    with pytest.raises(ValueError, match="ranking"):
        replace(CELL, ranking=ranking([1, 0], [0, 2], [1, 0]))
    with pytest.raises(ValueError, match="ranking"):
        replace(CELL, ranking=ranking([1, 0, 2]))


HEADED = "# Foxes\nred and quick\nshy and small"
HEADED_CORPUS = Corpus((document("a", HEADED, [Section(Span(0, 35), Span(8, 35), "Foxes", 1, ("Foxes",))]),))
HEADING = Prefix("Foxes", (Span(0, 7),))


@pytest.mark.parametrize(
    ("send_prefix", "answerable", "tokens", "repeated", "cut"),
    [
        # "Foxes. red and quick" and "Foxes. shy and small": the second heading is repeated.
        pytest.param(True, 1.0, 8, 1, 0, id="sent: its words hold the fact"),
        pytest.param(False, 0.0, 6, 0, 1, id="only embedded"),
    ],
)
def test_a_prefix_counts_only_when_it_is_sent(send_prefix, answerable, tokens, repeated, cut):
    cell = replace(
        CELL,
        corpus=HEADED_CORPUS,
        questions=(question(fact(("a", 2, 7))),),
        chunks=chunks((0, 8, 21), (0, 22, 35)),
        prefixes=(HEADING, HEADING),
        separator=". ",
        send_prefix=send_prefix,
        ranking=ranking([0, 1]),
        chunk_tokens=np.array([3, 3]),
        model_tokens=np.array([6, 6]),
    )
    metrics = evaluate(cell).metrics
    for name in ("answerable", "answerable_at_1", "hit_at_1", "recall_at_1", "ceiling"):
        assert metrics[f"retrieval/{name}"] == answerable
    assert metrics["cost/sent_tokens"] == tokens
    assert metrics["cost/repeated_tokens"] == repeated
    assert metrics["chunks/cut_facts"] == cut


@st.composite
def some_cells(draw):
    """A random split of two documents, ranked in a random order for questions of one to three facts."""
    split = draw(some_chunks())
    rows = st.permutations(range(len(split)))
    starts = st.integers(0, LENGTH - 4)
    places = st.builds(lambda id, start, length: (id, start, start + length), st.sampled_from("ab"), starts, starts)
    places = places.filter(lambda where: where[1] < where[2] <= LENGTH)
    facts = st.lists(places, min_size=1, max_size=2).map(lambda found: fact(*found))
    asked = draw(st.lists(st.lists(facts, min_size=1, max_size=3).map(lambda found: question(*found)), min_size=1))
    words = "ab c " * (LENGTH // 5)
    return replace(
        CELL,
        corpus=corpus(a=words, b=words),
        questions=tuple(asked),
        chunks=split,
        ranking=Ranking(
            np.array([draw(rows) for _ in asked], dtype=np.int64).reshape(len(asked), len(split)),
            np.zeros((len(asked), len(split))),
        ),
        send=draw(st.integers(1, 12)),
        k=(1, 3, 5),
        chunk_tokens=np.ones(len(split), dtype=np.int64),
        model_tokens=np.ones(len(split), dtype=np.int64),
    )


@settings(deadline=None)
@given(some_cells())
def test_what_holds_for_every_cell(cell):
    result = evaluate(cell)
    metrics = result.metrics
    assert all(math.isfinite(value) for value in metrics.values())
    assert all(0 <= value <= 1 for name, value in metrics.items() if name.startswith("retrieval/"))
    assert metrics["retrieval/answerable"] <= metrics["retrieval/ceiling"]
    for k in cell.k:
        assert metrics[f"retrieval/answerable_at_{k}"] <= metrics[f"retrieval/recall_at_{k}"]
        assert metrics[f"retrieval/chance_at_{k}"] <= metrics["retrieval/ceiling"]
    assert metrics["cost/repeated_tokens"] <= metrics["cost/sent_tokens"]
    for name, mean in metrics.items():
        values = [one.values[name] for one in result.questions if name in one.values]
        assert not values or mean == pytest.approx(sum(values) / len(cell.questions))


@settings(deadline=None)
@given(some_cells())
def test_outcomes_add_up(cell):
    result = evaluate(cell)
    count = Counter(one.outcome for one in result.questions)
    total = len(cell.questions)
    assert set(count) <= set(OUTCOMES)
    assert count["answered"] == round(total * result.metrics["retrieval/answerable_at_1"])
    assert count["answered"] + count["not first"] == round(total * result.metrics["retrieval/answerable"])
    assert count["cut"] == round(total * (1 - result.metrics["retrieval/ceiling"]))


@settings(deadline=None)
@given(some_cells())
def test_answers_beside_a_comparison_of_characters(cell):
    for row, one in enumerate(evaluate(cell).questions):
        best = [list(cell.chunks.rows())[chunk] for chunk in cell.ranking.chunks[row].tolist()]
        answered = [
            rank
            for rank in range(1, min(len(best), cell.depth) + 1)
            if all(
                any(_lies_in(where, chunk) for where in f.places for chunk in best[:rank]) for f in one.question.facts
            )
        ]
        assert one.answer_rank == min(answered, default=None)
        assert one.values["retrieval/answerable"] == bool(answered and answered[0] <= cell.send)


def _lies_in(where, chunk):
    document, span = chunk
    characters = set(range(where.span.start, where.span.end))
    return where.document_id == "ab"[document] and characters <= set(range(span.start, span.end))
