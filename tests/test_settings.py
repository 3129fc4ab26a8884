"""Settings as plain data: what is recorded of them, and what names a result."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
import yaml
from tests.contracts.chunker_contract import STRATEGIES, option_sets
from tests.tiny_corpus import settings, tree

from chunksweep import rules
from chunksweep.chunkers import find
from chunksweep.paths import CORPORA
from chunksweep.settings import Choice, Settings, TokenizerSettings, file_sha256, named_tokenizer
from chunksweep.sweep.session import config_yaml

SIZES = [
    pytest.param(None, 0, id="default size"),
    pytest.param(7, 0, id="size"),
    pytest.param(7, 0.5, id="size and a share"),
    pytest.param(7, 3, id="size and a count"),
]


@pytest.mark.parametrize(("size", "overlap"), SIZES)
@pytest.mark.parametrize(
    ("strategy", "options"), [(name, options) for name in STRATEGIES for options in option_sets(name)]
)
def test_settings_come_back_from_their_record(strategy, options, size, overlap):
    made = rules.from_tree(tree({"chunker": {"name": strategy, **options}, "size": size, "overlap": overlap}))
    again = rules.from_tree(yaml.safe_load(config_yaml(made)))
    assert again == made
    assert (again.asked_overlap, again.cache, again.tracking) == (made.asked_overlap, made.cache, made.tracking)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            dict(zip(("prefix", "prefix.send"), values, strict=True)), id=f"prefix {values[0]} sent {values[1]}"
        )
        for values in product(("none", "heading", "path", "title"), (False, True))
    ]
    + [
        pytest.param({"prefix": "heading", "prefix.separator": "\n – \x85 é'\"\\"}, id="an odd separator"),
        pytest.param({"prefix": "template", "prefix.template": "{title}:\n'{path}' {{}}"}, id="a template"),
        pytest.param({"corpus": {"name": "wiki", "path": "/a b/ü", "exclude": ["*, [x].md"]}}, id="own corpus"),
        pytest.param({"prices": {"embedding": 0.02, "input": 1e-7}}, id="prices"),
        pytest.param({"tracking": {"uri": "http://localhost:5000", "experiment": "x: y"}}, id="tracking"),
        pytest.param({"k": [2, 20], "send": 7}, id="cut-offs"),
        pytest.param({"verdict.baseline": "chunker=fixed size=400", "verdict.holdout": 0.25}, id="verdict"),
    ],
)
def test_other_settings_come_back_too(changes):
    made = rules.from_tree(tree(changes))
    again = rules.from_tree(yaml.safe_load(config_yaml(made)))
    assert (again, again.tracking, again.cache) == (made, made.tracking, made.cache)
    assert again.verdict == made.verdict


def test_a_baseline_is_named_by_typed_parameters():
    made = settings(verdict__baseline="chunker=fixed size=400 overlap=0.2 prefix.send=null")
    assert made.verdict.baseline_params == {"chunker": "fixed", "size": 400, "overlap": 0.2, "prefix.send": None}
    assert settings().verdict.baseline_params == {}


def test_every_field_of_the_settings_is_recorded():
    fields = set(Settings.__dataclass_fields__) - {"asked_overlap"}
    assert set(settings().tree()) == fields


def test_params_are_flat_and_plain():
    made = settings(chunker="fixed", size=100, overlap=0.29, send=2, prices__input=2.5)
    assert made.params() == {
        "corpus": "runbooks",
        "corpus.path": None,
        "corpus.questions": None,
        "corpus.include": [],
        "corpus.exclude": [],
        "corpus.encoding": "utf-8",
        "chunker": "fixed",
        "chunker.tokenizer": None,
        "chunker.unit": "characters",
        "chunker.whole_words": False,
        "size": 100,
        "overlap": 0.29,
        "prefix": "none",
        "prefix.separator": None,
        "prefix.send": None,
        "prefix.template": None,
        "embedder": "test",
        "retriever": "dense",
        "retriever.dedupe": None,
        "retriever.mmr": None,
        "retriever.mmr_candidates": None,
        "retriever.rerank": None,
        "retriever.rerank_candidates": None,
        "retriever.expand": "none",
        "retriever.parent": None,
        "retriever.parent_size": None,
        "retriever.window": None,
        "retriever.window_unit": None,
        "send": 2,
        "send_tokens": None,
        "context_window": 100_000,
        "k": [1, 3],
        "tokenizer": "o200k",
        "tokenizer.path": None,
        "prices.embedding": None,
        "prices.input": 2.5,
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(None, None, id="none"),
        pytest.param("cl100k", TokenizerSettings("cl100k"), id="an encoding"),
        pytest.param("embedder", TokenizerSettings("embedder"), id="the model's"),
        pytest.param("a/t.json", TokenizerSettings("file", "a/t.json"), id="a file"),
    ],
)
def test_named_tokenizer(name, expected):
    assert named_tokenizer(name) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"chunker": "fixed"}, None, id="characters"),
        pytest.param({"chunker": "sentences"}, None, id="sentences"),
        pytest.param({"chunker": "fixed", "chunker.unit": "tokens"}, TokenizerSettings("o200k"), id="as what is sent"),
        pytest.param(
            {"chunker": "fixed", "chunker.unit": "tokens", "chunker.tokenizer": "cl100k"},
            TokenizerSettings("cl100k"),
            id="its own",
        ),
        pytest.param({"chunker": "headings", "chunker.unit": "tokens"}, None, id="no size to measure"),
    ],
)
def test_what_measures_the_size(changes, expected):
    assert rules.from_tree(tree(changes)).size_tokenizer == expected


def hash_of(changes):
    return rules.from_tree(tree(changes)).config_hash("corpus", "questions", "model")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"chunker": "sentences"}, id="chunker"),
        pytest.param({"chunker.headings": "drop"}, id="option"),
        pytest.param({"size": 2}, id="size"),
        pytest.param({"size": 2, "overlap": 1}, id="overlap"),
        pytest.param({"prefix": "heading"}, id="prefix"),
        pytest.param({"prefix": "template", "prefix.template": "{path}"}, id="template"),
        pytest.param({"embedder": "minilm"}, id="embedder"),
        pytest.param({"send": 1}, id="send"),
        pytest.param({"k": [5]}, id="k"),
        pytest.param({"tokenizer": "cl100k"}, id="tokenizer"),
        pytest.param({"prices.input": 1}, id="prices"),
    ],
)
def test_hash_changes_with_what_changes_a_result(changes):
    assert hash_of(changes) != hash_of({})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param({"embedder": "minilm"}, {"embedder": "minilm", "embedder.device": "cuda"}, id="device"),
        pytest.param({}, {"tracking.uri": "sqlite:///x.db", "tracking.experiment": "y"}, id="tracking"),
        pytest.param({}, {"cache.dir": "elsewhere"}, id="cache"),
        pytest.param({}, {"verdict.margin": 0.1, "verdict.seed": 3}, id="how a sweep is judged"),
        pytest.param({}, {"corpus": {"name": "wiki", "path": "/copied"}}, id="where the same documents lie"),
        pytest.param({"size": 10, "overlap": 0.2}, {"size": 10, "overlap": 2}, id="how the overlap was said"),
        pytest.param({}, {"hydra": {"mode": "RUN"}}, id="hydra"),
    ],
)
def test_hash_stays_with_what_changes_no_result(one, two):
    assert hash_of(one) == hash_of(two)


def test_hash_changes_with_documents_and_questions():
    made = settings()
    of = [made.config_hash(*digests, "model") for digests in (("a", "b"), ("x", "b"), ("a", "x"))]
    assert len(set(of)) == 3


def test_a_model_enters_the_hash_by_its_digest_wherever_it_lies(tmp_path):
    named = [settings(embedder={"name": "sentence_transformers", "model": name}) for name in ("one", "two")]
    one, two = (made.config_hash("corpus", "questions", "model") for made in named)
    assert one == two != named[0].config_hash("corpus", "questions", "another model")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(lambda path: {"tokenizer": {"name": "file", "path": path}}, id="counts what is sent"),
        pytest.param(
            lambda path: {"chunker": {"name": "fixed", "unit": "tokens", "tokenizer": path}}, id="measures the size"
        ),
    ],
)
def test_a_tokenizer_file_enters_by_what_it_holds(tmp_path, changes):
    names = {"one": "{}", "copy": "{}", "other": "[]"}
    for name, text in names.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    one, copy, other = (hash_of(changes(str(tmp_path / f"{name}.json"))) for name in names)
    assert one == copy != other


def test_file_sha256(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    assert file_sha256(tmp_path / "file") == sha256(b"abc").hexdigest()


def test_where_documents_and_questions_lie():
    bundled = settings().corpus
    assert bundled.documents_path == CORPORA / "runbooks" / "docs"
    assert bundled.questions_path == CORPORA / "runbooks" / "questions.jsonl"
    own = rules.from_tree(tree({"corpus": {"name": "own", "path": "/docs"}})).corpus
    assert (own.documents_path, own.questions_path) == (Path("/docs"), None)


def test_an_option_that_a_choice_lacks_is_none():
    assert Choice("fixed", (("unit", "tokens"),)).option("unit") == "tokens"
    assert Choice("whole").option("unit") is None


def test_every_option_of_a_strategy_is_in_its_choice():
    for name in STRATEGIES:
        options = dict(settings(chunker=name).chunker.options)
        assert set(options) == {item.name for item in fields(find(name))} - {"size", "overlap"}
