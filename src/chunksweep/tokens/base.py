"""What a tokenizer is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from chunksweep.records import IntArray


class Tokenizer(Protocol):
    """Splits text into tokens. Text that spells a special token is ordinary text.

    Pickles small: workers get the name or path and read the tables themselves.
    """

    @property
    def fingerprint(self) -> str:
        """Changes when a count could: the name of a published encoding, or the sha256 of a tokenizer file."""
        ...

    def count(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text on its own, int64 (n,); no special tokens are added."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of `text`, without special tokens."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens.

        Not always what was encoded: a character of which only some tokens are there becomes U+FFFD, and a tokenizer
        that drops case or white space does not bring it back.
        """
        ...

    def offsets(self, text: str) -> tuple[IntArray, IntArray]:
        """Start and end character of every token, each int64 (tokens,), neither decreasing; [start, end).

        Tokens that are bytes of one character have the same start and end. Characters that the tokenizer drops
        (white space in word pieces) lie in none.
        """
        ...
