"""Byte pair encodings of OpenAI, from the tables in the wheel of bpe-openai: nothing is downloaded."""

from __future__ import annotations

import gzip
import sys
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chunksweep.records import IntArray

if TYPE_CHECKING:
    from bpe_openai._bindings import PyTokenizer

PACKAGE = "bpe_openai"
BINDINGS = f"{PACKAGE}._bindings"
ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


@dataclass(frozen=True, slots=True)
class BytePairTokenizer:
    """A published encoding.

    name  a key of ENCODINGS
    """

    name: str

    @property
    def fingerprint(self) -> str:
        """The name of the encoding; its tables never change."""
        return self.name

    def count(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text on its own, int64 (n,)."""
        count = _backend(self.name).count
        return np.fromiter((count(text) for text in texts), dtype=np.int64, count=len(texts))

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of `text`."""
        return list(_backend(self.name).encode(text))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens; U+FFFD for bytes that are no whole character."""
        table = _token_bytes(self.name)
        return b"".join(table[token] for token in ids).decode("utf-8", errors="replace")

    def offsets(self, text: str) -> tuple[IntArray, IntArray]:
        """Start and end character of every token, each int64 (tokens,).

        The tokens follow each other byte for byte; one that begins or ends inside a character is given all of it.
        """
        ids = np.asarray(_backend(self.name).encode(text), dtype=np.int64)
        ends = np.cumsum(_byte_lengths(self.name)[ids])
        starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
        character = _character_of_byte(text)
        return character[starts], character[ends - 1] + 1


@cache
def _backend(name: str) -> PyTokenizer:
    # The public class of bpe-openai refuses texts of more than 200,000 tokens; the encoder below it takes any.
    tokenizer: PyTokenizer = _bindings().tokenizer_for_encoding(ENCODINGS[name])
    return tokenizer


@cache
def _byte_lengths(name: str) -> IntArray:
    """Bytes of every token of the vocabulary, by token id; without decoding what only its length is asked of."""
    tokens, ids = _table(name)
    lengths = np.empty(len(tokens), dtype=np.int64)
    lengths[ids] = [len(token) // 4 * 3 - token.count(b"=") for token in tokens]
    return lengths


@cache
def _token_bytes(name: str) -> list[bytes]:
    """The bytes of every token of the vocabulary, by token id."""
    by_id = {number: b64decode(token) for token, number in zip(*_table(name), strict=True)}
    return [by_id[number] for number in range(len(by_id))]


def _table(name: str) -> tuple[list[bytes], list[int]]:
    """Every token of the vocabulary in base64, and its id."""
    # Each line is a token and its id.
    words = gzip.decompress((_folder() / "data" / f"{ENCODINGS[name]}.tiktoken.gz").read_bytes()).split()
    return words[::2], list(map(int, words[1::2]))


@cache
def _bindings() -> Any:
    """The encoder without the package around it, whose import takes a second and 100 MB: it reads every table."""
    if BINDINGS not in sys.modules:
        spec = PathFinder.find_spec(BINDINGS, [str(_folder())])
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"no module {BINDINGS}", name=BINDINGS)
        # Under its own name, so that the package would find it loaded: a native module cannot be loaded twice.
        sys.modules[BINDINGS] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[BINDINGS])
    return sys.modules[BINDINGS]


def _folder() -> Path:
    """Where the package bpe-openai lies; it is not imported."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"no module {PACKAGE}", name=PACKAGE)
    return Path(spec.submodule_search_locations[0])


def _character_of_byte(text: str) -> IntArray:
    """Index of the character that each byte of the UTF-8 text belongs to, int64 (bytes,)."""
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    first_bytes = (data & 0b1100_0000) != 0b1000_0000
    return np.cumsum(first_bytes, dtype=np.int64) - 1
