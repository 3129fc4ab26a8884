"""What a configuration may say, and the one line for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from omegaconf import OmegaConf
from tests.tiny_corpus import BASE, settings, tree

from chunksweep import rules
from chunksweep.errors import ConfigError
from chunksweep.settings import Prices, TokenizerSettings

REFUSED = [
    pytest.param({"size": 0}, ["size=0", "at least 1"], id="size 0"),
    pytest.param({"size": -5}, ["size=-5", "at least 1"], id="negative size"),
    pytest.param({"size": "abc"}, ["size=abc", "whole number"], id="size is a word"),
    pytest.param({"size": 2.5}, ["size=2.5", "whole number"], id="size is broken"),
    pytest.param({"size": True}, ["size=True", "whole number"], id="size is a truth value"),
    pytest.param({"chunker": "whole", "size": "abc"}, ["size=abc"], id="size is checked where it is ignored too"),
    pytest.param({"overlap": -0.1}, ["overlap=-0.1", "at least 0", "share"], id="negative overlap"),
    pytest.param({"overlap": 1.5}, ["overlap=1.5", "below 1", "whole number"], id="overlap of one and a half"),
    pytest.param({"overlap": "some"}, ["overlap=some", "a number is needed"], id="overlap is a word"),
    pytest.param({"overlap": ""}, ["overlap=", "a number is needed"], id="overlap is empty"),
    pytest.param({"overlap": False}, ["overlap=False", "a number is needed"], id="overlap is a truth value"),
    pytest.param({"overlap": float("nan")}, ["overlap=nan"], id="overlap is not a number"),
    pytest.param({"overlap": float("inf")}, ["overlap=inf"], id="overlap is endless"),
    pytest.param({"chunker": "whole", "overlap": -1}, ["overlap=-1"], id="overlap is checked where it is ignored too"),
    pytest.param({"send": 0}, ["send=0", "at least 1"], id="send 0"),
    pytest.param({"context_window": 0}, ["context_window=0", "at least 1"], id="no window"),
    pytest.param({"send_tokens": 0}, ["send_tokens=0", "at least 1"], id="a budget of 0"),
    pytest.param({"send": 0, "send_tokens": 5}, ["send=0"], id="send is checked where it is ignored too"),
    pytest.param({"send": None}, ["send=None", "whole number"], id="neither passages nor tokens"),
    pytest.param({"retriever.dedupe": 0}, ["retriever.dedupe=0", "such as 0.8"], id="all are near duplicates"),
    pytest.param({"retriever.dedupe": 1.5}, ["retriever.dedupe=1.5", "at most 1"], id="no share"),
    pytest.param({"send": "all"}, ["send=all", "whole number"], id="send is a word"),
    pytest.param({"k": 5}, ["k=5", "k=[1,3,5,10]"], id="k is no list"),
    pytest.param({"k": []}, ["k=[]", "list of cut-offs"], id="k is empty"),
    pytest.param({"k": [1, 0]}, ["k=0", "at least 1"], id="a cut-off of 0"),
    pytest.param({"k": [True]}, ["k=True", "whole number"], id="a cut-off is a truth value"),
    pytest.param({"prices": {"input": -1}}, ["prices.input=-1", "at least 0"], id="negative price"),
    pytest.param({"prices": {"input": float("inf")}}, ["prices.input=inf"], id="endless price"),
    pytest.param({"prices": {"input": "dear"}}, ["prices.input=dear", "Float"], id="price is a word"),
    pytest.param({"prices": {"output": 1}}, ["prices.output", "prices.embedding, prices.input"], id="unknown price"),
    pytest.param({"prices": 5}, ["prices=5", "prices.embedding, prices.input"], id="a value for all prices"),
    pytest.param({"verdict.metric": "answerable"}, ["verdict.metric=answerable", "retrieval/answerable"], id="metric"),
    pytest.param({"verdict.metric": "retrieval/hit_at_7"}, ["hit_at_7", "k=[1, 3]"], id="a cut-off that is not in k"),
    pytest.param({"verdict.cluster": "file"}, ["verdict.cluster=file", "document"], id="cluster"),
    pytest.param({"verdict.margin": 0}, ["verdict.margin=0", "above 0"], id="no margin"),
    pytest.param({"verdict.alpha": 0.5}, ["verdict.alpha=0.5", "below 0.5"], id="alpha"),
    pytest.param({"verdict.alpha": float("nan")}, ["verdict.alpha=nan"], id="alpha is no number"),
    pytest.param({"verdict.holdout": 0.6}, ["verdict.holdout=0.6", "0 to 0.5"], id="more held out than compared"),
    pytest.param({"verdict.seed": -1}, ["verdict.seed=-1", "at least 0"], id="seed"),
    pytest.param({"verdict.baseline": "fixed"}, ["verdict.baseline=fixed", "chunker=fixed size=400"], id="baseline"),
    pytest.param({"verdict": {"winner": 1}}, ["verdict.winner", "verdict.metric"], id="unknown verdict key"),
    pytest.param({"prices": None}, ["prices=None", "prices.embedding"], id="no prices node"),
    pytest.param({"tracking": None}, ["tracking=None", "tracking.uri"], id="no tracking node"),
    pytest.param({"tracking": {"url": "x"}}, ["tracking.url", "tracking.uri"], id="unknown tracking key"),
    pytest.param({"cache": "folder"}, ["cache=folder", "cache.dir"], id="a value for the cache node"),
    pytest.param({"tokenizer": None}, ["tokenizer=None", "o200k"], id="no tokenizer"),
    pytest.param({"tokenizer": "file"}, ["tokenizer=file", "tokenizer.path=None"], id="tokenizer file without a path"),
    pytest.param(
        {"tokenizer.path": "t.json"},
        ["tokenizer=o200k", "tokenizer.path=t.json", "tokenizer=file"],
        id="path for o200k",
    ),
    pytest.param(
        {"tokenizer": "file", "tokenizer.path": "nowhere.json"},
        ["nowhere.json", "no such file"],
        id="no such tokenizer",
    ),
    pytest.param({"tokenizer.kind": "x"}, ["tokenizer.kind", "tokenizer.path"], id="unknown tokenizer key"),
    pytest.param({"prefix": "footer"}, ["prefix=footer", "heading, none, path, template, title"], id="unknown prefix"),
    pytest.param({"prefix": "template"}, ["prefix=template needs prefix.template", "{title}"], id="no template"),
    pytest.param(
        {"prefix": "heading", "prefix.template": "{path}"},
        ["prefix.template goes with prefix=template"],
        id="a template for another prefix",
    ),
    pytest.param({"prefix": "template", "prefix.template": "{a.b}"}, ["only a name", "{a.b}"], id="no template at all"),
    pytest.param({"prefix.color": "red"}, ["prefix.color", "prefix.separator, prefix.send"], id="unknown prefix key"),
    pytest.param({"prefix.send": "maybe"}, ["prefix.send=maybe", "bool"], id="prefix.send is a word"),
    pytest.param({"chunker": "telepathic"}, ["chunker=telepathic", "fixed, headings"], id="unknown chunker"),
    pytest.param({"chunker": {}}, ["chunker={}", "fixed, headings"], id="no chunker"),
    pytest.param({"chunker.unit": "tokens"}, ["chunker.unit", "paragraphs", "chunker.headings"], id="unknown option"),
    pytest.param({"chunker": "whole", "chunker.x": 1}, ["chunker.x", "options: none"], id="an option of none"),
    pytest.param(
        {"chunker": "fixed", "chunker.unit": "inches"}, ["inches", "characters, words, tokens"], id="unknown unit"
    ),
    pytest.param({"chunker.headings": ["keep"]}, ["chunker.headings"], id="a list as option"),
    pytest.param({"embedder": "gpt"}, ["embedder=gpt", "minilm, "], id="unknown embedder"),
    pytest.param({"embedder.device": "cpu"}, ["embedder.device", "embedder=test"], id="an option of another embedder"),
    pytest.param({"embedder": "none"}, ["embedder=none", "retriever=dense", "minilm", "bm25"], id="no embedder"),
    pytest.param(
        {"embedder": "none", "retriever": "bm25", "tokenizer": "embedder"},
        ["embedder=none", "tokens", "tokenizer=o200k"],
        id="no embedder to count tokens",
    ),
    pytest.param(
        {"retriever": "bm25", "retriever.rrf": 1}, ["retriever.rrf", "retriever=bm25", "retriever.k1"], id="no fusion"
    ),
    pytest.param({"retriever": "psychic"}, ["retriever=psychic", "dense"], id="unknown retriever"),
    pytest.param({"corpus": "own"}, ["corpus=own", "corpus.path", "runbooks"], id="own corpus without a path"),
    pytest.param({"corpus": ""}, ["corpus=", "corpus.path", "runbooks"], id="corpus without a name"),
    pytest.param({"corpus": "../runbooks"}, ["corpus=../runbooks", "corpus.path"], id="a way up is no bundled corpus"),
    pytest.param({"corpus.path": "docs"}, ["corpus=runbooks", "corpus.path"], id="bundled corpus with a path"),
    pytest.param({"corpus.questions": "q.csv"}, ["corpus=runbooks", "corpus.questions"], id="bundled with questions"),
    pytest.param({"corpus.include": 5}, ["corpus.include=5", "globs"], id="a number as glob"),
    pytest.param({"corpus.folder": "x"}, ["corpus.folder", "corpus.path"], id="unknown corpus key"),
    pytest.param({"colour": 1}, ["colour is not a key", "chunker, context_window, corpus"], id="unknown key"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_refuses_in_one_line(changes, words):
    with pytest.raises(ConfigError) as caught:
        rules.from_tree(tree(changes))
    message = str(caught.value)
    assert "\n" not in message
    assert [word for word in words if word not in message] == []
    assert not isinstance(caught.value, rules.ImpossibleCellError)


@pytest.mark.parametrize(
    ("chunker", "size", "overlap", "words"),
    [
        pytest.param("fixed", 400, 400, ["overlap=400", "size=400", "chunker=fixed, characters"], id="as large"),
        pytest.param("fixed", None, 500, ["overlap=500", "size=400"], id="larger than the default size"),
        pytest.param("sentences", 1, 1, ["overlap=1", "size=1", "fewer than 1 sentences"], id="in sentences"),
        pytest.param("headings", 50, 60, ["overlap=60", "size=50"], id="larger than a cap"),
    ],
)
def test_an_overlap_as_large_as_the_size_cannot_exist(chunker, size, overlap, words):
    with pytest.raises(rules.ImpossibleCellError) as caught:
        settings(chunker=chunker, size=size, overlap=overlap)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("changes", "size", "overlap", "asked"),
    [
        pytest.param({"chunker": "fixed"}, 400, 0, 0, id="defaults in characters"),
        pytest.param({"chunker": "fixed", "chunker.unit": "tokens"}, 128, 0, 0, id="defaults in tokens"),
        pytest.param({"chunker": "recursive", "overlap": 0.2}, 400, 80, 0.2, id="a share of the default"),
        pytest.param({"chunker": "fixed", "size": 100, "overlap": 0.29}, 100, 29, 0.29, id="29 though 0.29*100 < 29"),
        pytest.param({"chunker": "fixed", "size": 10, "overlap": 0.19}, 10, 1, 0.19, id="a share is rounded down"),
        pytest.param({"chunker": "sentences", "overlap": 0.9}, 1, 0, 0.9, id="a share of one unit is none"),
        pytest.param({"chunker": "fixed", "size": 10, "overlap": 1}, 10, 1, 1, id="1 is a count"),
        pytest.param({"chunker": "fixed", "size": 10, "overlap": 3.0}, 10, 3, 3, id="a whole number is a count"),
        pytest.param({"chunker": "fixed", "overlap": None}, 400, 0, 0, id="null is none"),
        pytest.param({"chunker": "whole", "size": 5, "overlap": 9}, None, None, None, id="whole ignores both"),
        pytest.param({"chunker": "headings", "overlap": 9}, None, None, None, id="no cap, no overlap"),
        pytest.param({"chunker": "headings", "size": 90, "overlap": 9}, 90, 9, 9, id="a cap and its overlap"),
    ],
)
def test_size_and_overlap_in_units(changes, size, overlap, asked):
    made = rules.from_tree(tree(changes))
    assert (made.size, made.overlap, made.asked_overlap) == (size, overlap, asked)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param({"chunker": "whole"}, {"chunker": "whole", "size": 9, "overlap": 0.5}, id="whole ignores size"),
        pytest.param({"chunker": "fixed"}, {"chunker": "fixed", "size": 400}, id="null is the default size"),
        pytest.param(
            {"chunker": "fixed", "size": 100, "overlap": 0.2},
            {"chunker": "fixed", "size": 100, "overlap": 20},
            id="a share is a count",
        ),
        pytest.param({"chunker": "sentences"}, {"chunker": "sentences", "overlap": 0.5}, id="half of one unit is none"),
        pytest.param({"chunker": "headings"}, {"chunker": "headings", "overlap": 5}, id="overlap without a cap"),
        pytest.param(
            {"chunker": "headings"}, {"chunker": "headings", "chunker.unit": "tokens"}, id="a unit without a cap"
        ),
        pytest.param(
            {"chunker": "headings", "chunker.unit": "tokens", "chunker.tokenizer": "cl100k"},
            {"chunker": "headings"},
            id="a tokenizer without a cap",
        ),
        pytest.param(
            {"chunker": "fixed", "chunker.tokenizer": "cl100k"}, {"chunker": "fixed"}, id="a tokenizer of characters"
        ),
        pytest.param({"prefix.separator": ": "}, {"prefix.send": True}, id="without a prefix nothing stands after it"),
        pytest.param(
            {"chunker": "sentences", "chunker.headings": None},
            {"chunker": "sentences", "chunker.headings": "keep"},
            id="null is the default of an option",
        ),
        pytest.param({"k": [10, 5, 5]}, {"k": [1, 3, 5, 10]}, id="k is a set, with 1 and 3"),
        pytest.param({"cache.dir": "here"}, {"cache.dir": "there"}, id="where vectors are kept"),
        pytest.param({"tracking.uri": "here"}, {"tracking.experiment": "two"}, id="where runs are kept"),
    ],
)
def test_what_must_give_the_same_is_equal(one, two):
    assert rules.from_tree(tree(one)) == rules.from_tree(tree(two))
    assert hash(rules.from_tree(tree(one))) == hash(rules.from_tree(tree(two)))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"chunker": "sentences"}, id="chunker"),
        pytest.param({"chunker.headings": "drop"}, id="option"),
        pytest.param({"size": 2}, id="size"),
        pytest.param({"size": 2, "overlap": 1}, id="overlap"),
        pytest.param({"prefix": "heading"}, id="prefix"),
        pytest.param({"embedder": "minilm"}, id="embedder"),
        pytest.param({"send": 1}, id="send"),
        pytest.param({"k": [1, 3, 5]}, id="k"),
        pytest.param({"tokenizer": "cl100k"}, id="tokenizer"),
        pytest.param({"prices.input": 1}, id="prices"),
        pytest.param({"corpus": "handbook_natural"}, id="corpus"),
        pytest.param({"corpus.exclude": ["a"]}, id="globs"),
    ],
)
def test_what_may_give_another_is_not_equal(changes):
    assert rules.from_tree(tree(changes)) != settings()


def test_paths_become_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text("{}", encoding="utf-8")
    made = rules.from_tree(
        tree(
            {
                "corpus": {"name": "own", "path": "docs", "questions": "~/q.csv"},
                "tokenizer": {"name": "file", "path": "t.json"},
            }
        )
    )
    assert made.corpus.path == str(tmp_path / "docs")
    assert made.corpus.questions == str(Path.home() / "q.csv")
    assert made.tokenizer == TokenizerSettings("file", str(tmp_path / "t.json"))


def test_a_name_of_ones_own_goes_with_a_path():
    made = rules.from_tree(tree({"corpus": {"name": "wiki", "path": "/docs", "include": "*.md"}}))
    assert (made.corpus.name, made.corpus.path, made.corpus.include) == ("wiki", "/docs", ("*.md",))


def test_values_have_the_type_of_their_key():
    made = rules.from_tree(tree({"prices": {"input": 2, "embedding": None}}))
    assert made.prices == Prices(None, 2.0)
    assert isinstance(made.prices.input, float)


def test_what_is_not_given_has_its_default():
    made = rules.from_tree({key: value for key, value in BASE.items() if key not in ("send", "k", "size", "overlap")})
    assert (made.send, made.k, made.size, made.overlap) == (3, (1, 3, 5, 10), 1, 0)


def test_from_config_resolves_interpolations_and_leaves_hydra_out():
    config = OmegaConf.create(tree({"chunker": "fixed", "size": 200, "overlap": "${size_tenth}", "size_tenth": 20}))
    with pytest.raises(ConfigError, match="size_tenth is not a key"):
        rules.from_config(config)
    config = OmegaConf.create(tree({"chunker": "fixed", "size": 200, "overlap": "${send}", "hydra": {"mode": "RUN"}}))
    assert rules.from_config(config).overlap == 2


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        pytest.param("size", "???", "size", id="a value that is missing"),
        pytest.param("overlap", "${nowhere}", "nowhere", id="an interpolation that leads nowhere"),
    ],
)
def test_from_config_says_what_cannot_be_resolved_in_one_line(key, value, words):
    with pytest.raises(ConfigError, match=words) as caught:
        rules.from_config(OmegaConf.create(tree({key: value})))
    assert "\n" not in str(caught.value)


def test_bundled_corpora_are_those_that_ship():
    assert rules.bundled_corpora() == ["handbook_explicit", "handbook_headed", "handbook_natural", "runbooks"]


@pytest.mark.parametrize(
    ("changes", "embedder"),
    [
        pytest.param({"retriever": "bm25"}, "none", id="ranked by words"),
        pytest.param({"retriever": "bm25", "embedder": "none"}, "none", id="none given"),
        pytest.param({"retriever": "bm25", "tokenizer": "embedder"}, "test", id="its tokens are counted"),
        pytest.param(
            {
                "retriever": "bm25",
                "chunker": "fixed",
                "chunker.unit": "tokens",
                "chunker.tokenizer": "embedder",
            },
            "test",
            id="its tokens measure sizes",
        ),
        pytest.param({"retriever": "hybrid"}, "test", id="ranked by words and vectors"),
    ],
)
def test_an_embedder_that_is_ignored_is_none(changes, embedder):
    assert rules.from_tree(tree(changes)).embedder.name == embedder
    assert rules.from_tree(rules.from_tree(tree(changes)).tree()) == rules.from_tree(tree(changes))


def test_a_budget_of_tokens_takes_the_place_of_a_number_of_passages():
    made = [rules.from_tree(tree({"send": send, "send_tokens": 500})) for send in (1, 2)]
    assert made[0] == made[1] == rules.from_tree(made[0].tree())
    assert (made[0].send, made[0].send_tokens) == (None, 500)
