"""A grid carried out: scores worked out by hand, failures kept apart, the same for any number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from joblib import Parallel, delayed
from tests.sweep.carrying_out import Watcher, carried_out, grid, planned, untimed
from tests.tiny_corpus import UNITS, settings, tree

from chunksweep import chunkers, rules
from chunksweep.chunkers import find
from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.errors import ConfigError, QuestionsError
from chunksweep.records import CellResult
from chunksweep.sweep.execute import Execution
from chunksweep.sweep.worker import Failure, run_ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Boom(Chunker):
    """Fails on the cats."""

    def sizing(self) -> Sizing | None:
        return None

    def split(self, document, ruler) -> Iterator:
        if document.id == "cats.txt":
            raise RuntimeError(f"no way to cut {document.id}")
        yield from ()


def scores(outcome, *names):
    assert isinstance(outcome, CellResult)
    return [outcome.metrics[name] for name in names]


def test_paragraphs_of_the_tiny_corpus(tiny, tmp_path):
    cell = settings(tiny, send=2)
    result = carried_out([cell], tmp_path)[cell]
    # Two questions are answered by their best passage; the third has its facts in its best two.
    assert scores(result, "retrieval/answerable_at_1", "retrieval/answerable", "retrieval/ceiling") == [2 / 3, 1, 1]
    assert scores(result, "retrieval/recall_at_1", "retrieval/recall_at_3", "retrieval/mrr") == pytest.approx(
        [(1 + 1 + 1 / 2) / 3, 1, 1]
    )
    assert not result.everything_sent
    assert [question.answer_rank for question in result.questions] == [1, 1, 2]
    # b 2 with b 5, other 1; d 3 with d 4; c 1, a 2 with a 4 and with c 3. What has nothing in common ties at 0, and
    # the corpus's order decides.
    best = [(0, 5 / math.sqrt(26)), (1, 0)], [(3, 1), (0, 0)], [(1, 2 / math.sqrt(5)), (2, 1 / math.sqrt(5))]
    for question, expected in zip(result.questions, best, strict=True):
        assert [passage.text for passage in question.passages] == [UNITS[unit] for unit, _ in expected]
        assert [passage.score for passage in question.passages] == pytest.approx(
            [score for _, score in expected], abs=1e-6
        )
    sent = [len(UNITS[0]) + len(UNITS[1]), len(UNITS[3]) + len(UNITS[0]), len(UNITS[1]) + len(UNITS[2])]
    assert scores(result, "cost/sent_chars", "chunks/count") == [sum(sent) / 3, 4]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sentences_of_the_tiny_corpus_apart_by_their_vectors(tiny, tmp_path, n_jobs):
    apart = {"chunker": "semantic", "chunker__threshold": "absolute"}
    cells = [settings(tiny), settings(tiny, **apart), settings(tiny, **apart, size=10)]
    results = carried_out(cells, tmp_path, n_jobs)
    names = ("retrieval/answerable", "retrieval/mrr", "chunks/count", "cost/index_vectors")
    # In each document two sentences without a common initial: the chunks are those of the paragraphs.
    assert scores(results[cells[1]], *names) == scores(results[cells[0]], *names)
    # Each of the 17 words is read twice: in its sentence, to cut by, and in its chunk.
    assert [scores(results[cell], "cost/embedded_tokens")[0] for cell in cells[:2]] == [17, 34]
    assert scores(results[cells[2]], "chunks/count") != scores(results[cells[1]], "chunks/count")


def test_a_strategy_that_cannot_find_what_it_compares_fails_its_cells_alone(tiny, tmp_path, monkeypatch):
    def reads(self, document):
        raise RuntimeError("no sentences")

    monkeypatch.setattr(find("semantic"), "reads", reads)
    cells = [settings(tiny), settings(tiny, chunker="semantic"), settings(tiny, chunker="semantic", size=10)]
    results = carried_out(cells, tmp_path)
    assert [isinstance(results[cell], Failure) for cell in cells] == [False, True, True]
    assert results[cells[1]].reason == "RuntimeError: no sentences"


def test_whole_documents_of_the_tiny_corpus(tiny, tmp_path):
    one, two = (settings(tiny, chunker="whole", send=send) for send in (1, 2))
    results = carried_out([one, two], tmp_path)
    assert scores(results[one], "retrieval/answerable", "retrieval/ceiling") == [2 / 3, 1]
    assert scores(results[two], "retrieval/answerable") == [1]
    assert [results[cell].everything_sent for cell in (one, two)] == [False, True]


def many_cells(folder):
    return [
        settings(folder, chunker=chunker, prefix=prefix, send=send, k=k)
        for chunker in ("whole", "paragraphs", "sentences", "headings")
        for prefix in ("none", "title")
        for send, k in ((1, [1, 3]), (2, [1, 3, 10]))
    ]


def test_results_do_not_depend_on_the_number_of_processes(tiny, tmp_path):
    cells = many_cells(tiny)
    alone, shared = (carried_out(cells, tmp_path, n_jobs) for n_jobs in (1, 2))
    assert set(alone) == set(shared) == set(cells)
    assert [untimed(alone[cell]) for cell in cells] == [untimed(shared[cell]) for cell in cells]


def test_a_run_equals_the_same_cell_in_a_sweep(tiny, tmp_path):
    cells = many_cells(tiny)
    together = carried_out(cells, tmp_path)
    for cell in cells:
        assert untimed(carried_out([cell], tmp_path)[cell]) == untimed(together[cell])


def test_every_stage_is_timed(tiny, tmp_path):
    (result,) = carried_out([settings(tiny)], tmp_path).values()
    assert all(seconds >= 0 for seconds in scores(result, "time/split_s", "time/rank_s", "time/measure_s"))


def test_a_failing_strategy_is_its_cells_result_and_the_others_go_on(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(chunkers._built_in(), "boom", Boom)
    booms = [settings(tiny, chunker="boom", send=send) for send in (1, 2)]
    good = settings(tiny)
    outcomes = carried_out([booms[0], good, booms[1]], tmp_path)
    for boom in booms:
        assert isinstance(outcomes[boom], Failure)
        assert outcomes[boom].reason == "RuntimeError: no way to cut cats.txt"
        assert "in split\n" in outcomes[boom].trace
    assert untimed(outcomes[good]) == untimed(carried_out([good], tmp_path)[good])


def test_a_failing_strategy_leaves_its_texts_out_of_the_plan(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(chunkers._built_in(), "boom", Boom)
    counts = planned([settings(tiny, chunker="boom"), settings(tiny)], tmp_path).counts()
    assert (counts["texts"], counts["distinct_texts"]) == (3 + 4 + 3, 4 + 1 + 3)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_the_user_can_mend_needs_no_trace(tmp_path, n_jobs):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "only.md").write_text("# Bees buzz\n\n## Ants amble\n", encoding="utf-8")
    (tmp_path / "q.csv").write_text("question,fact\nBees?,Bees buzz\n", encoding="utf-8")
    own = {"name": "own", "path": str(tmp_path / "docs"), "questions": str(tmp_path / "q.csv")}
    cells = [
        rules.from_tree(tree({"corpus": own, "chunker": chunker, "cache.dir": str(tmp_path / "cache")}))
        for chunker in ("headings", "whole", "paragraphs")
    ]
    outcomes = carried_out(cells, tmp_path, n_jobs)
    assert isinstance(outcomes[cells[0]], Failure)
    assert outcomes[cells[0]].reason.startswith("chunker=headings leaves no chunk of 1 documents")
    assert outcomes[cells[0]].trace == ""
    assert all(isinstance(outcomes[cell], CellResult) for cell in cells[1:])


def test_progress_reaches_the_end_of_every_step(tiny, tmp_path):
    watcher = Watcher()
    carried_out([settings(tiny, send=1), settings(tiny, send=2), settings(tiny, chunker="whole")], tmp_path, 1, watcher)
    # Two ways to split; four units, two documents, a sentence that is neither, and three questions; three cells.
    assert watcher.steps == [("splitting", 2), ("embedding", 10), ("measuring", 3)]
    assert watcher.done == [2, 10, 3]


def ranking_tasks(cells, folder):
    execution = Execution(grid(cells), 1, Watcher(), folder)
    execution.read()
    return execution.tasks(execution.plan())


def test_cells_that_share_a_ranking_are_one_task(tiny, tmp_path):
    cells = [settings(tiny, send=send, prefix=prefix) for send in (1, 2) for prefix in ("none", "title")]
    assert [task.cells for task in ranking_tasks(cells, tmp_path)] == [(cells[0], cells[2]), (cells[1], cells[3])]


def test_a_ranking_that_fails_fails_all_its_cells(tiny, tmp_path):
    (task,) = ranking_tasks([settings(tiny, send=1), settings(tiny, send=2)], tmp_path)
    blank = tmp_path / "zeros.npy"
    np.save(blank, np.zeros((4, 27), dtype=np.float32))
    outcomes = run_ranking(replace(task, vectors=replace(task.vectors, passages=blank)))
    assert [cell for cell, _ in outcomes] == list(task.cells)
    assert all(isinstance(failure, Failure) and "passage text 1 of 4" in failure.reason for _, failure in outcomes)


def test_a_measure_that_fails_fails_its_cell_alone(tiny, tmp_path):
    one, two = settings(tiny), settings(tiny, tokenizer="cl100k")
    (task,) = ranking_tasks([one, two], tmp_path)
    uncounted = replace(
        task.split,
        passage_tokens={key: of for key, of in task.split.passage_tokens.items() if key[1][0] == one.tokenizer},
    )
    outcomes = dict(run_ranking(replace(task, split=uncounted)))
    assert isinstance(outcomes[one], CellResult)
    assert isinstance(outcomes[two], Failure)
    assert outcomes[two].reason.startswith("KeyError")
    assert "in passage_tokens\n" in outcomes[two].trace


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        pytest.param({"tokenizer": "embedder"}, ConfigError, "has no tokenizer", id="tokenizer"),
        pytest.param(
            {"chunker": "fixed", "chunker.unit": "tokens", "chunker.tokenizer": "embedder"},
            ConfigError,
            "has no tokenizer",
            id="tokenizer of the size",
        ),
        pytest.param({"corpus.questions": None}, QuestionsError, "comes without questions", id="questions"),
    ],
)
def test_wrong_inputs_are_found_before_anything_is_done(tiny, tmp_path, changes, error, words):
    watcher = Watcher()
    execution = Execution(grid([rules.from_tree(tree(changes, tiny))]), 1, watcher, tmp_path)
    with pytest.raises(error, match=words):
        execution.read()
    assert watcher.steps == []


def test_worker_processes_load_nothing_heavy(tiny, tmp_path):
    carried_out(many_cells(tiny), tmp_path, n_jobs=2)
    loaded = Parallel(n_jobs=2)(delayed(eval)("sorted(__import__('sys').modules)") for _ in range(8))
    assert any("chunksweep.sweep.worker" in modules for modules in loaded)
    heavy = {"hydra", "omegaconf", "mlflow", "torch", "transformers", "sentence_transformers"}
    assert [heavy & set(modules) for modules in loaded] == [set()] * 8


def test_the_same_questions_serve_every_way_to_split(tmp_path):
    text = "a" * 91 + " the key is under the mat " + "b" * 90
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "key.txt").write_text(text, encoding="utf-8")
    (tmp_path / "q.csv").write_text("question,fact\nWhere is the key?,the key is under the mat\n", encoding="utf-8")
    own = {"name": "own", "path": str(tmp_path / "docs"), "questions": str(tmp_path / "q.csv")}
    cells = [
        rules.from_tree(tree({"corpus": own, "cache.dir": str(tmp_path / "cache"), **changes}))
        for changes in (
            {"chunker": "fixed", "size": 100},
            {"chunker": "fixed", "size": 100, "overlap": 30},
            {"chunker": "whole"},
        )
    ]
    results = carried_out(cells, tmp_path)
    # The fact is characters 92 to 116: cut at 100, whole in the chunk from 70 to 170, and in the document.
    names = ("chunks/cut_facts", "retrieval/ceiling", "retrieval/recall_at_3")
    assert [scores(results[cell], *names) for cell in cells] == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    # In characters a cut fact is found all the same; both halves are retrieved.
    assert scores(results[cells[0]], "spans/recall_at_3") == [1]


def test_every_question_has_all_that_a_verdict_may_compare(tiny, tmp_path):
    cells = [settings(tiny, chunker=chunker) for chunker in ("paragraphs", "whole")]
    names = [*rules.COMPARED, *(f"{measure}_at_{k}" for measure in rules.COMPARED_AT for k in cells[0].k)]
    for result in carried_out(cells, tmp_path).values():
        for question in result.questions:
            assert all(0 <= question.values[name] <= 1 for name in names)
    for name in names:
        assert settings(tiny, verdict__metric=name).verdict.metric == name


def test_cells_ranked_by_words_embed_nothing(tiny, tmp_path):
    cell = settings(tiny, retriever="bm25")
    watcher = Watcher()
    (outcome,) = carried_out([cell], tmp_path, watcher=watcher).values()
    result = untimed(outcome)
    assert "embedding" not in [name for name, _ in watcher.steps]
    assert not (tiny / "cache").exists()
    # "bees" and "buzz" stand in the first unit, "dogs" and "dig" in the last; "cats" and "ants" in one each.
    assert [question.outcome for question in result.questions] == ["answered", "answered", "not first"]
    assert result.metrics["cost/embedded_tokens"] == result.metrics["cost/index_vectors"] == 0
    assert not [name for name in result.metrics if "dilution" in name]


def test_retrievers_share_chunks_and_vectors(tiny, tmp_path):
    cells = [settings(tiny, retriever=name) for name in ("dense", "bm25", "hybrid")]
    plan, alone = planned(cells, tmp_path), planned(cells[:1], tmp_path).counts()
    assert plan.counts()["distinct_texts"] == alone["distinct_texts"]
    assert plan.counts()["texts"] == 2 * alone["texts"]
    together = carried_out(cells, tmp_path)
    for cell in cells:
        (outcome,) = carried_out([cell], tmp_path).values()
        assert untimed(together[cell]) == untimed(outcome)


def test_expansions_share_one_ranking(tiny, tmp_path):
    expansions = ("none", "window", "section", "parent", "document")
    cells = [settings(tiny, chunker="sentences", retriever__expand=kind, send=1) for kind in expansions]
    assert len(ranking_tasks(cells, tmp_path)) == 1
    together = {
        cell.retriever.option("expand"): untimed(outcome) for cell, outcome in carried_out(cells, tmp_path).items()
    }
    for cell in cells:
        (outcome,) = carried_out([cell], tmp_path).values()
        assert untimed(outcome) == together[cell.retriever.option("expand")]
    # "cats and ants" has a fact in each document; the nearest unit is "Ants amble along alleys.".
    sent = {kind: result.questions[2].passages[0].text for kind, result in together.items()}
    bees = "# Bees\n\nBees buzz by blossoms.\n\nAnts amble along alleys."
    assert sent == {
        "none": UNITS[1],
        "window": bees,
        "section": bees,
        "parent": UNITS[1],
        "document": bees,
    }
    # What looks at chunks is the same in all of them.
    for name in ("retrieval/mrr", "retrieval/recall_at_1", "spans/iou_at_1", "retrieval/dilution", "chunks/cut_facts"):
        assert len({result.metrics[name] for result in together.values()}) == 1


def test_a_prefix_that_is_sent_is_that_of_what_is_sent(tiny, tmp_path):
    cells = [
        settings(tiny, prefix="heading", prefix__send=True, retriever__expand=kind) for kind in ("none", "section")
    ]
    as_it_stands, section = (untimed(outcome) for outcome in carried_out(cells, tmp_path).values())
    assert as_it_stands.questions[2].passages[0].text == "Bees. Ants amble along alleys."
    assert section.questions[2].passages[0].text == "# Bees\n\nBees buzz by blossoms.\n\nAnts amble along alleys."
    assert section.metrics["cost/sent_tokens"] == pytest.approx(
        sum(question.values["cost/sent_tokens"] for question in section.questions) / 3
    )


def test_a_ranking_is_made_deeper_until_near_duplicates_leave_enough(tmp_path):
    """Ninety copies of a notice, each with its date, come before the answer."""
    docs = tmp_path / "docs"
    docs.mkdir()
    notices = [f"Big brown bears bring back bread, berries, beans, butter and beer by {day}." for day in range(90)]
    (docs / "a.txt").write_text("\n\n".join([*notices, "Cats creep close."]), encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text('{"question": "bears bring bread", "fact": "Cats creep close"}')
    cells = [settings(tmp_path, retriever__dedupe=dedupe) for dedupe in (None, 0.6)]
    found = [untimed(outcome) for outcome in carried_out(cells, tmp_path).values()]
    assert [result.metrics["retrieval/answerable"] for result in found] == [0, 1]
    assert [passage.text for passage in found[1].questions[0].passages] == [notices[0], "Cats creep close."]
    (alone,) = carried_out(cells[:1], tmp_path).values()
    assert untimed(alone) == found[0]
