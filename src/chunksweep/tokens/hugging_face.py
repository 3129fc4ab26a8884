"""Tokenizers in Hugging Face's tokenizer.json format, such as the one that comes with an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunksweep.errors import ConfigError
from chunksweep.records import IntArray

if TYPE_CHECKING:
    import tokenizers


@dataclass(frozen=True, slots=True)
class HuggingFaceTokenizer:
    """A tokenizer.json without its special tokens, truncation and padding.

    path  of the file

    Its methods raise ConfigError where the file is not a tokenizer.
    """

    path: Path

    @property
    def fingerprint(self) -> str:
        """sha256 of the file, in hexadecimal."""
        return sha256(self.path.read_bytes()).hexdigest()

    def count(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text on its own, int64 (n,)."""
        encoded = _load(self.path).encode_batch_fast(list(texts), add_special_tokens=False)
        return np.fromiter((len(encoding) for encoding in encoded), dtype=np.int64, count=len(encoded))

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of `text`."""
        ids: list[int] = _load(self.path).encode(text, add_special_tokens=False).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens, as the tokenizer's decoder joins them."""
        text: str = _load(self.path).decode(list(ids), skip_special_tokens=False)
        return text

    def offsets(self, text: str) -> tuple[IntArray, IntArray]:
        """Start and end character of every token, each int64 (tokens,)."""
        spans = _load(self.path).encode(text, add_special_tokens=False).offsets
        # A normaliser may reorder combining marks; a search in the offsets needs them in order.
        starts, ends = np.maximum.accumulate(np.asarray(spans, dtype=np.int64).reshape(-1, 2), axis=0).T
        return starts, ends


@cache
def _load(path: Path) -> tokenizers.Tokenizer:
    import tokenizers  # noqa: PLC0415

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing narrower
        raise ConfigError(
            f"tokenizer.path={path} is not a tokenizer in Hugging Face's format ({error}). Give a tokenizer.json."
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer
