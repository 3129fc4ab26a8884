"""Byte pair encodings of OpenAI, from the tables in the wheel of bpe-openai: nothing is downloaded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from chunksweep.records import IntArray

if TYPE_CHECKING:
    from bpe_openai._bindings import PyTokenizer

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
    tokenizer: PyTokenizer = _bpe_openai("bpe_openai._bindings").tokenizer_for_encoding(ENCODINGS[name])
    return tokenizer


@cache
def _byte_lengths(name: str) -> IntArray:
    """Bytes of every token of the vocabulary, by token id."""
    tokens = _bpe_openai("bpe_openai").get_encoding(ENCODINGS[name]).token_byte_values()
    return np.fromiter((len(token) for token in tokens), dtype=np.int64, count=len(tokens))


def _bpe_openai(module: str) -> Any:
    # Imported late, for it reads both tables at once; it does so by a function that Python 3.11 and 3.12 deprecate.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(module)


def _character_of_byte(text: str) -> IntArray:
    """Index of the character that each byte of the UTF-8 text belongs to, int64 (bytes,)."""
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    first_bytes = (data & 0b1100_0000) != 0b1000_0000
    return np.cumsum(first_bytes, dtype=np.int64) - 1
