"""Models of sentence-transformers by name or folder: what they are told, what they read, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.embedders import tiny_models
from tests.embedders.tiny_models import WIDTH, WINDOW
from tests.sweep.carrying_out import carried_out, planned, swept
from tests.tiny_corpus import settings

from chunksweep.checking import check
from chunksweep.embedders import sentence_transformers
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.local_model import LocalModel
from chunksweep.embedders.minilm import MiniLM, model_folder
from chunksweep.embedders.prompts import Prompts, prompts_of
from chunksweep.errors import ConfigError, EmbeddingError, ReproduceError
from chunksweep.reproduction import read_run

TEXTS = ["cat", "The big dog sleeps.", "one two three four five six seven eight nine ten eleven twelve", "Hello World"]
CLS = {"embedding_dimension": WIDTH, "pooling_mode": "cls"}
WITHOUT_PROMPT = {"embedding_dimension": WIDTH, "pooling_mode": "mean", "include_prompt": False}
BOTH = {"query": "ask: ", "document": "say: "}


@pytest.fixture(scope="module")
def library():
    """sentence-transformers' own class."""
    from sentence_transformers import SentenceTransformer

    return lambda folder, **options: SentenceTransformer(str(folder), device="cpu", local_files_only=True, **options)


def test_the_bundled_model_by_its_folder_gives_its_vectors():
    by_folder = LocalModel(str(model_folder()))
    np.testing.assert_allclose(by_folder.embed(TEXTS, "passage"), MiniLM().embed(TEXTS, "passage"), atol=1e-6)
    assert by_folder.window == MiniLM().window
    assert by_folder.count_tokens(TEXTS).tolist() == MiniLM().count_tokens(TEXTS).tolist()


@pytest.mark.parametrize(
    "built",
    [
        pytest.param({}, id="without padding"),
        pytest.param({"pooling": CLS}, id="by the library"),
        pytest.param({"prompts": BOTH}, id="prompts, without padding"),
        pytest.param({"prompts": BOTH, "pooling": CLS}, id="prompts, by the library"),
        pytest.param({"prompts": BOTH, "pooling": WITHOUT_PROMPT}, id="prompts that are not pooled"),
        pytest.param({"prompts": {"passage": "say: "}}, id="passages alone, under another name"),
        pytest.param({"prompts": BOTH | {"x": "odd: "}, "default_prompt": "x", "pooling": CLS}, id="a default prompt"),
        pytest.param({"prompts": {"query": "ask: ", "x": "odd: "}, "default_prompt": "x"}, id="no prompt of passages"),
        pytest.param({"modules": tiny_models.MODULES[:2]}, id="a model that does not scale"),
        pytest.param({"window": None}, id="the window of its positions"),
    ],
)
def test_vectors_are_those_of_the_library(tmp_path, library, built):
    folder = tiny_models.bert(tmp_path / "model", **built)
    model, theirs = LocalModel(str(folder)), library(folder)
    if built.get("window", WINDOW) == WINDOW:
        assert (model.window, theirs.max_seq_length) == (WINDOW, WINDOW)
    options = {"normalize_embeddings": True, "show_progress_bar": False}
    passage_prompt = built.get("prompts", {}).get("document") or built.get("prompts", {}).get("passage", "")
    passages = theirs.encode(TEXTS, prompt=passage_prompt, **options)
    np.testing.assert_allclose(model.embed(TEXTS, "passage"), passages, atol=1e-6)
    np.testing.assert_allclose(model.embed(TEXTS, "question"), theirs.encode_query(TEXTS, **options), atol=1e-6)


def test_a_table_of_words_gives_the_vectors_of_the_library(tmp_path, library):
    folder = tiny_models.static(tmp_path / "model")
    model = LocalModel(str(folder))
    expected = library(folder).encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(model.embed(TEXTS, "passage"), expected, atol=1e-6)
    assert model.window is None
    assert model.count_tokens(TEXTS).tolist() == [1, 5, 12, 2]


def test_prompts_that_are_given_stand_before_those_declared(tmp_path):
    folder = str(tiny_models.bert(tmp_path / "model", prompts=BOTH))
    plain = LocalModel(str(tiny_models.bert(tmp_path / "plain")))
    given = LocalModel(folder, query_prompt="find: ", passage_prompt="")
    asked = plain.embed([f"find: {text}" for text in TEXTS], "question")
    np.testing.assert_allclose(given.embed(TEXTS, "question"), asked, atol=1e-6)
    np.testing.assert_allclose(given.embed(TEXTS, "passage"), plain.embed(TEXTS, "passage"), atol=1e-6)


def test_a_prompt_is_counted_and_fills_the_window(tmp_path):
    model = LocalModel(str(tiny_models.bert(tmp_path / "model", prompts={"query": "ask: ", "document": "one two: "})))
    # "ask:" is two tokens, "one two:" three, and two special ones stand around a text.
    assert model.count_tokens(["cat"], "question").tolist() == [5]
    assert model.count_tokens(["cat"]).tolist() == [6]
    # 12 tokens with 5 taken leave 7 for words.
    alike = ["a b c d e f g h", "a b c d e f g i"]
    assert len(set(model.read(alike).digests)) == 1
    assert len(set(model.read(alike, "question").digests)) == 2


def test_what_lies_beyond_a_window_is_counted_in_the_run_and_warned_of(tiny, tmp_path):
    model = {"name": "sentence_transformers", "model": str(tiny_models.bert(tmp_path / "model", window=8))}
    cells = [settings(tiny, embedder=model), settings(tiny, embedder=model | {"max_seq_length": 64})]
    short, long = carried_out(cells, tmp_path).values()
    # With two special tokens the units are "# bees bees buzz by blossoms ." and "ants am ##ble along alley ##s .", nine
    # each, "cats creep close .", six, and "dogs dig deep den ##s .", eight.
    assert (short.metrics["chunks/truncated"], long.metrics["chunks/truncated"]) == (2, 0)
    (problem,) = [problem for problem in check(cells).problems if "longer than" in problem.message]
    assert "2 of 4 chunks are longer than the 8 tokens" in problem.message


def test_a_beginning_of_the_vectors(tmp_path):
    folder = str(tiny_models.bert(tmp_path / "model"))
    whole, beginning = (LocalModel(folder, dimension=dimension).embed(TEXTS, "passage") for dimension in (None, 5))
    assert beginning.shape == (len(TEXTS), 5)
    scaled = whole[:, :5] / np.sqrt((whole[:, :5] ** 2).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(beginning, scaled, atol=1e-6)
    assert LocalModel(folder, dimension=5).fingerprint != LocalModel(folder).fingerprint
    with pytest.raises(EmbeddingError, match=r"embedder\.dimension=17 is more than the 16"):
        LocalModel(folder, dimension=WIDTH + 1).embed(TEXTS, "passage")


def test_a_model_is_known_by_its_files_not_by_its_name(tmp_path):
    folder = tiny_models.bert(tmp_path / "model")
    shutil.copytree(folder, tmp_path / "copy")
    other = tiny_models.bert(tmp_path / "other", seed=1)
    model, copy, different = (LocalModel(str(path)) for path in (folder, tmp_path / "copy", other))
    assert model.fingerprint == copy.fingerprint != different.fingerprint
    (tmp_path / "copy" / "README.md").write_text("changed")
    assert model.model_sha256 == copy.model_sha256
    config = json.loads((folder / "1_Pooling" / "config.json").read_text())
    (tmp_path / "copy" / "1_Pooling" / "config.json").write_text(json.dumps(config | {"pooling_mode": "max"}))
    assert model.model_sha256 != copy.model_sha256


@pytest.mark.parametrize(
    "change",
    [
        {"query_prompt": "ask: "},
        {"passage_prompt": "say: "},
        {"dimension": 8},
        {"max_seq_length": 9},
        {"precision": "bf16"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_fingerprint_holds_what_changes_a_vector(tmp_path, change):
    folder = str(tiny_models.bert(tmp_path / "model"))
    assert LocalModel(folder, **change).fingerprint != LocalModel(folder).fingerprint
    assert LocalModel(folder, device="cuda").fingerprint == LocalModel(folder).fingerprint


def test_a_relative_folder_is_kept_as_an_absolute_one(tmp_path, monkeypatch):
    tiny_models.bert(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    assert LocalModel("model").model == str(tmp_path / "model")


def test_a_name_is_looked_up_in_the_cache_of_hugging_face(tmp_path, monkeypatch):
    from huggingface_hub import constants

    for owner, commit, seed in (("own", "a" * 40, 0), ("own", "b" * 40, 1), ("sentence-transformers", "c" * 40, 2)):
        repository = tmp_path / "hub" / f"models--{owner}--tiny"
        tiny_models.bert(repository / "snapshots" / commit, seed=seed)
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    found = {
        (name, revision): LocalModel(name, revision=revision).tokenizer_path.parent.name[0]
        for name, revision in (("own/tiny", None), ("own/tiny", "a" * 40), ("tiny", None))
    }
    assert list(found.values()) == ["b", "a", "c"]
    with pytest.raises(EmbeddingError, match=r"embedder\.model=own/tiny, revision v9,.*--revision v9`"):
        LocalModel("own/tiny", revision="v9").embed(TEXTS, "passage")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({}, "needs embedder.model=NAME_OR_FOLDER", id="no model"),
        pytest.param({"model": "m", "dimension": 0}, "embedder.dimension=0: a whole number of at least 1", id="0 wide"),
        pytest.param({"model": "m", "max_seq_length": -1}, "embedder.max_seq_length=-1", id="a window below 0"),
        pytest.param({"model": "m", "precision": "int8"}, "embedder.precision=int8: one of fp32, bf16", id="precision"),
    ],
)
def test_options_that_cannot_be_are_refused(options, words):
    with pytest.raises(ConfigError) as refusal:
        LocalModel(**options)
    assert words in str(refusal.value)


def spoilt(name, content):
    """Writes a file of a model anew, or takes it away."""

    def spoil(folder):
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(content)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        pytest.param(spoilt("modules.json", None), "has no modules.json", id="no modules"),
        pytest.param(spoilt("modules.json", "{"), "cannot be read as JSON", id="modules that are no JSON"),
        pytest.param(spoilt("modules.json", "[1]"), "does not list modules", id="modules that are none"),
        pytest.param(spoilt("config.json", "[]"), "holds no JSON object", id="a configuration that is none"),
        pytest.param(spoilt("tokenizer.json", None), "has no tokenizer.json", id="no tokenizer"),
        pytest.param(spoilt("tokenizer.json", "{}"), "cannot be loaded", id="a tokenizer that is none"),
        pytest.param(spoilt("model.safetensors", None), "cannot be loaded", id="no weights"),
        pytest.param(spoilt("model.safetensors", "cut off"), "cannot be loaded", id="damaged weights"),
        pytest.param(
            spoilt("config.json", '{"auto_map": {}}'), "embedder.trust_remote_code=true", id="code of its own"
        ),
        pytest.param(
            spoilt("modules.json", '[{"path": "", "type": "own.Reader"}]'),
            "trust_remote_code=true",
            id="a module of its own",
        ),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_in_one_line(tmp_path, spoil, words):
    folder = tiny_models.bert(tmp_path / "model")
    spoil(folder)
    with pytest.raises(EmbeddingError) as refusal:
        LocalModel(str(folder)).embed(TEXTS, "passage")
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"model": "nobody/nothing"}, "Fetch it with `hf download nobody/nothing`", id="not there"),
        pytest.param({"model": "no such name / at all"}, "neither a folder nor in the local cache", id="no name"),
        pytest.param(
            {"model": str(model_folder()), "revision": "v1"}, "embedder.revision=v1", id="revision of a folder"
        ),
    ],
)
def test_a_model_that_is_not_there_is_refused_in_one_line(options, words):
    for use in ("model_sha256", "fingerprint", "window"):
        with pytest.raises(EmbeddingError) as refusal:
            getattr(LocalModel(**options), use)
        assert words in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_code_of_a_model_is_run_only_where_that_is_asked(tmp_path):
    folder = tiny_models.bert(tmp_path / "model")
    modules = json.loads((folder / "modules.json").read_text())
    modules[2] |= {"type": "own.Halved", "path": ""}
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "own.py").write_text(
        "from sentence_transformers.base.modules import Module\n"
        "class Halved(Module):\n"
        "    def forward(self, features, **_):\n"
        "        features['sentence_embedding'] = features['sentence_embedding'][:, :8]\n"
        "        return features\n"
        "    def save(self, *_, **__):\n        pass\n"
        "    @classmethod\n"
        "    def load(cls, *_, **__):\n        return cls()\n"
    )
    with pytest.raises(EmbeddingError, match="brings code of its own"):
        LocalModel(str(folder)).embed(TEXTS, "passage")
    assert LocalModel(str(folder), trust_remote_code=True).embed(TEXTS, "passage").shape == (len(TEXTS), 8)


def test_a_past_run_that_trusted_a_model_is_not_run_again_unless_asked(tiny, tmp_path, store):
    model = {"name": "sentence_transformers", "model": str(tiny_models.bert(tmp_path / "model"))}
    cell = settings(tiny, embedder=model | {"trust_remote_code": True})
    (record,) = swept([cell], store).records
    with pytest.raises(ReproduceError, match=r"code that came with the model .* --trust-code"):
        read_run(store, record.run_id)
    assert read_run(store, record.run_id, trust_code=True).settings == cell


@pytest.mark.parametrize(
    ("model", "declared", "given", "expected"),
    [
        pytest.param("own/plain", {}, (None, None), Prompts(), id="none known, none needed"),
        pytest.param(
            "e5-base-v2", {"query": "q: ", "passage": "p: "}, (None, None), Prompts("q: ", "p: "), id="declared"
        ),
        pytest.param("e5-base-v2", {}, ("query: ", "passage: "), Prompts("query: ", "passage: "), id="given"),
        pytest.param("e5-base-v2", {}, ("", ""), Prompts(), id="declined"),
        pytest.param("bge-base-en-v1.5", {"query": "q: "}, (None, None), Prompts("q: "), id="passages need none"),
        pytest.param("bge-base-en", {}, ("q: ", None), Prompts("q: "), id="the one that is needed"),
        pytest.param("bge-m3", {}, (None, None), Prompts(), id="of the house, without prompts"),
        pytest.param("own/case5-base", {}, (None, None), Prompts(), id="a name within a word"),
        pytest.param("x", {"corpus": "c: "}, (None, None), Prompts("", "c: "), id="a corpus"),
        pytest.param("x", {"s2p": "s: "}, ("s: ", ""), Prompts("s: "), id="declared under another name, and given"),
    ],
)
def test_prompts(model, declared, given, expected):
    assert prompts_of(model, declared, (), *given) == expected


@pytest.mark.parametrize(
    ("model", "names", "declared", "given", "words"),
    [
        pytest.param("intfloat/e5-small-v2", (), {}, (None, None), '"query: " and "passage: "', id="e5"),
        pytest.param("intfloat/e5-small-v2", (), {}, ("query: ", None), '"passage: "', id="half of e5"),
        pytest.param("own", ("intfloat/multilingual-e5-base",), {}, (None, None), "such as e5 are", id="made from e5"),
        pytest.param("BAAI/bge-large-en", (), {}, (None, None), "Represent this sentence for", id="bge"),
        pytest.param("/m/bge_small_zh_v1.5", (), {}, (None, None), "为这个句子", id="bge, Chinese, with other marks"),
        pytest.param(
            "intfloat/multilingual-e5-large-instruct", (), {}, (None, ""), "query\\nQuery: ", id="a line break"
        ),
        pytest.param("own", (), {"s2p": "s: "}, (None, None), "the prompts s2p, none of them for queries", id="others"),
    ],
)
def test_a_prompt_is_never_forgotten(model, names, declared, given, words):
    with pytest.raises(EmbeddingError) as refusal:
        prompts_of(model, declared, names, *given)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_sweep_over_two_models_loads_each_once(tiny, tmp_path):
    models = [
        {"name": "sentence_transformers", "model": str(tiny_models.bert(tmp_path / name, seed=seed))}
        for name, seed in (("one", 1), ("two", 2))
    ]
    cells = [settings(tiny, chunker=chunker, embedder=model) for chunker in ("paragraphs", "whole") for model in models]
    before = sentence_transformers._model.cache_info().misses
    outcomes = carried_out(cells, tmp_path)
    assert sentence_transformers._model.cache_info().misses - before == 2
    assert [outcomes[cell].metrics["cost/index_mb"] > 0 for cell in cells] == [True] * 4


def test_an_axis_of_dimensions_embeds_once(tiny, tmp_path):
    model = {"name": "sentence_transformers", "model": str(tiny_models.bert(tmp_path / "model"))}
    cells = [settings(tiny, embedder=model | {"dimension": dimension}) for dimension in (None, 8, 4)]
    alone, together = (planned(some, tmp_path).counts() for some in (cells[:1], cells))
    assert together["embedded_texts"] == alone["embedded_texts"] > 0
    assert together["embedded_tokens"] == alone["embedded_tokens"]
    assert together["distinct_texts"] == together["cached_texts"] + together["embedded_texts"]
    outcomes = carried_out(cells, tmp_path)
    whole, _, least = (outcome.metrics["cost/index_mb"] for outcome in outcomes.values())
    assert whole == pytest.approx(4 * least)
    vectors = LocalModel(model["model"]).embed(["Ants amble along alleys."], "passage")
    kept = CachedEmbedder(LocalModel(model["model"]), tiny / "cache")
    np.testing.assert_allclose(kept.embed(["Ants amble along alleys."], "passage"), vectors, atol=1e-6)


def test_a_model_that_cannot_be_used_fails_its_own_cells(tiny, tmp_path, store):
    folder = tiny_models.bert(tmp_path / "model")
    (folder / "model.safetensors").write_text("cut off")
    broken = {"name": "sentence_transformers", "model": str(folder)}
    records = swept([settings(tiny, embedder=broken), settings(tiny)], store).records
    assert [record.status for record in records] == ["FAILED", "FINISHED"]
    assert "cannot be loaded" in records[0].error
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        swept([settings(tiny, embedder=broken)], store)


def test_nothing_heavy_is_imported_until_something_is_embedded(tmp_path):
    folder = tiny_models.bert(tmp_path / "model")
    script = (
        f"import sys; from chunksweep.embedders.local_model import LocalModel; model = LocalModel({str(folder)!r});"
        "model.fingerprint, model.window, model.dimension, model.count_tokens(['cat']), model.model_sha256;"
        "heavy = ('torch', 'transformers', 'sentence_transformers', 'huggingface_hub');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
