"""How chunks are ranked by words and by words and vectors together, beside bm25s itself and formulas written out."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import MISSING, fields

import bm25s
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chunksweep import retrieval
from chunksweep.errors import ConfigError
from chunksweep.paths import group_options, shipped
from chunksweep.retrieval import Index, IndexVectors
from chunksweep.retrieval.ranking import rank
from chunksweep.retrieval.retrievers import Bm25, Dense, Hybrid

TEXTS = [
    "Backups are kept for thirty-five days, then the backups are deleted.",
    "A node that is drained takes no new work.",
    "Drained nodes keep their backups.",
    "The proxy renews its certificates.",
    "A node that is drained takes no new work.",
]
QUESTIONS = ("How long are backups kept?", "What happens to a drained node?", "Zebras?")
WORDS = ["node", "backup", "drained", "days", "proxy", "kept", "work"]
some_texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8)


def index(texts=TEXTS, questions=QUESTIONS, vectors=None):
    return Index(tuple(questions), lambda: list(texts), vectors)


def some_vectors(texts, questions, seed=0):
    """Random directions, the same for equal texts."""
    random = np.random.default_rng(seed)
    distinct = list(dict.fromkeys(texts))
    passages = random.normal(size=(len(distinct), 4)).astype(np.float32)
    asked = random.normal(size=(len(questions), 4)).astype(np.float32)
    return IndexVectors(asked, passages, np.array([distinct.index(text) for text in texts], dtype=np.int64))


@pytest.mark.parametrize("name", group_options("retriever"))
def test_a_configuration_file_states_name_and_defaults(name):
    stated = yaml.safe_load((shipped("conf") / "retriever" / f"{name}.yaml").read_text(encoding="utf-8"))
    options = {option.name: option.default for option in fields(retrieval.find(name))}
    assert MISSING not in options.values()
    assert stated == {"name": name} | options


def test_dense_ranks_by_cosine():
    vectors = some_vectors(TEXTS, QUESTIONS)
    found = Dense().rank(index(vectors=vectors), 3)
    exact = rank(vectors.questions, vectors.passages, vectors.text_of_chunk, 3)
    assert found.chunks.tolist() == exact.chunks.tolist()
    assert found.scores.tolist() == exact.scores.tolist()


def lucene(texts, question, k1, b):
    """The score of each text by the formula of Lucene, without stop words."""
    split = [re.findall(r"\w\w+", text.lower()) for text in texts]
    mean = sum(map(len, split)) / len(split)
    scores = []
    for words in split:
        count, score = Counter(words), 0.0
        for word in re.findall(r"\w\w+", question.lower()):
            having = sum(word in other for other in split)
            idf = math.log(1 + (len(split) - having + 0.5) / (having + 0.5))
            score += idf * count[word] / (count[word] + k1 * (1 - b + b * len(words) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize(
    ("k1", "b"),
    [pytest.param(1.5, 0.75, id="usual"), pytest.param(0.9, 0.0, id="no lengths"), pytest.param(2, 1, id="")],
)
def test_bm25_beside_its_formula(k1, b):
    found = Bm25(k1=k1, b=b, stopwords="none").rank(index(), len(TEXTS))
    for question, chunks, scores in zip(QUESTIONS, found.chunks, found.scores, strict=True):
        expected = lucene(TEXTS, question, k1, b)
        assert scores == pytest.approx([expected[chunk] for chunk in chunks], abs=1e-6)
        rounded = [round(score, 6) for score in expected]
        assert chunks.tolist() == sorted(range(len(TEXTS)), key=lambda row: (-rounded[row], row))


def test_bm25_beside_the_librarys_own_retrieval():
    own = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    own.index(bm25s.tokenize(TEXTS, stopwords="en", show_progress=False), show_progress=False)
    asked = bm25s.tokenize(list(QUESTIONS[:2]), stopwords="en", show_progress=False)
    rows, scores = own.retrieve(asked, k=3, show_progress=False)
    found = Bm25().rank(index(questions=QUESTIONS[:2]), 3)
    assert found.scores == pytest.approx(scores, abs=1e-5)
    # Of chunks without a word of the question the library takes any; ties are in its own order.
    for ours, theirs, scored in zip(found.chunks, rows, scores, strict=True):
        assert set(ours[scored > 0]) == set(theirs[scored > 0])


def test_chunks_that_share_no_word_come_last_in_document_order():
    found = Bm25().rank(index(), len(TEXTS))
    assert found.chunks[2].tolist() == [0, 1, 2, 3, 4]
    assert found.scores[2].tolist() == [0.0] * 5
    # "drained" and "node" stand in the two equal chunks, "drained" alone in the third.
    assert found.chunks[1].tolist() == [1, 4, 2, 0, 3]
    assert found.scores[1][0] == found.scores[1][1] > found.scores[1][2] > found.scores[1][3] == 0


@pytest.mark.parametrize(
    ("stopwords", "found"),
    [pytest.param("en", False, id="left out"), pytest.param("none", True, id="a word as others")],
)
def test_stop_words(stopwords, found):
    assert bool(Bm25(stopwords=stopwords).rank(index(questions=["the"]), 1).scores[0, 0] > 0) is found


@pytest.mark.parametrize(
    "texts", [pytest.param(["a", "?"], id="no token"), pytest.param(["the", "and"], id="stop words alone")]
)
def test_texts_without_words_have_a_score_of_0(texts):
    found = Bm25().rank(index(texts), 2)
    assert found.chunks.tolist() == [[0, 1]] * 3
    assert not found.scores.any()


def fused(texts, questions, vectors, constant):
    """Reciprocal rank fusion written out for one chunk at a time."""
    by_vector = Dense().rank(index(texts, questions, vectors), len(texts))
    by_word = Bm25().rank(index(texts, questions), len(texts))
    for question in range(len(questions)):
        total = dict.fromkeys(range(len(texts)), 0.0)
        for ranking, least in ((by_vector, -math.inf), (by_word, 0.0)):
            of_chunk = dict(zip(ranking.chunks[question].tolist(), ranking.scores[question].tolist(), strict=True))
            for chunk, score in of_chunk.items():
                if score > least:
                    total[chunk] += 1 / (constant + 1 + sum(other > score for other in of_chunk.values()))
        yield total


@given(some_texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(0, 99))
def test_hybrid_beside_fusion_written_out(texts, asked, seed):
    vectors = some_vectors(texts, asked, seed)
    found = Hybrid(rrf=10.0).rank(index(texts, asked, vectors), len(texts))
    for question, total in enumerate(fused(texts, asked, vectors, 10.0)):
        chunks, scores = found.chunks[question].tolist(), found.scores[question].tolist()
        assert scores == pytest.approx([total[chunk] for chunk in chunks], abs=1e-6)
        assert chunks == sorted(total, key=lambda chunk: (-round(total[chunk], 6), chunk))


@given(some_texts, st.sampled_from([Bm25(), Hybrid(), Dense()]), st.integers(1, 9))
def test_what_holds_for_every_retriever(texts, retriever, depth):
    asked = ["kept backup", "drained node"]
    whole = retriever.rank(index(texts, asked, some_vectors(texts, asked)), len(texts))
    found = retriever.rank(index(texts, asked, some_vectors(texts, asked)), depth)
    shown = min(depth, len(texts))
    assert found.chunks.tolist() == whole.chunks[:, :shown].tolist()
    assert found.scores.tolist() == whole.scores[:, :shown].tolist()
    for chunks, scores in zip(whole.chunks.tolist(), whole.scores.tolist(), strict=True):
        assert sorted(chunks) == list(range(len(texts)))
        assert scores == sorted(scores, reverse=True)
        of_text = {}
        for chunk, score in zip(chunks, scores, strict=True):
            assert of_text.setdefault(texts[chunk], score) == score


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        pytest.param(Dense, {"mmr": 1.1}, ["retriever.mmr=1.1", "relevance alone"], id="variety"),
        pytest.param(Dense, {"mmr": 0.5, "mmr_candidates": 0}, ["retriever.mmr_candidates=0"], id="no candidates"),
        pytest.param(Bm25, {"rerank_candidates": -1}, ["retriever.rerank_candidates=-1"], id="checked where ignored"),
        pytest.param(Bm25, {"rerank": "nowhere"}, ["retriever.rerank=nowhere", "nothing is downloaded"], id="no model"),
        pytest.param(Bm25, {"k1": -1}, ["retriever.k1=-1", "at least 0"], id="k1"),
        pytest.param(Bm25, {"k1": math.inf}, ["retriever.k1=inf"], id="k1 endless"),
        pytest.param(Bm25, {"b": 1.1}, ["retriever.b=1.1", "to 1"], id="b"),
        pytest.param(Bm25, {"stopwords": "la"}, ["retriever.stopwords=la", "en, es", "none"], id="stop words"),
        pytest.param(Hybrid, {"rrf": -1}, ["retriever.rrf=-1", "usual is 60"], id="constant"),
        pytest.param(Hybrid, {"b": math.nan}, ["retriever.b=nan"], id="b of hybrid"),
    ],
)
def test_options_that_cannot_be(kind, options, words):
    with pytest.raises(ConfigError) as caught:
        kind(**options)
    assert [word for word in words if word not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


def test_every_list_of_stop_words_is_there():
    for language in retrieval.bm25.STOPWORDS:
        assert Bm25(stopwords=language).rank(index(), 1).chunks.shape == (3, 1)


def test_vectors_are_asked_for_where_there_are_none():
    with pytest.raises(ValueError, match="has none"):
        Dense().rank(index(), 1)


def written_out(relevances, alike, weight):
    """Maximal marginal relevance over all candidates, one after the other, by its definition."""
    taken = []
    while len(taken) < len(relevances):
        worth = {
            row: round(weight * relevances[row] - (1 - weight) * max((alike[row][of] for of in taken), default=0), 6)
            for row in range(len(relevances))
            if row not in taken
        }
        taken.append(min(worth, key=lambda row: (-worth[row], row)))
    return taken


@given(some_texts, st.sampled_from([0.0, 0.3, 0.7, 1.0]), st.integers(1, 9), st.integers(0, 99))
def test_variety_beside_its_definition(texts, weight, candidates, seed):
    vectors = some_vectors(texts, ["?"], seed)
    plain = Dense().rank(index(texts, ["?"], vectors), len(texts))
    found = Dense(mmr=weight, mmr_candidates=candidates).rank(index(texts, ["?"], vectors), len(texts))
    of_chunk = dict(zip(plain.chunks[0].tolist(), plain.scores[0].tolist(), strict=True))
    best = sorted(plain.chunks[0, :candidates].tolist())
    exact = vectors.passages[vectors.text_of_chunk[best]].astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    order = written_out([of_chunk[chunk] for chunk in best], (exact @ exact.T).round(6).tolist(), weight)
    assert found.chunks[0, :candidates].tolist() == [best[place] for place in order]
    assert found.chunks[0, candidates:].tolist() == plain.chunks[0, candidates:].tolist()
    shallow = Dense(mmr=weight, mmr_candidates=candidates).rank(index(texts, ["?"], vectors), 1)
    assert shallow.chunks.tolist() == found.chunks[:, :1].tolist()


def test_options_that_are_ignored_are_none():
    assert Dense(mmr_candidates=9, rerank_candidates=9) == Dense()
    assert Dense(mmr=0.5) == Dense(mmr=0.5, mmr_candidates=50)
