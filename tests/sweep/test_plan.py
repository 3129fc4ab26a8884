"""What is distinct over all cells of a grid, counted by hand on the tiny corpus."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from tests.sweep.carrying_out import Watcher, carried_out, grid, planned
from tests.tiny_corpus import UNITS, settings, tree

from chunksweep import rules, stages
from chunksweep.embedders.base import Reading
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ConfigError
from chunksweep.sweep.execute import Execution
from chunksweep.sweep.plan import by_key, counted_by, grid_of, texts_of

# Words are the tokens of the test embedder: 6+4+3+4 in the four units, as many in the two documents, 2+3+3 in the
# three questions.
UNIT_TOKENS = 17
QUESTION_TOKENS = 8
# The sentences around the facts are the units, but for the first, which a unit holds with its heading: one text more,
# of four words. Beside whole documents all four are more: 4+4+3+4 words.
SENTENCE = "Bees buzz by blossoms."
SENTENCE_TOKENS = 4
SENTENCES_TOKENS = 15


@pytest.mark.parametrize(
    ("axes", "texts", "distinct", "tokens"),
    [
        pytest.param([{}], 4 + 3, 4 + 1 + 3, UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS, id="one cell"),
        pytest.param(
            [{"chunker": "whole"}],
            2 + 3,
            2 + 4 + 3,
            UNIT_TOKENS + SENTENCES_TOKENS + QUESTION_TOKENS,
            id="whole documents",
        ),
        pytest.param(
            [{}, {"chunker": "sentences"}],
            2 * (4 + 3),
            4 + 1 + 3,
            UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS,
            id="the same texts twice",
        ),
        pytest.param(
            [{}, {"chunker": "whole"}],
            7 + 5,
            4 + 2 + 1 + 3,
            2 * UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS,
            id="only questions and sentences shared",
        ),
        pytest.param(
            [{"send": 1}, {"send": 2}, {"send": 3}],
            3 * (4 + 3),
            4 + 1 + 3,
            UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS,
            id="send embeds nothing more",
        ),
        pytest.param(
            # The heading goes before the ants only (5 words then); before the bees it stands already.
            [{}, {"prefix": "heading"}],
            2 * (4 + 3),
            4 + 1 + 1 + 3,
            UNIT_TOKENS + 5 + SENTENCE_TOKENS + QUESTION_TOKENS,
            id="a prefix makes one text more",
        ),
    ],
)
def test_counts(tiny, axes, texts, distinct, tokens):
    cells = [rules.from_tree(tree(changes, tiny)) for changes in axes]
    assert planned(cells, tiny).counts() == {
        "cells": len(axes),
        "distinct_cells": len(axes),
        "texts": texts,
        "distinct_texts": distinct,
        "cached_texts": 0,
        "embedded_texts": distinct,
        "embedded_tokens": tokens,
    }


# In each document two sentences without a common initial: cut apart below any cosine, and in one piece where the
# distance has to be greater than the greatest.
APART = {"chunker": "semantic", "chunker.threshold": "absolute"}
WHOLE = {"chunker": "semantic", "chunker.at": 100.0}


@pytest.mark.parametrize(
    ("axes", "texts", "distinct", "tokens"),
    [
        # The sentences are the chunks: embedded once, though a loop embeds them twice.
        pytest.param(
            [APART], 2 * 4 + 3, 4 + 1 + 3, UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS, id="sentences are chunks"
        ),
        pytest.param(
            [WHOLE], 4 + 2 + 3, 4 + 2 + 1 + 3, 2 * UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS, id="documents are"
        ),
        pytest.param(
            [APART, WHOLE, {"chunker": "paragraphs"}],
            (2 * 4 + 3) + (4 + 2 + 3) + (4 + 3),
            4 + 2 + 1 + 3,
            2 * UNIT_TOKENS + SENTENCE_TOKENS + QUESTION_TOKENS,
            id="sentences shared with other cells",
        ),
    ],
)
def test_what_is_embedded_to_cut_by_is_counted(tiny, axes, texts, distinct, tokens):
    cells = [rules.from_tree(tree(changes, tiny)) for changes in axes]
    counts = planned(cells, tiny).counts()
    assert (counts["texts"], counts["distinct_texts"], counts["cached_texts"]) == (texts, distinct, 0)
    assert (counts["embedded_texts"], counts["embedded_tokens"]) == (distinct, tokens)


def test_a_dry_run_embeds_nothing_to_cut_by(tiny, tmp_path):
    cells = [rules.from_tree(tree(changes, tiny)) for changes in (APART, WHOLE, {"chunker": "paragraphs"})]
    for _ in range(2):
        execution = Execution(grid(cells), 1, Watcher(), tmp_path)
        execution.read()
        counts = execution.plan(embed=False).counts()
        assert execution.unknown == 2
        # The sentences are the paragraphs too, with the questions and the run of two sentences.
        assert (counts["embedded_texts"], counts["cached_texts"], counts["distinct_texts"]) == (8, 0, 8)
    carried_out(cells, tmp_path)
    execution = Execution(grid(cells), 1, Watcher(), tmp_path)
    execution.read()
    assert execution.plan(embed=False).counts()["cached_texts"] == 10
    assert execution.unknown == 0


def test_what_the_cache_holds_is_not_embedded_again(tiny, tmp_path):
    first = [settings(tiny)]
    carried_out(first, tmp_path)
    again = planned(first, tmp_path).counts()
    assert (again["cached_texts"], again["embedded_texts"], again["embedded_tokens"]) == (8, 0, 0)
    more = planned([*first, settings(tiny, chunker="whole")], tmp_path).counts()
    assert (more["cached_texts"], more["embedded_texts"], more["embedded_tokens"]) == (8, 2, UNIT_TOKENS)


def test_two_corpora_share_the_texts_that_are_equal(tiny, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    (copy / "docs" / "ewes.txt").write_text("Ewes eat.", encoding="utf-8")
    counts = planned([settings(tiny), settings(copy)], tmp_path).counts()
    assert (counts["texts"], counts["distinct_texts"]) == ((4 + 3) + (5 + 3), 4 + 1 + 1 + 3)


def test_each_distinct_text_is_embedded_once(tiny, tmp_path, monkeypatch):
    embedded = Counter()

    class Counting(WordInitials):
        def embed(self, texts, role, progress=None):
            embedded.update((role, text) for text in texts)
            return WordInitials.embed(self, texts, role, progress)

    monkeypatch.setattr(stages, "embedder_of", lambda choice: Counting())
    cells = [
        settings(tiny, chunker=chunker, prefix=prefix, send=send)
        for chunker in ("paragraphs", "sentences")
        for prefix in ("none", "heading")
        for send in (1, 2)
    ]
    carried_out(cells, tmp_path)
    assert set(embedded.values()) == {1}
    asked = [("question", text) for text in ("Buzzing bees?", "Do dogs dig?", "Cats and ants?")]
    assert set(embedded) == {*(("passage", text) for text in [*UNITS, f"Bees. {UNITS[1]}", SENTENCE]), *asked}


def test_texts_of_a_cell_point_at_the_distinct_texts(tiny, tmp_path):
    cells = [settings(tiny), settings(tiny, chunker="whole"), settings(tiny, prefix="heading")]
    plan = planned(cells, tmp_path)
    (work,) = plan.embeddings.values()
    rows = [texts_of(plan, cell).rows for cell in cells]
    assert [[work.passages[row] for row in work.passage_of[of_cell]] for of_cell in rows] == [
        UNITS,
        [f"{UNITS[0]}\n\n{UNITS[1]}", f"{UNITS[2]}\n\n{UNITS[3]}"],
        [UNITS[0], f"Bees. {UNITS[1]}", UNITS[2], UNITS[3]],
    ]
    assert [work.tokens[row] for row in rows[2]] == [6, 5, 3, 4]


class ShortSighted(WordInitials):
    """Reads the first two words of a text, in lower case."""

    window = 2

    def read(self, texts, role="passage"):
        return Reading(self.count_tokens(texts), [" ".join(text.lower().split()[:2]) for text in texts])

    def embed(self, texts, role, progress=None):
        return WordInitials.embed(self, [" ".join(text.split()[:2]) for text in texts], role, progress)


@pytest.fixture
def short_sighted(monkeypatch):
    """The embedder of every configuration reads two words."""
    monkeypatch.setattr(stages, "embedder_of", lambda choice: ShortSighted())


def test_of_texts_that_the_model_reads_alike_one_is_embedded(tiny, tmp_path, short_sighted):
    # The two documents begin with "# Bees" and "Cats creep" as the first and third of the four units do: four
    # readings of six texts, a fifth of the sentence "Bees buzz by blossoms." around a fact, and three of questions,
    # two tokens of each read.
    cells = [settings(tiny), settings(tiny, chunker="whole")]
    plan = planned(cells, tmp_path)
    assert plan.counts() == {
        "cells": 2,
        "distinct_cells": 2,
        "texts": 4 + 3 + 2 + 3,
        "distinct_texts": 5 + 3,
        "cached_texts": 0,
        "embedded_texts": 5 + 3,
        "embedded_tokens": 2 * (5 + 3),
    }
    (work,) = plan.embeddings.values()
    assert work.passages == [*UNITS, "Bees buzz by blossoms."]
    units, documents = (texts_of(plan, cell).rows for cell in cells)
    assert work.passage_of[units].tolist() == [0, 1, 2, 3]
    assert work.passage_of[documents].tolist() == [0, 2]
    # bees.md has the 6 + 4 words of its two units, cats.txt 3 + 4: all are counted, also those not read.
    assert work.tokens[documents].tolist() == [10, 7]


def test_a_reading_that_is_in_the_cache_serves_other_texts_too(tiny, tmp_path, short_sighted):
    carried_out([settings(tiny, chunker="whole")], tmp_path)
    # The units that begin the documents are read as those were, and the others are sentences around facts, which
    # were embedded too. Whichever cell comes first.
    for cells in ([{}, {"chunker": "whole"}], [{"chunker": "whole"}, {}]):
        again = planned([settings(tiny, **changes) for changes in cells], tmp_path).counts()
        assert (again["distinct_texts"], again["cached_texts"], again["embedded_texts"]) == (5 + 3, 5 + 3, 0)


def test_texts_that_the_model_reads_alike_score_alike(tiny, tmp_path, short_sighted):
    # "Cats creep" is all that is read of the document and of its first paragraph.
    cells = [settings(tiny, chunker=chunker, send=4) for chunker in ("whole", "paragraphs")]
    document, paragraph = (
        next(passage.score for passage in result.questions[-1].passages if passage.text.startswith("Cats creep"))
        for result in carried_out(cells, tmp_path).values()
    )
    assert document == paragraph


def composed(*changes):
    return grid_of([tree(each) for each in changes], rules.from_tree)


def test_a_grid_keeps_each_cell_once_in_the_order_asked():
    grid = composed({"size": 2}, {"size": None}, {"size": 2, "overlap": 0.1}, {"size": 1})
    assert [cell.size for cell in grid.cells] == [2, 1]
    assert (grid.asked, grid.duplicates, grid.impossible) == (4, 2, {})


def test_a_grid_drops_cells_that_cannot_exist_and_counts_them_by_reason():
    fixed = {"chunker": "fixed", "overlap": 200}
    grid = composed(*({**fixed, "size": size} for size in (100, 100, 200, 400)), {"chunker": "whole", "overlap": 200})
    assert [(cell.chunker.name, cell.size) for cell in grid.cells] == [("fixed", 400), ("whole", None)]
    assert (grid.asked, grid.duplicates) == (5, 0)
    assert sorted(grid.impossible.values()) == [1, 2]
    assert all("overlap=200 is not smaller than size=" in reason for reason in grid.impossible)


def test_a_grid_of_cells_that_cannot_exist_says_why():
    with pytest.raises(ConfigError, match="overlap=5 is not smaller than size=5"):
        composed({"chunker": "fixed", "size": 5, "overlap": 5}, {"chunker": "fixed", "size": 3, "overlap": 3})
    with pytest.raises(ConfigError, match="no cell"):
        composed()


def test_a_cell_that_is_wrong_stops_the_grid():
    with pytest.raises(ConfigError, match="size=0"):
        composed({"size": 1}, {"size": 0})


def test_cells_by_key_keep_their_order():
    cells = [settings(size=size, send=send) for send in (1, 2) for size in (2, 1)]
    groups = by_key(cells, stages.chunking_key)
    assert list(groups.values()) == [[cells[0], cells[2]], [cells[1], cells[3]]]


def test_what_cells_count_with_is_asked_for_once():
    cells = [settings(send=1), settings(send=2), settings(tokenizer="cl100k")]
    assert [tokenizer.name for tokenizer, _ in counted_by(cells)] == ["o200k", "cl100k"]
