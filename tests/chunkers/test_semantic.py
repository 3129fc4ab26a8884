"""Cuts where consecutive sentences are unlike. The embedder `test` counts words by their first letter."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
from chonkie import SemanticChunker
from chonkie.embeddings import BaseEmbeddings
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.schema import Document as LlamaDocument
from tests.chunkers.cutting import cut, md

from chunksweep.chunkers import find, split_document
from chunksweep.chunkers.chonkie_units import chonkie_tokenizer
from chunksweep.chunkers.ruler import Characters
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


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        pytest.param({"buffer_size": 0}, ["0123", "4"], id="above the 95th percentile"),
        pytest.param({"buffer_size": 0, "breakpoint_percentile_threshold": 60}, ["01", "23", "4"], id="above the 60th"),
        pytest.param({"buffer_size": 0, "breakpoint_percentile_threshold": 100}, ["01234"], id="above the greatest"),
    ],
)
def test_llama_index_itself(options: dict[str, Any], runs: list[str]) -> None:
    found = cut("llama_index_semantic", TEXT, **options)
    assert [chunk.strip() for chunk in found] == joined(*runs)


def test_what_llama_index_reads() -> None:
    chunker = find("llama_index_semantic")()
    assert [text.strip() for text in chunker.reads(plain.read(TEXT, "a.txt"))] == joined(
        "01", "012", "123", "234", "34"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"buffer_size": -1}, "chunker.buffer_size=-1", id="buffer"),
        pytest.param({"breakpoint_percentile_threshold": 101}, "from 0 to 100", id="percentile"),
    ],
)
def test_what_llama_index_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find("llama_index_semantic")(**options)


ANTS = "Ants avoid all acid. Apes admire apples. Ants ask aunts again. Apes act alike. "
BEES = "Bees bring big berries. Bears bite blue bread. Bees buzz by bluebells. Bears bathe by beaches. "
SHORT = {"unit": "characters", "min_characters_per_sentence": 1}
QUADRATIC = SHORT | {"filter_polyorder": 2}


class KnownInitials(BaseEmbeddings):
    """The embedder `test` for Chonkie."""

    def embed(self, text: str) -> np.ndarray:
        return WordInitials().embed([text], "passage")[0]

    @property
    def dimension(self) -> int:
        raise NotImplementedError

    def get_tokenizer(self) -> Any:
        return chonkie_tokenizer(Characters(0))


@pytest.mark.parametrize(
    ("options", "chunks"),
    [
        # A sentence is like the three before it but where one animal follows the other: there the cosine is 0.
        pytest.param(QUADRATIC | {"threshold": 0.2}, [ANTS + ANTS, BEES, ANTS + ANTS, BEES], id="where the talk turns"),
        # Nothing of the cubic curve through five such values is a minimum.
        pytest.param(SHORT, [ANTS + ANTS + BEES + ANTS + ANTS + BEES], id="smoothed by its own default"),
        pytest.param(SHORT | {"similarity_window": 24}, [ANTS + ANTS + BEES + ANTS + ANTS + BEES], id="no window"),
    ],
)
def test_chonkie_itself(options: dict[str, Any], chunks: list[str]) -> None:
    found = cut("chonkie_semantic", ANTS + ANTS + BEES + ANTS + ANTS + BEES, **options)
    assert found == chunks


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("filter_window", [3, 5, 7])
@pytest.mark.parametrize("size", [60, 8_192])
def test_as_chonkie_cuts_with_a_model_of_its_own(threshold: float, filter_window: int, size: int) -> None:
    text = ANTS + BEES + BEES + ANTS + BEES
    options = {"threshold": threshold, "filter_window": filter_window, "filter_polyorder": 2}
    theirs = SemanticChunker(KnownInitials(), chunk_size=size, min_characters_per_sentence=1, **options)
    assert cut("chonkie_semantic", text, size=size, **SHORT, **options) == [chunk.text for chunk in theirs.chunk(text)]


def test_a_blank_sentence_is_like_nothing_and_needs_no_vector() -> None:
    text = "\n".join([ANTS, "", "", BEES, "", BEES])
    chunker = find("chonkie_semantic")(**QUADRATIC)
    assert all(part.strip() for part in chunker.reads(plain.read(text, "a.txt")))
    assert "".join("".join(cut("chonkie_semantic", text, **QUADRATIC)).split()) == "".join(text.split())


def test_what_chonkie_reads() -> None:
    chunker = find("chonkie_semantic")(similarity_window=2, min_characters_per_sentence=1)
    one, two, three, four = (f"{animal} dig. " for animal in ("Ants", "Bees", "Cats", "Dogs"))
    document = plain.read(one + two + three + four, "a.txt")
    assert chunker.reads(document) == [one + two, two + three, three, four]
    assert chunker.reads(plain.read(one + two, "a.txt")) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"threshold": 1.0}, "chunker.threshold=1.0: above 0 and below 1", id="threshold"),
        pytest.param({"filter_tolerance": 0.0}, "chunker.filter_tolerance=0.0", id="tolerance"),
        pytest.param({"similarity_window": 0}, "chunker.similarity_window=0", id="window"),
        pytest.param({"filter_window": 4}, "an odd number", id="even filter"),
        pytest.param({"filter_polyorder": 5}, "less than chunker.filter_window=5", id="order of the filter"),
        pytest.param({"include_delim": "both"}, "Allowed: prev, next", id="delimiter"),
        pytest.param({"unit": "words"}, "chunker.unit=words", id="unit"),
    ],
)
def test_what_chonkie_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find("chonkie_semantic")(**options)
