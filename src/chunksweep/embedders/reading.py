"""How a model with a tokenizer of Hugging Face's reads a text: into which tokens, and where it stops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunksweep.embedders.base import Reading
from chunksweep.errors import EmbeddingError
from chunksweep.records import IntArray

if TYPE_CHECKING:
    import tokenizers

TEXTS_PER_READ = 1_024


@dataclass(frozen=True, slots=True)
class TextReader:
    """Reads texts as one model does.

    path            its tokenizer.json
    window          most tokens read of a text, prompt and special tokens included; what follows is cut; None: no limit
    lowers_case     whether texts are made lower case before the tokenizer reads them
    special_tokens  whether special tokens stand around a text

    The methods raise EmbeddingError where the file cannot be used.
    """

    path: Path
    window: int | None
    lowers_case: bool = False
    special_tokens: bool = True

    def read(self, texts: Sequence[str], prompt: str = "") -> Reading:
        """What the model reads of each text after the prompt: digests of its token ids within the window."""
        special = self._tokenizer.num_special_tokens_to_add(is_pair=False) if self.special_tokens else 0
        tokens = np.empty(len(texts), dtype=np.int64)
        digests = []
        for row, encoding in enumerate(self.encoded(texts, prompt)):
            # What was cut off comes in pieces, each with special tokens of its own.
            tokens[row] = len(encoding) + sum(len(piece) - special for piece in encoding.overflowing)
            digests.append(blake2b(np.array(encoding.ids, dtype=np.int32).tobytes(), digest_size=16).digest())
        return Reading(tokens, digests)

    def without_window(self) -> TextReader:
        """The same, reading to the end."""
        return replace(self, window=None)

    def encoded(self, texts: Sequence[str], prompt: str = "") -> Iterator[tokenizers.Encoding]:
        """The tokens of each text after the prompt, within the window."""
        after = texts if not prompt else [prompt + text for text in texts]
        blocks = (after[first : first + TEXTS_PER_READ] for first in range(0, len(after), TEXTS_PER_READ))
        tokenizer = self._tokenizer
        return chain.from_iterable(
            tokenizer.encode_batch_fast(block, add_special_tokens=self.special_tokens) for block in blocks
        )

    def places(self, text: str, prompt: str = "") -> IntArray:
        """Where the tokens within the window stand in the text: int64 (tokens, 2), first character, one after the last.

        Equal for special tokens; negative, or equal to 0, for the end of tokens of the prompt.
        """
        # The fast way, by which `encoded` reads, leaves offsets out.
        encoding = self._tokenizer.encode(prompt + text, add_special_tokens=self.special_tokens)
        return np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) - len(prompt)

    @property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        return _tokenizer(self.path, self.window, self.lowers_case)


def unusable(folder: Path, error: Exception) -> EmbeddingError:
    """The one line for a model whose files a library cannot load."""
    reason = " ".join(str(error).split())
    return EmbeddingError(
        f"the model in {folder} cannot be loaded ({type(error).__name__}: {reason[:300]}). "
        "Give another model, or get this one again."
    )


@lru_cache(maxsize=4)
def _tokenizer(path: Path, window: int | None, lowers_case: bool) -> tokenizers.Tokenizer:
    """The model's tokenizer, with its window in place of the truncation and padding that its file may ask for."""
    import tokenizers  # noqa: PLC0415 - a native library that a run served by the cache does without

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more precise
        raise unusable(path.parent, error) from error
    tokenizer.no_padding()
    if window is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(window)
    if lowers_case:
        own = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Lowercase(), *own])
    return tokenizer
