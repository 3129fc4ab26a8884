"""All measures of a cell: one worked out by hand, and what holds for every cell."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from tests.measures.builders import chunks, corpus, document, fact, question
from tests.measures.cells import CELL, QUESTIONS, ranking, some_cells

from chunksweep.measures import evaluate
from chunksweep.measures.cell import PARTLY_DEFINED
from chunksweep.measures.outcomes import OUTCOMES
from chunksweep.records import Corpus, Prefix, Ranking, Section, Span


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
            # Six tokens in all: every budget takes everything.
            **{f"retrieval/answerable_in_{budget}_tokens": 2 / 3 for budget in (256, 512, 1024, 2048)},
            # Found of the facts' 3, 6 and 9 characters, and of how many retrieved: 0 of 9, 3 of 8, 4 of 9 by the best
            # chunk; 3, 6 and 8 of all 25 by three.
            "spans/recall_at_1": (0 + 3 / 6 + 4 / 9) / 3,
            "spans/recall_at_3": (3 / 3 + 6 / 6 + 8 / 9) / 3,
            "spans/precision_at_1": (0 + 3 / 8 + 4 / 9) / 3,
            "spans/precision_at_3": (3 / 25 + 6 / 25 + 8 / 25) / 3,
            "spans/iou_at_1": (0 + 3 / (8 + 6 - 3) + 4 / (9 + 9 - 4)) / 3,
            "spans/iou_at_3": (3 / 25 + 6 / 25 + 8 / (25 + 9 - 8)) / 3,
            # The chunks touched: the first; the first and the last; the first two.
            "spans/precision_omega": (3 / 8 + 6 / 16 + 8 / 17) / 3,
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
            "chunks/lost_chars": 0,
            "chunks/nested": 0,
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
        passage_tokens=np.array([], dtype=np.int64),
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
        passage_tokens=np.ones(20, dtype=np.int64),
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
        passage_tokens=np.array([4, 4]) if send_prefix else np.array([3, 3]),
        model_tokens=np.array([6, 6]),
    )
    metrics = evaluate(cell).metrics
    for name in ("answerable", "answerable_at_1", "hit_at_1", "recall_at_1", "ceiling"):
        assert metrics[f"retrieval/{name}"] == answerable
    assert metrics["cost/sent_tokens"] == tokens
    assert metrics["cost/repeated_tokens"] == repeated
    assert metrics["chunks/cut_facts"] == cut


@settings(deadline=None)
@given(some_cells())
def test_what_holds_for_every_cell(cell):
    result = evaluate(cell)
    metrics = result.metrics
    assert all(math.isfinite(value) for value in metrics.values())
    shares = {name: value for name, value in metrics.items() if name.startswith(("retrieval/", "spans/"))}
    assert all(0 <= value <= 1 for name, value in shares.items() if not name.endswith("_n"))
    assert metrics["retrieval/answerable"] <= metrics["retrieval/ceiling"]
    for k in cell.k:
        if cell.expanded is None:
            assert metrics[f"retrieval/answerable_at_{k}"] <= metrics[f"retrieval/recall_at_{k}"]
        assert metrics[f"retrieval/chance_at_{k}"] <= metrics["retrieval/ceiling"]
        assert metrics[f"spans/iou_at_{k}"] <= metrics[f"spans/recall_at_{k}"]
        assert metrics[f"spans/iou_at_{k}"] <= metrics[f"spans/precision_at_{k}"]
    assert metrics["cost/repeated_tokens"] <= metrics["cost/sent_tokens"]
    for name, mean in metrics.items():
        values = [one.values[name] for one in result.questions if name in one.values]
        over = len(values) if name in PARTLY_DEFINED else len(cell.questions)
        assert not values or mean == pytest.approx(sum(values) / over)
        if name in PARTLY_DEFINED:
            assert metrics[f"{name}_n"] == len(values)


@settings(deadline=None)
@given(some_cells())
def test_outcomes_add_up(cell):
    result = evaluate(cell)
    count = Counter(one.outcome for one in result.questions)
    names = ("answerable_at_1", "answerable", "ceiling")
    first, answerable, ceiling = (sum(one.values[f"retrieval/{name}"] for one in result.questions) for name in names)
    assert set(count) <= set(OUTCOMES)
    assert count.total() == len(cell.questions)
    # Where the best passage alone is over the budget it is not sent, and answers nothing.
    assert count["answered"] == first if cell.send else count["answered"] <= first
    assert count["answered"] + count["not first"] == answerable
    assert count["thin"] + count["not found"] == ceiling - answerable
    assert count["cut"] == len(cell.questions) - ceiling


@settings(deadline=None)
@given(some_cells())
def test_answers_beside_a_comparison_of_characters(cell):
    passages = passages_of(cell)
    for row, one in enumerate(evaluate(cell).questions):
        of_hits = cell.ranking.chunks[row]
        of_hits = list(dict.fromkeys((cell.expanded.of_chunk[of_hits] if cell.expanded else of_hits).tolist()))
        best = [passages[passage] for passage in of_hits]
        ranks = [first_with(best, lambda passage, f=f: holds(passage, f)) for f in one.question.facts]
        held = all(any(holds(passage, f) for passage in passages) for f in one.question.facts)
        alone = [all(holds(passage, f) for f in one.question.facts) for passage in passages]
        assert one.values["retrieval/chance_at_1"] == pytest.approx(sum(alone) / len(alone) if alone else 0)
        answer = max((rank or math.inf for rank in ranks), default=0)
        if one.answer_rank is None:  # what is not sent and beyond every cut-off is not looked at
            assert answer > max(sends(cell, of_hits), *cell.k)
        else:
            assert one.answer_rank == answer
        assert one.values["retrieval/answerable"] == (answer <= sends(cell, of_hits))
        assert one.values["retrieval/ceiling"] == held
        for budget in (256, 512, 1024, 2048):
            tokens = sum(cell.passage_tokens[of_hits][: answer if answer < math.inf else 0])
            fits = answer < math.inf and tokens <= budget
            assert one.values[f"retrieval/answerable_in_{budget}_tokens"] == fits
        assert one.outcome == became(one.question, answer, held, best[: sends(cell, of_hits)])
        assert [passage.spans[0].start for passage in one.passages] == [
            min(position for _, position in passage[0]) for passage in best[: sends(cell, of_hits)]
        ]


@settings(deadline=None)
@given(some_cells())
def test_ranks_beside_a_comparison_of_characters(cell):
    passages = sources_of(cell)
    for row, one in enumerate(evaluate(cell).questions):
        best = [passages[chunk] for chunk in cell.ranking.chunks[row].tolist()]
        ranks = [first_with(best, lambda passage, f=f: holds(passage, f)) for f in one.question.facts]
        for k in cell.k:
            found = [rank for rank in ranks if rank and rank <= k]
            assert one.values[f"retrieval/hit_at_{k}"] == bool(found)
            assert one.values[f"retrieval/recall_at_{k}"] == len(found) / len(ranks)
            gain = sum(1 / math.log2(1 + rank) for rank in found) / len(ranks)
            assert one.values[f"retrieval/ndcg_at_{k}"] == pytest.approx(gain)
        within = [rank for rank in ranks if rank and rank <= max(cell.k)]
        assert one.values["retrieval/mrr"] == (1 / min(within) if within else 0)


def sends(cell, passages):
    """How many of these passages are sent."""
    if cell.send is not None:
        return min(cell.send, len(passages))
    tokens = np.cumsum(cell.passage_tokens[passages]) if passages else np.array([])
    return int((tokens <= cell.send_tokens).sum())


def sources_of(cell):
    """Of each chunk the runs of characters that it takes its words from where it is sent as it stands."""
    return runs_of(cell.chunks, cell.prefixes if cell.send_prefix else None)


def passages_of(cell):
    """Of each passage the runs of characters that it takes its words from."""
    return runs_of(cell.expanded.passages, cell.passage_prefixes) if cell.expanded else sources_of(cell)


def runs_of(spans, sent):
    return [
        [
            {("ab"[document], position) for position in range(span.start, span.end)}
            for span in (chunk, *(sent[row].sources if sent and sent[row] else ()))
        ]
        for row, (document, chunk) in enumerate(spans.rows())
    ]


def characters(where):
    return {(where.document_id, position) for position in range(where.span.start, where.span.end)}


def holds(passage, wanted):
    return any(characters(where) <= run for where in wanted.places for run in passage)


def first_with(passages, condition):
    """The rank of the first passage of which the condition is true, None where it is of none."""
    return next((rank for rank, passage in enumerate(passages, 1) if condition(passage)), None)


def became(asked, answer, held, sent):
    """The outcome of a question."""
    if answer == 1 and sent:
        return "answered"
    if answer <= len(sent):
        return "not first"
    if not held:
        return "cut"
    near = [where for f in asked.facts for where in f.places] + list(asked.section_spans)
    touched = any(characters(where) & run for where in near for passage in sent for run in passage)
    return "thin" if touched else "not found"


@pytest.mark.parametrize(
    ("budget", "sent", "everything"),
    [
        pytest.param(1, [0, 0, 0], False, id="the best does not fit, and a smaller one is not taken for it"),
        pytest.param(2, [1, 1, 0], False, id="the best fits where it is small"),
        pytest.param(4, [1, 1, 1], False, id="the next does not fit"),
        pytest.param(5, [2, 2, 1], False, id="two fit, or the next does not"),
        pytest.param(8, [3, 3, 3], True, id="all there are"),
    ],
)
def test_a_budget_of_tokens_instead_of_a_number_of_passages(budget, sent, everything):
    # The chunks have 3, 2 and 3 tokens; their orders are 1 0 2, 1 2 0 and 0 2 1.
    cell = replace(
        CELL,
        send=None,
        send_tokens=budget,
        passage_tokens=np.array([3, 2, 3]),
        ranking=ranking([1, 0, 2], [1, 2, 0], [0, 2, 1]),
    )
    result = evaluate(cell)
    assert [len(question.passages) for question in result.questions] == sent
    assert result.everything_sent is everything


def test_near_duplicates_leave_their_place_to_further_hits():
    text = "red fox ran home. red fox ran off. a blue owl sat. "
    cell = replace(
        CELL,
        corpus=corpus(a=text),
        questions=(question(fact(("a", 37, 41))),),
        chunks=chunks((0, 0, 17), (0, 18, 34), (0, 35, 50)),
        ranking=ranking([0, 1, 2]),
        send=2,
    )
    # "red fox ran", "fox ran home" and "red fox ran", "fox ran off": one of three runs of words is common.
    near, other = (evaluate(replace(cell, dedupe=threshold)) for threshold in (1 / 3, 0.34))
    assert [passage.text for passage in near.questions[0].passages] == ["red fox ran home.", "a blue owl sat."]
    assert near.metrics["retrieval/answerable"] == 1
    assert [passage.text for passage in other.questions[0].passages] == ["red fox ran home.", "red fox ran off."]
    assert other.metrics["retrieval/answerable"] == 0
    assert other.metrics == evaluate(cell).metrics
    # What looks at the chunks, and at all that could be sent, sees no difference.
    for name in ("retrieval/recall_at_3", "retrieval/mrr", "retrieval/ceiling", "retrieval/chance_at_1"):
        assert near.metrics[name] == other.metrics[name]


def test_a_cell_sends_passages_or_tokens():
    for both_or_none in ({"send_tokens": 5}, {"send": None}):
        with pytest.raises(ValueError, match="one of the two"):
            replace(CELL, **both_or_none)
