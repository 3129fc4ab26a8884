"""Late chunking: vectors pooled from token vectors, beside a direct computation with transformers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.embedders import tiny_models
from tests.sweep.carrying_out import carried_out, planned
from tests.tiny_corpus import settings, tree

from chunksweep import rules
from chunksweep.chunkers import make, split_document
from chunksweep.documents import plain
from chunksweep.embedders import sentence_transformers
from chunksweep.embedders.base import InContext
from chunksweep.embedders.late import LateChunking
from chunksweep.embedders.local_model import LocalModel
from chunksweep.embedders.minilm import MiniLM, model_folder
from chunksweep.errors import ConfigError, EmbeddingError
from chunksweep.records import Span
from chunksweep.tokens import load_tokenizer

TEXT = "Berlin is the capital of Germany. It has many canals. Its mayor governs the city."
SENTENCES = [Span(0, 33), Span(34, 53), Span(54, 81)]


def direct(context, spans, folder=None, prompt=""):
    """The definition, by transformers alone: one pass, then the mean of the vectors of the tokens in each span."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = folder or model_folder()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    read = tokenizer(prompt + context, return_tensors="pt", return_offsets_mapping=True)
    offsets = read.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        states = model(**read).last_hidden_state[0].numpy()
    vectors = []
    for span in spans:
        first, last = span.start + len(prompt), span.end + len(prompt)
        mean = states[[row for row, (start, end) in enumerate(offsets) if first <= start < end <= last]].mean(axis=0)
        vectors.append(mean / np.sqrt((mean**2).sum()))
    return np.array(vectors)


def test_vectors_are_those_of_a_direct_computation():
    model = LateChunking()
    chunks = model.in_context(TEXT, SENTENCES)
    assert [chunk.chunk for chunk in chunks] == [TEXT[span.start : span.end] for span in SENTENCES]
    assert {chunk.context for chunk in chunks} == {TEXT}
    vectors = model.embed(chunks, "passage")
    np.testing.assert_allclose(vectors, direct(TEXT, SENTENCES), atol=1e-5)
    # Alone, "It has many canals." is about no city.
    alone = MiniLM().embed([chunk.chunk for chunk in chunks], "passage")
    question = MiniLM().embed(["Which city has canals, Berlin?"], "question")[0]
    assert vectors[1] @ question > alone[1] @ question + 0.1


@pytest.mark.filterwarnings("ignore:The `get_sentence_embedding_dimension` method has been renamed:FutureWarning")
def test_chonkies_late_chunker_cuts_alike_and_pools_the_special_tokens_too():
    """So its vectors are ours but for the first chunk, which has the model's [CLS] in it, and the last, with [SEP]."""
    from chonkie import LateChunker
    from chonkie.embeddings import SentenceTransformerEmbeddings

    text = (
        "The pump stands in the cellar. It is led by Ms. Orr.\n\n"
        "She orders a new seal each spring. The old one is kept.\n\n"
        "In winter the valve is closed. Nobody goes down then."
    )
    theirs = LateChunker(SentenceTransformerEmbeddings(str(model_folder()), device="cpu"), chunk_size=20).chunk(text)
    recursive = make("chonkie_recursive", {"unit": "tokens", "tokenizer": "embedder"}, 20)
    spans = list(split_document(recursive, plain.read(text, "a.txt"), load_tokenizer("file", MiniLM().tokenizer_path)))
    assert [(chunk.start_index, chunk.end_index) for chunk in theirs] == [(span.start, span.end) for span in spans]
    model = LateChunking()
    ours = model.embed(model.in_context(text, spans), "passage")
    cosines = [
        float(chunk.embedding @ vector / np.linalg.norm(chunk.embedding))
        for chunk, vector in zip(theirs, ours, strict=True)
    ]
    assert cosines[1] == pytest.approx(1, abs=1e-6)
    assert max(cosines[0], cosines[2]) < 0.999


def test_a_prompt_is_read_and_not_pooled(tmp_path):
    folder = tiny_models.bert(tmp_path / "model", prompts={"document": "say: "}, window=64)
    model = LateChunking(str(folder))
    expected = direct(TEXT, SENTENCES, folder, "say: ")
    np.testing.assert_allclose(model.embed(model.in_context(TEXT, SENTENCES), "passage"), expected, atol=1e-5)


def test_other_texts_and_questions_are_embedded_as_they_stand():
    model = LateChunking()
    mixed = ["a cat", *model.in_context(TEXT, SENTENCES), "a dog"]
    done = []
    vectors = model.embed(mixed, "passage", done.append)
    plain = MiniLM().embed(["a cat", "a dog"], "passage")
    np.testing.assert_allclose(vectors[[0, -1]], plain, atol=1e-6)
    np.testing.assert_allclose(vectors[1:-1], direct(TEXT, SENTENCES), atol=1e-5)
    assert sum(done) == len(mixed)
    assert model.embed([], "passage").shape[0] == 0


# Twelve words of one token each: with two special tokens and eight to spare a window of 16 has room for six.
WORDS = "a b c d e f g h i j k l"


def words(first, last):
    return Span(2 * first, 2 * last - 1)


@pytest.mark.parametrize(
    ("spans", "contexts"),
    [
        pytest.param([words(0, 3), words(3, 6)], ["a b c d e f"] * 2, id="together, when they fit"),
        pytest.param([words(0, 3), words(3, 7)], ["a b c", "d e f g"], id="apart, when they do not"),
        pytest.param([words(0, 3), words(2, 5), words(4, 7)], ["a b c d e"] * 2 + ["e f g"], id="overlap counts once"),
        pytest.param([words(0, 9), words(9, 12)], ["a b c d e f g h i", "j k l"], id="one beyond the window is alone"),
        pytest.param([words(3, 6)], ["d e f"], id="what no chunk holds is not read"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_as_many_chunks_are_read_together_as_fit(tmp_path, spans, contexts):
    model = LateChunking(str(tiny_models.bert(tmp_path / "model", window=16)))
    found = model.in_context(WORDS, spans)
    assert [chunk.context for chunk in found] == contexts
    assert [chunk.chunk for chunk in found] == [WORDS[span.start : span.end] for span in spans]


def test_a_chunk_beyond_the_window_is_counted(tmp_path):
    model = LateChunking(str(tiny_models.bert(tmp_path / "model", window=16)))
    chunks = model.in_context(" ".join(["a"] * 40), [Span(0, 79)])
    assert model.read([*chunks, "a b"]).tokens.tolist() == [42, 4]
    assert np.isfinite(model.embed(chunks, "passage")).all()


def test_chunks_are_told_apart_by_their_text_and_context():
    def named(context, start, end):
        return InContext(context, f"sha of {context}", Span(start, end))

    alike = [named("a b a", 0, 1), named("a b a", 4, 5), named("a b c", 0, 1), "a"]
    assert len({*alike, *alike}) == 4
    assert named("a b a", 0, 1) == alike[0]


@pytest.mark.parametrize(
    "built",
    [
        pytest.param({"pooling": {"embedding_dimension": 16, "pooling_mode": "cls"}}, id="another pooling"),
        pytest.param(
            {"pooling": {"word_embedding_dimension": 16, "pooling_mode_max_tokens": True}}, id="another, as of old"
        ),
    ],
)
def test_a_model_that_takes_no_mean_is_refused(tmp_path, built):
    model = LateChunking(str(tiny_models.bert(tmp_path / "model", window=64, **built)))
    with pytest.raises(EmbeddingError, match="does not take the mean of its tokens' vectors"):
        model.embed(model.in_context(TEXT, SENTENCES), "passage")


def test_a_table_of_words_is_refused(tmp_path):
    model = LateChunking(str(tiny_models.static(tmp_path / "model")))
    with pytest.raises(EmbeddingError, match="does not take the mean of its tokens' vectors"):
        model.embed(model.in_context(TEXT, SENTENCES), "passage")


def test_its_vectors_are_kept_apart():
    folder = str(model_folder())
    prints = {LateChunking().fingerprint, LateChunking(dimension=8).fingerprint, LocalModel(folder).fingerprint}
    assert len(prints) == 3
    assert LateChunking(folder).fingerprint == LateChunking().fingerprint


@pytest.mark.parametrize("options", [{"dimension": 0}, {"precision": "int8"}])
def test_its_options_are_checked(options):
    with pytest.raises(ConfigError, match=r"embedder\."):
        LateChunking(**options)


def test_a_prefix_has_no_place_in_a_document():
    with pytest.raises(rules.ImpossibleCellError, match="prefix=heading with embedder=late"):
        rules.from_tree(tree({"embedder": "late", "prefix": "heading"}))


def test_words_that_a_strategy_adds_have_no_place_either(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.csv").write_text("name,size\npump,2\nseal,3\n")
    (tmp_path / "q.jsonl").write_text('{"question": "How large?", "fact": "pump | 2"}')
    corpus = {"name": "own", "path": str(tmp_path / "docs"), "questions": str(tmp_path / "q.jsonl")}
    cell = rules.from_tree(tree({"corpus": corpus, "chunker": "tables", "embedder": "late"}))
    with pytest.raises(ConfigError, match=r"chunker=tables puts words before its chunks .* embedder=late"):
        planned([cell], tmp_path)


def test_a_sweep_reads_each_document_once(tiny, tmp_path, monkeypatch):
    passes = []
    token_vectors = sentence_transformers.SentenceTransformerEngine.token_vectors

    def counted(engine, text, prompt=""):
        passes.append(text)
        return token_vectors(engine, text, prompt)

    monkeypatch.setattr(sentence_transformers.SentenceTransformerEngine, "token_vectors", counted)
    cells = [settings(tiny, embedder="late", chunker=chunker) for chunker in ("paragraphs", "sentences")]
    outcomes = carried_out(cells, tmp_path)
    # Both strategies cut two documents into the same four chunks.
    assert len(passes) == 2
    for outcome in outcomes.values():
        assert (outcome.metrics["chunks/count"], outcome.metrics["retrieval/ceiling"]) == (4, 1)
    passes.clear()
    carried_out(cells, tmp_path)
    assert passes == []  # the cache has them
