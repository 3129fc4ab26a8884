"""Tokenizers: how many tokens a text has, and where in it they stand."""

from __future__ import annotations

from pathlib import Path

from chunksweep.errors import ConfigError
from chunksweep.tokens.base import Tokenizer
from chunksweep.tokens.byte_pair import ENCODINGS, BytePairTokenizer
from chunksweep.tokens.hugging_face import HuggingFaceTokenizer

__all__ = ["Tokenizer", "load_tokenizer"]


def load_tokenizer(name: str, path: Path | None = None) -> Tokenizer:
    """The tokenizer called `name`; its tables are read when it is first used.

    name  "o200k" or "cl100k", or "file" for a tokenizer.json in Hugging Face's format
    path  that file; only "file" has one

    Raises ConfigError for another name, and where `path` is missing, is none of these files or is not wanted.
    """
    if name == "file":
        if path is None:
            raise ConfigError("tokenizer=file without tokenizer.path. Give tokenizer.path=tokenizer.json.")
        return HuggingFaceTokenizer(_readable(path))
    if name not in ENCODINGS:
        known = ", ".join([*ENCODINGS, "embedder", "file"])
        raise ConfigError(f"tokenizer={name} is not known. Known: {known}. Choose one, or give tokenizer.path.")
    if path is not None:
        raise ConfigError(f"tokenizer={name} reads no file, but tokenizer.path={path} is given. Leave out one of them.")
    return BytePairTokenizer(name)


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise ConfigError(f"tokenizer.path={path} is no file. Give the path of a tokenizer.json.")
    return path
