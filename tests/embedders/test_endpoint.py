"""A model behind OpenAI's embeddings API, and what is kept when its server misbehaves."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import time
from email.utils import formatdate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.embedders.faulty_server import Answer, answer_with, items, refusal, serving, sound
from tests.sweep.carrying_out import Watcher, swept
from tests.tiny_corpus import settings as configured
from tests.tiny_corpus import tree

from chunksweep import rules
from chunksweep.embedders import endpoint
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.endpoint import Endpoint, batches_of
from chunksweep.embedders.minilm import model_folder
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ConfigError, EmbeddingError, EndpointError

SECRET = "-".join(("sk", "do", "not", "tell", "anyone"))
TEXTS = [f"{word} number {row}" for row in range(5) for word in ("ants", "bees", "cows", "dogs")]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Waits of milliseconds where the server asks for none of its own."""
    monkeypatch.setattr(endpoint, "FIRST_WAIT_S", 0.001)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def at(server, **options):
    return Endpoint(**{"base_url": server.base_url, "model": "initials", "batch_size": 4} | options)


def kept(cached, texts=TEXTS):
    return [text for text in texts if text not in set(cached.missing(texts, "passage"))]


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(lambda texts, _: sound(texts), id="sound"),
        pytest.param(lambda texts, _: answer_with(items(texts)[::-1]), id="in another order"),
        pytest.param(
            lambda texts, _: answer_with([{"embedding": item["embedding"]} for item in items(texts)]), id="no index"
        ),
        pytest.param(
            lambda texts, _: answer_with(
                [
                    item | {"embedding": base64.b64encode(np.array(item["embedding"], "<f4").tobytes()).decode()}
                    for item in items(texts)
                ]
            ),
            id="base64, though floats were asked for",
        ),
        pytest.param(
            lambda texts, _: answer_with(
                [item | {"embedding": [9 * number for number in item["embedding"]]} for item in items(texts)]
            ),
            id="vectors of another length than 1",
        ),
        pytest.param(lambda texts, number: refusal(500) if number == 2 else sound(texts), id="500 once"),
        pytest.param(lambda texts, number: refusal(503) if number < 4 else sound(texts), id="503 at first"),
        pytest.param(
            lambda texts, number: refusal(429) if number % 2 else sound(texts), id="too busy every other time"
        ),
        pytest.param(
            lambda texts, _: (time.sleep(0.2 if "0" in texts[0] else 0), sound(texts))[1], id="the first answered last"
        ),
    ],
)
def test_each_text_gets_its_own_vector(behaviour):
    with serving(behaviour) as server:
        done = []
        vectors = at(server).embed(TEXTS, "passage", done.append)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, WordInitials().embed(TEXTS, "passage"), atol=1e-6)
    assert sum(done) == len(TEXTS)


def test_a_request_holds_the_texts_as_they_stand_and_asks_for_floats():
    texts = ["Ünïcode  and\n\twhite space ", "漢字 \U0001f600"]
    with serving() as server:
        at(server, query_prompt="ask: ").embed(texts, "question")
        at(server).embed(texts, "passage")
    assert server.requests == [
        {"model": "initials", "encoding_format": "float", "input": [f"ask: {text}" for text in texts]},
        {"model": "initials", "encoding_format": "float", "input": texts},
    ]


def test_no_request_is_above_either_bound_and_the_order_is_kept():
    texts = [f"{letter}{'a b c d ' * 250}" for letter in "zyxw" * 250]  # 1,000 texts of about 1,000 tokens
    counter = Endpoint("http://x/v1", "m")
    per_text = int(counter.count_tokens(texts[:1])[0])
    assert 900 < per_text < 1_100

    def strict(sent, _):
        tokens = int(counter.count_tokens(sent).sum())
        return refusal(400, "too large") if tokens > 300_000 or len(sent) > 2_048 else sound(sent)

    with serving(strict) as server:
        vectors = at(server, batch_size=2_048, batch_tokens=300_000).embed(texts, "passage")
    assert len(server.requests) == -(-1_000 // (300_000 // per_text))
    np.testing.assert_allclose(vectors[:4], WordInitials().embed(texts[:4], "passage"), atol=1e-6)
    np.testing.assert_allclose(vectors[4:], np.tile(vectors[:4], (249, 1)), atol=1e-6)


@pytest.mark.parametrize(
    ("tokens", "texts_at_most", "tokens_at_most", "expected"),
    [
        pytest.param([1, 1, 1], 2, 9, [[0, 1], [2]], id="by count"),
        pytest.param([4, 5, 1, 3], 9, 10, [[0, 1, 2], [3]], id="by tokens"),
        pytest.param([1, 50, 1], 9, 10, [[0], [1], [2]], id="one beyond the bound alone"),
        pytest.param([], 9, 10, [], id="nothing"),
    ],
)
def test_batches(tokens, texts_at_most, tokens_at_most, expected):
    assert batches_of(np.array(tokens, dtype=np.int64), texts_at_most, tokens_at_most) == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 9), st.integers(1, 60))
def test_batches_hold_every_row_in_order_within_both_bounds(tokens, texts_at_most, tokens_at_most):
    found = batches_of(np.array(tokens, dtype=np.int64), texts_at_most, tokens_at_most)
    assert [row for batch in found for row in batch] == list(range(len(tokens)))
    for batch in found:
        assert len(batch) <= texts_at_most
        assert len(batch) == 1 or sum(tokens[row] for row in batch) <= tokens_at_most


def test_no_more_requests_are_under_way_than_allowed():
    under_way, most = [], []

    def slow(texts, _):
        under_way.append(None)
        most.append(len(under_way))
        time.sleep(0.03)
        under_way.pop()
        return sound(texts)

    with serving(slow) as server:
        at(server, batch_size=1, concurrency=3).embed(TEXTS, "passage")
    assert 2 <= max(most) <= 3


@pytest.mark.parametrize(
    "asked_for",
    [
        pytest.param(lambda: "1", id="seconds"),
        pytest.param(lambda: formatdate(time.time() + 2, usegmt=True), id="a date"),
    ],
)
def test_a_wait_that_the_server_asks_for_is_kept_and_nothing_is_sent_twice(tmp_path, asked_for):
    def busy(texts, number):
        if number < 3:
            return refusal(429, retry_after=asked_for())
        return refusal(500) if number == 3 else sound(texts)

    with serving(busy) as server:
        cached = CachedEmbedder(at(server, concurrency=1), tmp_path)
        began = time.monotonic()
        cached.embed(TEXTS[:8], "passage")
        assert time.monotonic() - began >= 3  # three times a second at least: a date has whole seconds
    # The first batch five times, the second once.
    assert [len(body["input"]) for body in server.requests] == [4] * 6
    assert server.requests[0] == server.requests[4] != server.requests[5]


def shrinking(texts, number):
    data = items(texts)
    return answer_with([item | {"embedding": item["embedding"][:20]} for item in data] if number else data)


STRANGE = [
    pytest.param(lambda item: item | {"index": 0}, "indices 0, 0, 0, 0 for 4 texts", id="one index for all"),
    pytest.param(lambda item: item | {"index": item["index"] + 1}, "indices 1, 2, 3, 4", id="counted from one"),
    pytest.param(lambda item: item | {"index": None if item["index"] else 0}, "indices 0, None", id="some without"),
    pytest.param(lambda item: item | {"index": True}, "indices True", id="truth values"),
    pytest.param(lambda item: item | {"embedding": []}, "is zero", id="empty vectors"),
    pytest.param(lambda item: item | {"embedding": ""}, "is zero", id="empty base64"),
    pytest.param(lambda item: item | {"embedding": "!!!!"}, "holds no vectors", id="no base64"),
    pytest.param(lambda item: item | {"embedding": [0.0] * 27}, "is zero", id="zeros"),
    pytest.param(lambda item: item | {"embedding": [float("nan")] * 27}, "is not finite", id="not finite"),
    pytest.param(lambda item: item | {"embedding": [[1.0]]}, "holds no vectors", id="vectors of token vectors"),
    pytest.param(lambda item: item | {"embedding": ["a"]}, "holds no vectors", id="words"),
    pytest.param(lambda item: {"index": item["index"]}, "holds no vectors", id="no embedding"),
    pytest.param(
        lambda item: item | {"embedding": item["embedding"][item["index"] :]},
        "dimension 24 and of 25",
        id="of all sizes",
    ),
]


@pytest.mark.parametrize(("spoil", "words"), STRANGE)
def test_of_a_strange_answer_nothing_is_kept_and_all_else_is(tmp_path, spoil, words):
    def strange(texts, number):
        return answer_with([spoil(item) for item in items(texts)]) if number == 2 else sound(texts)

    with serving(strange) as server:
        cached = CachedEmbedder(at(server, concurrency=1), tmp_path)
        with pytest.raises(EndpointError) as refusal:
            cached.embed(TEXTS, "passage")
    assert words in str(refusal.value)
    assert server.base_url in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(server.requests) == 3  # it was not asked again, and nothing after
    assert sorted(kept(cached)) == sorted(server.texts[:8])


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        pytest.param("<html>\nproxy</html>", "holds no vectors: <html> proxy", id="a page"),
        pytest.param({"object": "list"}, "holds no vectors", id="no data"),
        pytest.param([], "holds no vectors", id="a list"),
        pytest.param({"data": items(["a", "b"])}, "2 vectors for 4 texts", id="too few"),
        pytest.param({"data": items(["a", "b", "c", "d", "e"])}, "5 vectors for 4 texts", id="too many"),
    ],
)
def test_an_answer_that_is_none_is_refused(tmp_path, payload, words):
    with serving(lambda *_: Answer(payload)) as server:
        cached = CachedEmbedder(at(server), tmp_path)
        with pytest.raises(EndpointError) as refusal:
            cached.embed(TEXTS, "passage")
    assert words in str(refusal.value)
    assert kept(cached) == []


def test_a_dimension_that_changes_is_refused_and_only_the_first_is_kept(tmp_path):
    with serving(shrinking) as server:
        cached = CachedEmbedder(at(server, concurrency=1), tmp_path)
        with pytest.raises(EmbeddingError, match=r"dimension 20 (after those of|came where dimension) .*27"):
            cached.embed(TEXTS, "passage")
        assert sorted(kept(cached)) == sorted(server.texts[:4])
        # As it is for a later run.
        with pytest.raises(EmbeddingError, match=r"dimension 20 came where dimension 27"):
            cached.embed(TEXTS, "passage")
    assert len(kept(cached)) == 4


def test_when_waiting_does_not_help_every_finished_batch_is_kept(tmp_path):
    never = "cows number 3"

    def busy(texts, _):
        return refusal(429, "slow down") if never in texts else sound(texts)

    with serving(busy) as server:
        cached = CachedEmbedder(at(server, retries=2), tmp_path)
        with pytest.raises(EndpointError) as refused:
            cached.embed(TEXTS, "passage")
        message = str(refused.value)
        assert all(words in message for words in ("answered 429", "slow down", "3 times", "for 4 texts", "--resume"))
        assert sum(never in body["input"] for body in server.requests) == 3
        assert never not in kept(cached)
        answered = {text for body in server.requests if never not in body["input"] for text in body["input"]}
        assert set(kept(cached)) == answered != set()
        # Once it is well again, only what was not answered is asked for.
        server.behaviour = lambda texts, _: sound(texts)
        server.requests.clear()
        np.testing.assert_allclose(cached.embed(TEXTS, "passage"), WordInitials().embed(TEXTS, "passage"), atol=1e-6)
    assert set(server.texts) == set(TEXTS) - answered


@pytest.mark.parametrize(
    ("answer", "requests", "words"),
    [
        pytest.param(refusal(429, code="insufficient_quota"), 1, ["refused", "429"], id="no money left"),
        pytest.param(refusal(429, retry_after="86400"), 1, ["asks to wait 86,400 seconds"], id="a day's wait"),
        pytest.param(refusal(400, "too many tokens"), 1, ["400", "too many tokens", "batch_size"], id="too large"),
        pytest.param(refusal(404, "no such model"), 1, ["no model initials", "/v1"], id="no such model"),
        pytest.param(refusal(401, f"bad key {SECRET}"), 1, ["the key in MY_KEY", "401"], id="a wrong key"),
        pytest.param(refusal(500, f"about {SECRET}"), 3, ["500", "about …", "3 times"], id="a key repeated"),
    ],
)
def test_what_the_server_says_ends_it_in_one_line(monkeypatch, answer, requests, words):
    monkeypatch.setenv("MY_KEY", SECRET)
    with serving(lambda *_: answer) as server, pytest.raises(EndpointError) as refused:
        at(server, retries=2, concurrency=1, api_key_env="MY_KEY").embed(TEXTS, "passage")
    assert [word for word in words if word not in str(refused.value)] == []
    assert SECRET not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(server.requests) == requests
    assert server.keys == [f"Bearer {SECRET}"] * requests


def test_an_answer_that_comes_too_late_is_asked_for_again(tmp_path):
    def late(texts, number):
        time.sleep(1 if number == 0 else 0)
        return sound(texts)

    with serving(late) as server:
        at(server, timeout_s=0.3).embed(TEXTS[:4], "passage")
        assert len(server.requests) == 2
        server.behaviour = lambda texts, _: (time.sleep(0.6), sound(texts))[1]
        with pytest.raises(EndpointError, match=r"no answer within embedder\.timeout_s=0.2 seconds, 2 times"):
            at(server, timeout_s=0.2, retries=1).embed(TEXTS[:4], "passage")


def test_a_server_that_is_not_there_ends_it_in_one_line():
    with serving() as server:
        pass
    with pytest.raises(
        EndpointError, match=r"could not be reached .*, 2 times, for 4 texts that begin with"
    ) as refused:
        at(server, retries=1, concurrency=1).embed(TEXTS, "passage")
    assert "\n" not in str(refused.value)


def test_openais_key_goes_to_openai_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with serving() as server:
        at(server).embed(["ants"], "passage")
    assert server.keys == ["Bearer none"]
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EndpointError, match="no key in the environment variable OPENAI_API_KEY"):
        Endpoint("https://api.openai.com/v1", "text-embedding-3-small").embed(["ants"], "passage")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({}, "needs embedder.base_url and embedder.model", id="nothing"),
        pytest.param({"base_url": "http://x/v1"}, "needs embedder.base_url and embedder.model", id="no model"),
        pytest.param({"base_url": "localhost:80", "model": "m"}, "an address such as", id="no address"),
        pytest.param({"base_url": f"http://u:{SECRET}@x/v1", "model": "m"}, "a user, a password", id="a password"),
        pytest.param({"base_url": f"http://x/v1?key={SECRET}", "model": "m"}, "or a query", id="a query"),
        pytest.param({"api_key_env": SECRET}, "no name of an environment variable", id="a key in place of its name"),
        pytest.param({"batch_size": 0}, "embedder.batch_size=0: a whole number of at least 1", id="no text a request"),
        pytest.param({"batch_tokens": 0}, "embedder.batch_tokens=0", id="no token a request"),
        pytest.param({"concurrency": 0}, "embedder.concurrency=0", id="no request"),
        pytest.param({"retries": -1}, "embedder.retries=-1: a whole number of at least 0", id="fewer than none"),
        pytest.param({"dimension": 0}, "embedder.dimension=0", id="no dimension"),
        pytest.param({"max_seq_length": 0}, "embedder.max_seq_length=0", id="no window"),
        pytest.param({"timeout_s": 0.0}, "embedder.timeout_s=0.0", id="no time"),
        pytest.param({"timeout_s": float("nan")}, "embedder.timeout_s=nan", id="time that is no number"),
    ],
)
def test_options_that_cannot_be_are_refused_without_what_may_be_a_key(options, words):
    sound_ones = {"base_url": "http://x/v1", "model": "m"} if "batch" in words or "base_url" not in words else {}
    with pytest.raises(ConfigError) as refusal:
        Endpoint(**sound_ones | options)
    assert words in str(refusal.value)
    assert SECRET not in str(refusal.value)


def test_prompts_of_known_families_are_not_forgotten():
    with pytest.raises(EmbeddingError, match="such as e5 are trained with"):
        _ = Endpoint("http://x/v1", "intfloat/e5-small-v2").fingerprint


def test_the_fingerprint_is_of_address_name_prompts_and_dimension():
    plain = Endpoint("http://x/v1", "m")
    others = [
        Endpoint("http://y/v1", "m"),
        Endpoint("http://x/v1", "n"),
        Endpoint("http://x/v1", "m", query_prompt="q: "),
        Endpoint("http://x/v1", "m", passage_prompt="q: "),
        Endpoint("http://x/v1", "m", dimension=8),
    ]
    assert len({each.fingerprint for each in (plain, *others)}) == 6
    same = Endpoint("http://x/v1/", "m", batch_size=1, concurrency=1, timeout_s=1.0, retries=0, api_key_env="K")
    assert same.fingerprint == plain.fingerprint


def test_options_that_change_no_vector_change_no_hash(tmp_path):
    def hash_of(**options):
        made = {"name": "openai", "base_url": "http://x/v1", "model": "m", **options}
        return rules.from_tree(tree({"embedder": made})).config_hash("c", "q", "m")

    assert hash_of() == hash_of(batch_size=1, batch_tokens=9, concurrency=1, timeout_s=1, retries=0, api_key_env="K")
    assert hash_of() != hash_of(max_seq_length=256)
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "copy.json").write_text("{}")
    one, copy = (hash_of(tokenizer=str(tmp_path / name)) for name in ("tokenizer.json", "copy.json"))
    assert one == copy != hash_of()


def test_tokens_are_counted_by_the_tokenizer_that_is_named():
    of_minilm = Endpoint("http://x/v1", "m", tokenizer=str(model_folder() / "tokenizer.json"), passage_prompt="say: ")
    # "say", ":" and "blossoms" in MiniLM's word pieces.
    assert of_minilm.count_tokens(["blossoms"]).tolist() == [3]
    assert of_minilm.read(["blossoms"]).digests == ["say: blossoms"]
    assert Endpoint("http://x/v1", "m", max_seq_length=512).window == 512


def test_a_beginning_of_the_vectors():
    with serving() as server:
        vectors = at(server, dimension=2).embed(["bees and ants and ants"], "passage")
    # a four times and b once.
    np.testing.assert_allclose(vectors, [[4 / np.sqrt(17), 1 / np.sqrt(17)]], atol=1e-6)


def test_nothing_is_sent_and_the_client_is_not_imported_before_something_is_embedded():
    script = (
        "import sys; from chunksweep.embedders.endpoint import Endpoint; model = Endpoint('http://192.0.2.1/v1', 'm');"
        "model.fingerprint, model.window, model.dimension, model.count_tokens(['cat']), model.model_sha256;"
        "model.embed([], 'passage'); print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_missing_client_is_named_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(EmbeddingError, match=r"pip install 'chunksweep\[openai\]'"):
        Endpoint("http://x/v1", "m").embed(["cat"], "passage")


INTERRUPTED = """
import signal, sys, threading
from pathlib import Path
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.endpoint import Endpoint

texts = [f"{word} number {row}" for row in range(5) for word in ("ants", "bees", "cows", "dogs")]
signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever started this may have let SIGINT be ignored.
embedder = Endpoint(sys.argv[1], "initials", batch_size=4, concurrency=2)
# Ctrl-C, once two batches are kept and two are under way.
done = []
def progress(count):
    done.append(count)
    if len(done) == 2:
        main = threading.main_thread().ident
        threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT]).start()
try:
    CachedEmbedder(embedder, Path(sys.argv[2])).embed(texts, "passage", progress)
except KeyboardInterrupt:
    print("interrupted", done)
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="a thread cannot be interrupted in this way here")
def test_an_interruption_waits_for_no_answer_and_keeps_what_was_answered(tmp_path):
    def never_after_two(texts, number):
        time.sleep(0 if number < 2 else 60)
        return sound(texts)

    with serving(never_after_two) as server:
        began = time.monotonic()
        command = [sys.executable, "-c", INTERRUPTED, server.base_url, str(tmp_path)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        assert time.monotonic() - began < 50  # an answer would have taken 60
        assert (ended.stdout, ended.stderr) == ("interrupted [4, 4]\n", "")
        assert len(kept(CachedEmbedder(at(server), tmp_path))) == 8


def sweep_at(server, tiny, **options):
    embedder = {"name": "openai", "base_url": server.base_url, "model": "initials", "batch_size": 2, "retries": 1}
    return [configured(tiny, embedder=embedder | options), configured(tiny, chunker="whole", embedder="test")]


def test_a_sweep_by_the_endpoint_has_the_scores_of_the_model(tiny, store, monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    watcher = Watcher()
    with serving() as server:
        cells = sweep_at(server, tiny, api_key_env="MY_KEY")
        record = swept(cells, store, watcher).records[0]
        sent = len(server.requests)
        swept(cells, store)
        assert len(server.requests) == sent  # the cache serves all of it
    direct = swept([configured(tiny)], store).records[0]
    same = {name for name in direct.metrics if name.startswith(("retrieval/", "spans/"))}
    assert {name: record.metrics[name] for name in same} == pytest.approx({name: direct.metrics[name] for name in same})
    assert any(f"are sent to {server.base_url}" in note for note in watcher.notes)
    for item in store._search("attributes.run_id LIKE '%'"):
        assert SECRET not in json.dumps([item.data.params, item.data.tags])


def test_a_sweep_whose_server_fails_has_failed_cells_without_scores_and_goes_on_later(tiny, store):
    def busy(texts, _):
        return refusal(429) if any("deep" in text for text in texts) else sound(texts)

    with serving(busy) as server:
        cells = sweep_at(server, tiny)
        outcome = swept(cells, store)
        failed, finished = outcome.records
        assert (failed.status, finished.status) == ("FAILED", "FINISHED")
        assert failed.metrics == {}
        assert "answered 429" in failed.error
        server.behaviour = lambda texts, _: sound(texts)
        again = swept(cells, store, resume=True)
    assert [record.status for record in again.records] == ["FINISHED", "FINISHED"]
    assert again.sweep_id == outcome.sweep_id
