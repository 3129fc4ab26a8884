"""Cuts where consecutive sentences are unlike. The embedder `test` counts words by their first letter."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.schema import Document as LlamaDocument
from tests.chunkers.cutting import cut, md

from chunksweep.chunkers import split_document
from chunksweep.chunkers.semantic import Semantic, distances_between
from chunksweep.documents import plain
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ConfigError

semantic = partial(cut, "semantic")
# Bees, bees with an ant, ants with a bee, ants, dogs. The cosines of neighbours: 2/√5 = 0.894 of (1, 0) and (2, 1);
# 0.8 of (2, 1) and (1, 2); 2/√5 of (1, 2) and (0, 1); 0.
SENTENCES = ("Bees buzz.", "Bees bring ants.", "Ants avoid bees.", "Ants.", "Dogs dig.")
TEXT = " ".join(SENTENCES)


def joined(*runs: str) -> list[str]:
    """Chunks given by the numbers of their sentences."""
    return [" ".join(SENTENCES[int(number)] for number in run) for run in runs]


def test_distances_by_hand() -> None:
    found = distances_between(WordInitials().embed(SENTENCES, "passage"))
    assert found == pytest.approx([1 - 2 / sqrt(5), 0.2, 1 - 2 / sqrt(5), 1], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        pytest.param({"threshold": "absolute"}, ["0123", "4"], id="less alike than 0.5"),
        pytest.param({"threshold": "absolute", "at": 0.85}, ["01", "23", "4"], id="less alike than 0.85"),
        pytest.param({"threshold": "absolute", "at": 0.8}, ["0123", "4"], id="not at the very threshold"),
        pytest.param({"threshold": "absolute", "at": 1.0}, ["0", "1", "2", "3", "4"], id="all that are not the same"),
        pytest.param({"threshold": "absolute", "at": -1.0}, ["01234"], id="none"),
        # In order: 0.106, 0.106, 0.2, 1. The 95th percentile lies between the last two, the 60th at 0.8 of the way
        # from 0.106 to 0.2, and nothing is greater than the greatest.
        pytest.param({}, ["0123", "4"], id="the 95th percentile"),
        pytest.param({"at": 60.0}, ["01", "23", "4"], id="the 60th percentile"),
        pytest.param({"at": 0.0}, ["01", "23", "4"], id="greater than the least"),
        pytest.param({"at": 100.0}, ["01234"], id="greater than the greatest"),
        # Their mean is 0.353, their standard deviation 0.375.
        pytest.param({"threshold": "deviation"}, ["0123", "4"], id="one deviation: 0.728"),
        pytest.param({"threshold": "deviation", "at": 1.8}, ["01234"], id="1.8 deviations: 1.03"),
        pytest.param({"threshold": "absolute", "size": 30}, ["01", "23", "4"], id="a run that is too long"),
        pytest.param({"threshold": "absolute", "size": 13}, None, id="sentences that are too long"),
        pytest.param({"threshold": "absolute", "at": 0.85, "min_size": 10}, ["01", "234"], id="a last one too short"),
        pytest.param(
            {"threshold": "absolute", "at": 0.85, "min_size": 10, "size": 27}, ["01", "23", "4"], id="no room for it"
        ),
        pytest.param({"threshold": "absolute", "min_size": 99, "size": 99}, ["01234"], id="all too short"),
    ],
)
def test_cuts(options: dict[str, Any], runs: list[str] | None) -> None:
    # 13 characters hold neither sentence of 16: they are cut at blanks.
    apart = ["Bees buzz.", "Bees bring", "ants.", "Ants avoid", "bees.", "Ants.", "Dogs dig."]
    assert semantic(TEXT, **options) == (apart if runs is None else joined(*runs))


def test_a_window_reads_the_neighbours_too() -> None:
    chunker, document = Semantic(window=1), plain.read(TEXT, "a.txt")
    assert chunker.reads(document) == joined("01", "012", "123", "234", "34")
    assert Semantic().reads(document) == list(SENTENCES)


def test_a_heading_goes_with_the_sentence_after_it() -> None:
    text = "# Zoo\n\nBees buzz. Dogs dig.\n\n## Yard\n\nDogs doze."
    assert semantic(md(text), threshold="absolute") == ["# Zoo\n\nBees buzz.", "Dogs dig.\n\n## Yard\n\nDogs doze."]


@pytest.mark.parametrize("text", ["", " \n", "Bees buzz."])
def test_fewer_than_two_sentences(text: str) -> None:
    assert semantic(text) == [text.strip()] * bool(text.strip())


def test_vectors_are_needed() -> None:
    with pytest.raises(ValueError, match="needs them"):
        split_document(Semantic(), plain.read(TEXT, "a.txt"), None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"threshold": "mean"}, "chunker.threshold=mean", id="threshold"),
        pytest.param(
            {"at": 101.0}, "chunker.at=101 is not possible with chunker.threshold=percentile", id="percentile"
        ),
        pytest.param({"threshold": "absolute", "at": 1.5}, "from -1 to 1", id="cosine"),
        pytest.param({"threshold": "deviation", "at": -1.0}, "at least 0", id="deviation"),
        pytest.param({"min_size": -1}, "chunker.min_size=-1", id="least size"),
        pytest.param({"window": -1}, "chunker.window=-1", id="window"),
        pytest.param(
            {"min_size": 50, "size": 40}, "chunker.min_size=50 is greater than size=40", id="least above most"
        ),
        pytest.param({"language": "English"}, "chunker.language=English", id="language"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Semantic(**options)
    assert said in str(caught.value)


def test_the_least_size_may_be_above_the_default() -> None:
    assert Semantic(min_size=5_000).sizing().default == 5_000


class Initials(BaseEmbedding):
    """The embedder `test` for LlamaIndex."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return WordInitials().embed([text], "passage")[0].astype(float).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    words=st.lists(
        st.lists(st.sampled_from(["ants", "bees", "cats", "dogs"]), min_size=3, max_size=5), min_size=2, max_size=12
    ),
    at=st.integers(0, 100),
)
def test_percentile_as_llama_index_has_it(words: list[list[str]], at: int) -> None:
    """Its SemanticSplitterNodeParser with the same sentences, and nothing read beside each."""
    sentences = [" ".join(run).capitalize() + "." for run in words]
    distances = distances_between(WordInitials().embed(sentences, "passage"))
    # Theirs are not rounded: equal ones may differ in their last bit, and then one of them is above the threshold.
    assume(not np.any(np.abs(distances - np.percentile(distances, at)) < 1e-5))
    theirs = SemanticSplitterNodeParser(
        embed_model=Initials(),
        buffer_size=0,
        breakpoint_percentile_threshold=at,
        sentence_splitter=lambda _text: [f"{sentence} " for sentence in sentences],
        include_metadata=False,
        include_prev_next_rel=False,
    )
    found = [node.text.strip() for node in theirs.build_semantic_nodes_from_documents([LlamaDocument(text="x")])]
    assert cut("semantic", " ".join(sentences), at=float(at), size=10_000) == found
