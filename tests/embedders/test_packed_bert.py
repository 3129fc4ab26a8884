"""BERT without padding: the vectors of sentence-transformers, whatever stands beside a text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from chunksweep.embedders.minilm import DIMENSION, WINDOW, model_folder
from chunksweep.embedders.packed_bert import PackedBert, can_run, finds_weights
from chunksweep.embedders.reading import TextReader
from chunksweep.embedders.sentence_transformers import SentenceTransformerEngine, library

READER = TextReader(model_folder() / "tokenizer.json", WINDOW)
LENGTHS = [0, 1, 3, 3, 3, 40, 100, 254, 255, 300]
# Words of one word piece each, so that a text of n words has n tokens beside the two special ones.
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "saw",
    "red",
    "fish",
    "in",
    "cold",
    "water",
    "near",
    "old",
    "stone",
]
TEXTS = [" ".join(WORDS[(7 * row + step * step) % len(WORDS)] for step in range(n)) for row, n in enumerate(LENGTHS)]


@pytest.fixture(scope="module")
def engine() -> SentenceTransformerEngine:
    return SentenceTransformerEngine(model_folder(), READER)


@pytest.fixture(scope="module")
def model() -> PackedBert:
    return PackedBert(model_folder())


def test_the_vectors_are_those_of_the_library(engine):
    expected = library(engine)(TEXTS, [], "")
    np.testing.assert_allclose(engine.embed(TEXTS), expected, atol=1e-6)


def test_bf16_is_near(engine):
    exact = engine.embed(TEXTS)
    rough = SentenceTransformerEngine(model_folder(), READER, precision="bf16").embed(TEXTS)
    assert rough.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rough, axis=1), 1, atol=1e-6)
    cosines = (exact * rough).sum(axis=1)
    # bfloat16 has 8 bits of precision: a hundred operations in a row stay within a few of its steps of 1/256.
    assert cosines.min() > 0.999
    assert (rough != exact).any()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.lists(st.integers(1_000, 20_000), min_size=1, max_size=30), min_size=1, max_size=12))
def test_a_vector_depends_on_its_own_text_alone(model, texts):
    together = model.embed(texts)
    assert together.shape == (len(texts), DIMENSION)
    alone = np.concatenate([model.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_threads_change_no_vector_by_more_than_rounding(model):
    texts = [list(range(1_000, 1_000 + 10 * count)) for count in range(1, 12)]
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(model.embed(texts))
    finally:
        torch.set_num_threads(before)
    np.testing.assert_allclose(*found, atol=1e-6)


def layout(folder: Path, **changes: object) -> Path:
    """The configuration files of MiniLM, with changes: to the config, the pooling, or the list of modules."""
    source = model_folder()
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("config.json", "modules.json", "1_Pooling/config.json"):
        read = json.loads((source / name).read_text(encoding="utf-8"))
        change = changes.get(name)
        read = read | change if isinstance(change, dict) else read if change is None else change(read)
        (folder / name).write_text(json.dumps(read), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("changes", "can"),
    [
        pytest.param({}, True, id="MiniLM"),
        pytest.param({"config.json": {"model_type": "xlm-roberta"}}, False, id="another architecture"),
        pytest.param({"config.json": {"hidden_act": "relu"}}, False, id="another activation"),
        pytest.param({"config.json": {"position_embedding_type": "relative_key"}}, False, id="other positions"),
        pytest.param({"1_Pooling/config.json": {"pooling_mode_mean_tokens": False}}, False, id="no mean"),
        pytest.param({"1_Pooling/config.json": {"pooling_mode_cls_token": True}}, False, id="more than the mean"),
        pytest.param({"1_Pooling/config.json": {"include_prompt": True}}, True, id="prompts are pooled too"),
        pytest.param({"1_Pooling/config.json": {"include_prompt": False}}, False, id="prompts are left out"),
        pytest.param({"1_Pooling/config.json": lambda _: {"pooling_mode": "mean"}}, True, id="as it is written now"),
        pytest.param({"1_Pooling/config.json": lambda _: {"pooling_mode": "cls"}}, False, id="another, written so"),
        pytest.param({"modules.json": lambda modules: modules[:2]}, False, id="not normalised"),
        pytest.param({"modules.json": lambda modules: [*modules, modules[0]]}, False, id="a module more"),
    ],
)
def test_models_of_another_kind_are_left_to_the_library(tmp_path, changes, can):
    assert can_run(layout(tmp_path / "model", **changes)) == can


@pytest.mark.parametrize(
    ("name", "finds"),
    [
        pytest.param("embeddings.word_embeddings.weight", True, id="as BertModel calls them"),
        pytest.param("bert.embeddings.word_embeddings.weight", False, id="as a model around it does"),
        pytest.param(None, False, id="in another file"),
    ],
)
def test_weights_under_other_names_are_left_to_the_library(tmp_path, name, finds):
    if name is not None:
        save_file({name: torch.zeros(1)}, tmp_path / "model.safetensors")
    assert finds_weights(tmp_path) == finds
