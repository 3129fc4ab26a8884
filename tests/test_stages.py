"""What each stage depends on, and what the stages make of the tiny corpus."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from tests.tiny_corpus import DOCUMENTS, QUESTIONS, UNITS, settings, tree

from chunksweep import rules, stages
from chunksweep.errors import ConfigError, CorpusError, QuestionsError
from chunksweep.settings import Choice, TokenizerSettings

KEYS = {"chunking": stages.chunking_key, "texts": stages.texts_key, "ranking": stages.ranking_key}

TOKENS = {"chunker": "fixed", "chunker.unit": "tokens", "embedder": "minilm"}


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        pytest.param({}, {"send": 1}, ["chunking", "texts", "ranking"], id="what is sent"),
        pytest.param({}, {"send_tokens": 9}, ["chunking", "texts", "ranking"], id="how many tokens are sent"),
        pytest.param({}, {"retriever.dedupe": 0.5}, ["chunking", "texts", "ranking"], id="near duplicates"),
        pytest.param({}, {"k": [7]}, ["chunking", "texts", "ranking"], id="cut-offs"),
        pytest.param({}, {"prices.input": 1}, ["chunking", "texts", "ranking"], id="prices"),
        pytest.param({}, {"tokenizer": "cl100k"}, ["chunking", "texts", "ranking"], id="what counts sent tokens"),
        pytest.param(
            {"prefix": "path"}, {"prefix": "path", "prefix.send": True}, [*KEYS], id="whether a prefix is sent"
        ),
        pytest.param({}, {"retriever.expand": "section"}, [*KEYS], id="what is sent for a hit"),
        pytest.param({}, {"retriever": "hybrid"}, ["chunking", "texts"], id="retriever"),
        pytest.param(
            {"retriever": "bm25"}, {"retriever": "bm25", "retriever.b": 0.5}, ["chunking", "texts"], id="its option"
        ),
        pytest.param({}, {"embedder": "minilm"}, ["chunking", "texts"], id="embedder"),
        pytest.param({}, {"prefix": "heading"}, ["chunking"], id="prefix"),
        pytest.param({"prefix": "path"}, {"prefix": "path", "prefix.separator": "\n"}, ["chunking"], id="separator"),
        pytest.param({}, {"size": 2}, [], id="size"),
        pytest.param({"size": 2}, {"size": 2, "overlap": 1}, [], id="overlap"),
        pytest.param({}, {"chunker": "sentences"}, [], id="chunker"),
        pytest.param({}, {"chunker.headings": "drop"}, [], id="option of the chunker"),
        pytest.param({}, {"corpus": "handbook_natural"}, [], id="corpus"),
        pytest.param(TOKENS, {**TOKENS, "tokenizer": "cl100k"}, [], id="the tokenizer where it measures sizes"),
        pytest.param(
            {**TOKENS, "tokenizer": "embedder"},
            {**TOKENS, "tokenizer": "embedder", "embedder": "test"},
            [],
            id="the embedder where its tokens measure sizes",
        ),
    ],
)
def test_cells_share_the_stages_that_nothing_they_differ_in_reaches(one, two, shared):
    cells = [rules.from_tree(tree(changes)) for changes in (one, two)]
    assert [name for name, key in KEYS.items() if len({key(cell) for cell in cells}) == 1] == shared


def test_inputs_carry_the_digests_that_name_them(tiny):
    inputs = stages.read_inputs(settings(tiny).corpus)
    assert [document.id for document in inputs.corpus.documents] == ["bees.md", "cats.txt"]
    assert [question.id for question in inputs.questions] == ["bees", "dogs", "both"]
    digests = {name: sha256(text.encode()).hexdigest() for name, text in sorted(DOCUMENTS.items())}
    assert inputs.corpus_sha256 == sha256(json.dumps(digests).encode()).hexdigest()
    assert inputs.questions_sha256 == sha256((tiny / "questions.jsonl").read_bytes()).hexdigest()


def test_a_document_under_another_name_is_another_corpus(tiny):
    before = stages.corpus_sha256(stages.read_documents(settings(tiny).corpus))
    (tiny / "docs" / "cats.txt").rename(tiny / "docs" / "dogs.txt")
    assert stages.corpus_sha256(stages.read_documents(settings(tiny).corpus)) != before


def test_a_corpus_without_questions_can_be_read_but_not_run(tiny):
    made = rules.from_tree(tree({"corpus": {"name": "own", "path": str(tiny / "docs")}}))
    assert stages.read_documents(made.corpus).characters == sum(map(len, DOCUMENTS.values()))
    with pytest.raises(QuestionsError, match=r"corpus\.questions=FILE.*chunksweep chunks"):
        stages.read_inputs(made.corpus)


@pytest.mark.parametrize(
    ("chunker", "texts"),
    [
        pytest.param("paragraphs", UNITS, id="paragraphs"),
        pytest.param("sentences", UNITS, id="sentences"),
        pytest.param("whole", [text.strip() for text in DOCUMENTS.values()], id="whole"),
        pytest.param(
            "headings",
            [f"{UNITS[0]}\n\n{UNITS[1]}".removeprefix("# Bees\n\n"), f"{UNITS[2]}\n\n{UNITS[3]}"],
            id="headings",
        ),
    ],
)
def test_split(tiny, chunker, texts):
    cell = settings(tiny, chunker=chunker)
    corpus = stages.read_documents(cell.corpus)
    chunks = stages.split(cell, corpus)
    assert chunks.texts(corpus) == texts
    assert chunks.document.tolist() == sorted(chunks.document.tolist())


def test_split_measures_in_tokens(tiny):
    cell = settings(tiny, chunker="fixed", chunker__unit="tokens", size=4)
    corpus = stages.read_documents(cell.corpus)
    counts = stages.tokenizer_of(cell.tokenizer, cell.embedder).count(stages.split(cell, corpus).texts(corpus))
    assert counts.max() <= 4


def test_a_chunking_that_leaves_nothing_is_an_error(tmp_path):
    (tmp_path / "only.md").write_text("# A heading\n\n## Another\n", encoding="utf-8")
    cell = rules.from_tree(tree({"corpus": {"name": "own", "path": str(tmp_path)}, "chunker": "headings"}))
    with pytest.raises(CorpusError, match="chunker=headings leaves no chunk of 1 documents"):
        stages.split(cell, stages.read_documents(cell.corpus))


@pytest.mark.parametrize(
    ("prefix", "texts"),
    [
        pytest.param("none", UNITS, id="none"),
        pytest.param("heading", [UNITS[0], f"Bees: {UNITS[1]}", *UNITS[2:]], id="heading, but where it stands already"),
        pytest.param(
            "title", [UNITS[0], f"Bees: {UNITS[1]}", f"cats: {UNITS[2]}", f"cats: {UNITS[3]}"], id="title or file name"
        ),
    ],
)
def test_embedded_texts(tiny, prefix, texts):
    cell = settings(tiny, prefix=prefix, prefix__separator=": ")
    corpus = stages.read_documents(cell.corpus)
    chunks = stages.split(cell, corpus)
    before = stages.prefixes(cell, corpus, chunks)
    assert stages.embedded_texts(cell, corpus, chunks, before) == texts


def test_the_tokenizer_of_an_embedder_that_has_none():
    with pytest.raises(ConfigError, match=r"embedder=test has no tokenizer.*o200k or cl100k"):
        stages.tokenizer_of(TokenizerSettings("embedder"), Choice("test"))


def test_the_tokenizer_of_an_embedder_counts_as_the_model_does():
    minilm = settings(embedder="minilm").embedder
    # The model's own count has two special tokens more.
    counted = stages.tokenizer_of(TokenizerSettings("embedder"), minilm).count(["Bees buzz."]).tolist()
    assert [count + 2 for count in counted] == stages.embedder_of(minilm).count_tokens(["Bees buzz."]).tolist()


def test_every_question_has_its_facts_in_place(tiny):
    inputs = stages.read_inputs(settings(tiny).corpus)
    quotes = [[fact.quote for fact in question.facts] for question in inputs.questions]
    assert quotes == [question.get("facts") or [question["fact"]] for question in QUESTIONS]
    texts = {document.id: document.text for document in inputs.corpus.documents}
    for question in inputs.questions:
        for fact in question.facts:
            (place,) = fact.places
            assert texts[place.document_id][place.span.start : place.span.end] == fact.quote


STOCK = "part,place\nbolt,shelf 1\nnut,shelf 2\npin\n"


@pytest.fixture
def stock(tmp_path):
    """Settings of a corpus of one table, with its questions file in the same folder."""
    (tmp_path / "stock.csv").write_text(STOCK, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps({"question": "Where?", "fact": "nut"}), encoding="utf-8")
    corpus = {"name": "own", "path": str(tmp_path), "questions": str(tmp_path / "questions.jsonl")}
    return rules.from_tree(tree({"corpus": corpus, "chunker": "tables", "prefix": "title"}))


def test_the_questions_file_is_no_document_of_the_folder(stock):
    corpus = stages.read_documents(stock.corpus)
    assert [document.id for document in corpus.documents] == ["stock.csv"]
    assert corpus.unread == ()


def test_what_is_odd_about_documents_is_told(stock):
    (warning,) = stages.read_inputs(stock.corpus).warnings
    assert warning.startswith("stock.csv has 1 of 4 rows with more or fewer cells than the 2 of its header (row 4)")


def test_a_header_that_a_strategy_adds_is_embedded_after_the_prefix(stock):
    corpus = stages.read_documents(stock.corpus)
    chunks = stages.split(stock, corpus)
    assert chunks.texts(corpus) == [
        "part | place\nbolt | shelf 1",
        "part | place\nnut | shelf 2",
        "part | place\npin",
    ]
    texts = stages.embedded_texts(stock, corpus, chunks, stages.prefixes(stock, corpus, chunks))
    assert texts[1] == "stock. part | place\nnut | shelf 2"
    assert chunks.where(chunks.start > 0).texts(corpus) == chunks.texts(corpus)[1:]
