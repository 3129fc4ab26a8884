"""A cross-encoder orders the best hits anew; the model is a small one of random weights, made here."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from tests.sweep.carrying_out import Watcher, carried_out, untimed
from tests.tiny_corpus import UNITS, settings, write

from chunksweep.errors import EmbeddingError
from chunksweep.records import Ranking
from chunksweep.retrieval.reranking import CrossEncoder, reordered
from chunksweep.settings import folder_sha256

WORDS = [
    "bees",
    "buzz",
    "by",
    "blossoms",
    "ants",
    "amble",
    "cats",
    "creep",
    "close",
    "dogs",
    "dig",
    "deep",
    "do",
    "and",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("model"), labels=1)


def made(folder: Path, labels: int) -> Path:
    """A BERT of one layer that reads a few words."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(vocab={word: row for row, word in enumerate(vocabulary)}).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=labels,
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def computed(folder: Path, question: str, text: str) -> float:
    """The score of a pair by transformers alone: the model's one number, through a sigmoid."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(question, text, return_tensors="pt")
    with torch.no_grad():
        return 1 / (1 + math.exp(-float(AutoModelForSequenceClassification.from_pretrained(folder)(**tokens).logits)))


def test_pairs_are_scored_as_the_model_scores_them(model):
    pairs = [("Buzzing bees?", "Bees buzz"), ("Do dogs dig?", "Cats creep close."), ("Buzzing bees?", "Bees buzz")]
    found = CrossEncoder(model).scores(pairs)
    assert found == pytest.approx([computed(model, *pair) for pair in pairs], abs=1e-5)
    assert found[0] == found[2] != found[1]


def test_hits_are_ordered_by_the_scores_and_the_others_follow():
    ranking = Ranking(np.array([[4, 2, 0, 1], [1, 3, 2, 0]]), np.array([[0.9, 0.8, 0.7, 0.1], [0.5, 0.4, 0.3, 0.2]]))
    found = reordered(ranking, np.array([[0.2, 0.6, 0.2], [0.1, 0.2, 0.3]]))
    # Of two that score alike the one that comes first in document order is better.
    assert found.chunks.tolist() == [[2, 0, 4, 1], [2, 3, 1, 0]]
    assert found.scores.tolist() == [[0.6, 0.2, 0.2, 0.1], [0.3, 0.2, 0.1, 0.2]]


def test_a_sweep_with_a_reranker(tmp_path, model):
    folder = write(tmp_path / "tiny")
    plain = settings(folder, send=1)
    cells = [
        settings(folder, send=1, retriever__rerank=str(model), retriever__rerank_candidates=count)
        for count in (1, 2, 9)
    ]
    watcher = Watcher()
    found = {
        cell: untimed(outcome) for cell, outcome in carried_out([plain, *cells], tmp_path, watcher=watcher).items()
    }
    assert ("reranking", 3) in watcher.steps
    scores = {text: computed(model, "Cats and ants?", text) for text in UNITS}
    for cell, first in ((plain, 0), (cells[0], 1), (cells[1], 2), (cells[2], 4)):
        # By cosine "Ants amble along alleys." comes first and "Cats creep close." second; the others share no initial.
        best = max(([UNITS[1], UNITS[2], UNITS[0], UNITS[3]][: first or 1]), key=scores.__getitem__)
        assert found[cell].questions[2].passages[0].text == best
        (alone,) = carried_out([cell], tmp_path).values()
        assert untimed(alone) == found[cell]


def test_a_model_that_is_none(tmp_path, model):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EmbeddingError, match=r"retriever\.rerank=.* cannot be loaded"):
        CrossEncoder(tmp_path).scores([("a", "b")])


def test_a_model_of_several_labels(tmp_path):
    with pytest.raises(EmbeddingError, match="one label"):
        CrossEncoder(made(tmp_path, labels=3)).scores([("a", "b")])


def test_a_model_is_named_by_what_lies_in_its_folder(tmp_path, model):
    here = settings(retriever__rerank=str(model))
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in model.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    there = settings(retriever__rerank=str(copy))
    assert here.config_hash("c", "q", "m") == there.config_hash("c", "q", "m") != settings().config_hash("c", "q", "m")
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text("{}", encoding="utf-8")
    assert folder_sha256(other) != folder_sha256(copy)
