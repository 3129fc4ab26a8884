"""What Chonkie's strategies share: our ruler as a tokenizer of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunksweep.chunkers.ruler import Ruler
from chunksweep.errors import ConfigError

if TYPE_CHECKING:
    from chonkie.tokenizer import Tokenizer


def chonkie_tokenizer(ruler: Ruler) -> Tokenizer:
    """A tokenizer of Chonkie's that counts and cuts as the ruler does."""
    from chonkie.tokenizer import Tokenizer  # noqa: PLC0415

    class Units(Tokenizer):
        def __repr__(self) -> str:
            return f"Units({ruler})"

        def tokenize(self, text: str) -> Sequence[int]:
            return ruler.encode(text)

        def encode(self, text: str) -> Sequence[int]:
            return ruler.encode(text)

        def decode(self, tokens: Sequence[int]) -> str:
            return ruler.decode(tokens)

        def count_tokens(self, text: str) -> int:
            return ruler.count(text)

    return Units()


def at_least_one(option: str, value: int) -> None:
    """Raises ConfigError for an option below 1."""
    if value < 1:
        raise ConfigError(f"chunker.{option}={value}: a whole number of at least 1 is needed.")
