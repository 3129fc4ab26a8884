"""The bundled model behind a server that someone else wrote: the same vectors, the same ranking, the same scores.

Run by `make test-services`, which installs the server, Infinity, into an environment of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import suppress

import numpy as np
import pytest
from tests.sweep.carrying_out import swept
from tests.tiny_corpus import settings

from chunksweep.embedders.endpoint import Endpoint
from chunksweep.embedders.minilm import MiniLM, model_folder
from chunksweep.errors import EndpointError
from chunksweep.paths import CORPORA
from chunksweep.retrieval.ranking import rank

pytestmark = pytest.mark.services

PROGRAM = shutil.which(os.environ.get("INFINITY", "infinity_emb"))
PATIENCE_S = 180.0
QUIET = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "INFINITY_ANONYMOUS_USAGE_STATS": "0"}


@pytest.fixture(scope="module")
def base_url(tmp_path_factory):
    """Where the bundled model is served."""
    if PROGRAM is None:
        pytest.skip("infinity_emb is missing: run `make test-services`")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    arguments = [
        "--model-id",
        str(model_folder()),
        "--served-model-name",
        "minilm",
        "--device",
        "cpu",
        "--engine",
        "torch",
    ]
    arguments += ["--no-bettertransformer", "--dtype", "float32", "--url-prefix", "/v1", "--batch-size", "16"]
    arguments += ["--host", "127.0.0.1", "--port", str(port)]
    with (
        log.open("w") as out,
        subprocess.Popen(
            [PROGRAM, "v2", *arguments], stdout=out, stderr=subprocess.STDOUT, env=os.environ | QUIET
        ) as server,
    ):
        try:
            address = f"http://127.0.0.1:{port}/v1"
            deadline = time.monotonic() + PATIENCE_S
            while True:
                with suppress(OSError), urllib.request.urlopen(f"{address}/models", timeout=5):  # noqa: S310
                    break
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"the server did not start:\n{log.read_text()[-3_000:]}")
                time.sleep(0.5)
            yield address
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def texts():
    """The paragraphs of the bundled documents, and some that are hard to send."""
    documents = sorted(CORPORA.glob("*/docs/*"))
    paragraphs = [
        block for path in documents for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()
    ]
    return [*dict.fromkeys(paragraphs), "Ünïcode 漢字 \U0001f600", '"quoted" \\ back\tslash', "a"]


@pytest.fixture(scope="module")
def questions():
    lines = (CORPORA / "runbooks" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def test_the_vectors_and_the_ranking_are_those_of_the_library(base_url, texts, questions):
    served = Endpoint(base_url, "minilm", max_seq_length=256, batch_size=8)
    passages, asked = served.embed(texts, "passage"), served.embed(questions, "question")
    direct = MiniLM().embed(texts, "passage"), MiniLM().embed(questions, "question")
    np.testing.assert_allclose(passages, direct[0], atol=1e-5)
    np.testing.assert_allclose(asked, direct[1], atol=1e-5)
    rows = np.arange(len(texts))
    ours, theirs = rank(direct[1], direct[0], rows, 10), rank(asked, passages, rows, 10)
    assert ours.chunks.tolist() == theirs.chunks.tolist()
    np.testing.assert_allclose(theirs.scores, ours.scores, atol=1e-5)


def test_a_sweep_has_the_scores_of_the_library(base_url, tmp_path, store):
    served = {"name": "openai", "base_url": base_url, "model": "minilm"}
    common = {"chunker": "headings", "cache__dir": str(tmp_path)}
    records = swept([settings(embedder=embedder, **common) for embedder in (served, "minilm")], store).records
    assert [record.status for record in records] == ["FINISHED", "FINISHED"]
    names = [name for name in records[1].metrics if name.startswith(("retrieval/", "spans/"))]
    for name in names:
        assert records[0].metrics[name] == pytest.approx(records[1].metrics[name], abs=1e-5), name


def test_a_request_that_the_server_does_not_allow_is_refused_in_one_line(base_url):
    too_many = Endpoint(base_url, "minilm", batch_size=2_049, retries=0)
    with pytest.raises(EndpointError, match=r"refused a request \(422: .*embedder\.batch_size") as refused:
        too_many.embed(["cat"] * 2_049, "passage")
    assert "\n" not in str(refused.value)
