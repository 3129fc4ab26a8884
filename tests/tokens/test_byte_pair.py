from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from tests.strategies import texts

from chunksweep.tokens import Tokenizer, byte_pair, load_tokenizer


def package() -> Any:
    """bpe-openai itself, which reads its tables by a function that Python 3.11 and 3.12 deprecate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module("bpe_openai")


NAMES = pytest.mark.parametrize("name", ["o200k", "cl100k"])


def offsets_by_decoding(name: str, text: str) -> list[tuple[int, int]]:
    """Offsets by another way: the characters that are complete before and after each token's bytes."""
    encoding = package().get_encoding(f"{name}_base")
    read, spans = b"", []
    for token in encoding.decode_tokens_bytes(encoding.encode_ordinary(text)):
        start = len(read.decode("utf-8", "ignore"))
        read += token
        whole = read.decode("utf-8", "ignore")
        spans.append((start, len(whole) + (whole.encode("utf-8") != read)))
    return spans


def spans_of(tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    starts, ends = tokenizer.offsets(text)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


@NAMES
@settings(max_examples=60, deadline=None)
@given(text=texts())
def test_offsets_are_those_of_decoding(name: str, text: str) -> None:
    spans = spans_of(load_tokenizer(name), text)
    assert spans == offsets_by_decoding(name, text)
    assert len(spans) == load_tokenizer(name).count([text])[0]


@NAMES
@settings(max_examples=60, deadline=None)
@given(text=texts())
def test_tokens_cover_the_text(name: str, text: str) -> None:
    spans = spans_of(load_tokenizer(name), text)
    assert all(one[0] <= two[0] <= one[1] <= two[1] for one, two in pairwise(spans))
    assert (spans[0][0], spans[-1][1]) == (0, len(text)) if text else spans == []


def test_special_tokens_are_ordinary_text() -> None:
    text = "The marker <|endoftext|> ends a job; [MASK] and </s> too."
    tokenizer = load_tokenizer("o200k")
    starts, _ = tokenizer.offsets(text)
    marker = text.index("<|")
    assert sum(marker <= start < marker + len("<|endoftext|>") for start in starts.tolist()) > 1
    assert tokenizer.count([text])[0] == len(starts)


def test_bytes_of_one_character_share_its_span() -> None:
    assert set(spans_of(load_tokenizer("cl100k"), "🪛")) == {(0, 1)}


def test_texts_of_any_length_are_counted() -> None:
    assert load_tokenizer("o200k").count(["", "the " * 400_000]).tolist() == [0, 400_001]


def test_pickles_without_its_tables() -> None:
    tokenizer = load_tokenizer("o200k")
    tokenizer.count(["a"])
    data = pickle.dumps(tokenizer)
    assert len(data) < 500
    assert pickle.loads(data) == tokenizer  # noqa: S301  our own bytes
    assert tokenizer.fingerprint == "o200k"


@pytest.mark.parametrize("name", ["o200k", "cl100k"])
def test_tokens_have_the_bytes_that_the_package_says(name):
    expected = [len(token) for token in package().get_encoding(byte_pair.ENCODINGS[name]).token_byte_values()]
    lengths = byte_pair._byte_lengths(name).tolist()
    assert lengths == expected[: len(lengths)]  # behind these come special tokens, which ordinary text never has


USE = "tokenizer.count(['Cats creep close.']); tokenizer.offsets('Cats creep close.')"


@pytest.mark.parametrize(
    ("steps", "package"),
    [
        pytest.param([USE], False, id="without the package, which would read all tables"),
        pytest.param([USE, "import bpe_openai"], True, id="before the package"),
        pytest.param(["import bpe_openai", USE], True, id="after it"),
    ],
)
def test_the_encoder_is_loaded_once_and_alone(steps, package):
    script = [
        "import sys, warnings; warnings.simplefilter('ignore')",
        "from chunksweep.tokens import load_tokenizer; tokenizer = load_tokenizer('o200k')",
        *steps,
        "print('bpe_openai' in sys.modules)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(script)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(package)
