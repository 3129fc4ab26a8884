"""Static embeddings: means of rows of a table, those of WordLlama's own library and of tables worked out by hand."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.embedders import tiny_models
from tests.embedders.tiny_models import VOCABULARY, WIDTH

from chunksweep.embedders import static
from chunksweep.embedders.static import Static
from chunksweep.errors import ConfigError, EmbeddingError

TEXTS = ["cat", "The big dog sleeps.", "é ½ 漢字 \U0001f600", "line one\n\n  line two\t" * 50]
# Word pieces of MiniLM's vocabulary, by their place in it.
CAT, DOG = 4937, 3899

OWN_LIBRARY = """
import json, sys
from pathlib import Path
import wordllama
loaded = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
print(json.dumps(loaded.embed(json.loads(sys.argv[1]), norm=True).tolist()))
"""


def test_vectors_are_those_of_wordllama():
    # In a process of its own: importing it turns on the log of every library.
    done = subprocess.run(
        [sys.executable, "-c", OWN_LIBRARY, json.dumps(TEXTS)], capture_output=True, text=True, check=True
    )
    vectors = Static().embed(TEXTS, "passage")
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(TEXTS), 256))
    np.testing.assert_allclose(vectors, json.loads(done.stdout), atol=1e-6)


def unit(vector):
    return vector / np.sqrt((vector**2).sum())


def test_a_vector_is_the_mean_of_the_rows_of_its_word_pieces(tmp_path):
    table = tiny_models.random_table()
    model = Static(str(tiny_models.static(tmp_path / "model")))
    found = model.embed(["cat", "Cat cat dog"], "question")
    expected = [unit(table[CAT]), unit((2 * table[CAT] + table[DOG]) / 3)]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert model.count_tokens(["cat", "Cat cat dog", ""]).tolist() == [1, 3, 0]
    assert model.window is None


def test_rows_that_are_shared_and_weighted_as_model2vec_keeps_them(tmp_path):
    rows = np.array([[1, 0], [0, 1]], dtype=np.float32)
    mapping = np.zeros(VOCABULARY, dtype=np.int64)
    weights = np.ones(VOCABULARY, dtype=np.float32)
    mapping[DOG], weights[DOG] = 1, 3
    tensors = {"embeddings": rows, "mapping": mapping, "weights": weights}
    model = Static(str(tiny_models.static(tmp_path / "model", tensors)))
    # cat (1, 0) and dog 3 x (0, 1).
    np.testing.assert_allclose(model.embed(["cat dog"], "passage"), [unit(np.array([1, 3]))], atol=1e-6)


def test_a_beginning_of_the_vectors(tmp_path):
    folder = str(tiny_models.static(tmp_path / "model"))
    beginning = Static(folder, dimension=4).embed(["cat"], "passage")
    np.testing.assert_allclose(beginning, [unit(tiny_models.random_table()[CAT, :4])], atol=1e-6)
    with pytest.raises(EmbeddingError, match=r"embedder\.dimension=17 is more than the 16"):
        Static(folder, dimension=WIDTH + 1).embed(["cat"], "passage")
    with pytest.raises(ConfigError, match=r"embedder\.dimension=0"):
        Static(dimension=0)


def test_fingerprints_name_table_tokenizer_and_dimension(tmp_path):
    one, copy = (Static(str(tiny_models.static(tmp_path / name))) for name in ("one", "copy"))
    assert one.fingerprint == copy.fingerprint
    (tmp_path / "copy" / "tokenizer.json").write_text("{}")
    assert (
        len({one.fingerprint, copy.fingerprint, Static(one.model, dimension=8).fingerprint, Static().fingerprint}) == 4
    )


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        pytest.param({"bert": np.zeros((2, 2), np.float32)}, "holds bert [2, 2], and no table", id="another kind"),
        pytest.param({"embeddings": np.ones((9, 2), np.float32)}, "of the 30522 word pieces", id="too short"),
        pytest.param({"embeddings": np.ones(VOCABULARY, np.float32)}, "no table", id="one number a word piece"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, tensors, words):
    with pytest.raises(EmbeddingError) as refusal:
        Static(str(tiny_models.static(tmp_path / "model", tensors))).embed(["cat"], "passage")
    assert words in str(refusal.value)


def test_files_that_are_damaged_or_missing_are_refused(tmp_path):
    folder = tiny_models.static(tmp_path / "model")
    (folder / "model.safetensors").write_text("cut off")
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        Static(str(folder)).embed(["cat"], "passage")
    (folder / "model.safetensors").unlink()
    with pytest.raises(EmbeddingError, match=r"has no model\.safetensors"):
        _ = Static(str(folder)).model_sha256


def test_a_missing_package_is_named_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(static.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"pip install 'chunksweep\[static\]'") as refusal:
        Static().embed(["cat"], "passage")
    assert "\n" not in str(refusal.value)


def test_a_text_without_a_word_piece_is_refused_by_name():
    with pytest.raises(EmbeddingError, match='the vector of "" is zero'):
        Static().embed(["cat", ""], "passage")


def test_progress_adds_up_and_nothing_gives_nothing():
    done = []
    Static().embed(TEXTS, "passage", done.append)
    assert sum(done) == len(TEXTS)
    assert Static(dimension=64).embed([], "passage").shape == (0, 64)
