"""Embedders: one a file, named in conf/embedder/; their dataclass fields are their options."""

from __future__ import annotations

from typing import Any

from chunksweep.embedders.endpoint import Endpoint
from chunksweep.embedders.late import LateChunking
from chunksweep.embedders.local_model import LocalModel
from chunksweep.embedders.minilm import MiniLM
from chunksweep.embedders.static import Static
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ConfigError

_EMBEDDERS: dict[str, type[Any]] = {
    "late": LateChunking,
    "minilm": MiniLM,
    "openai": Endpoint,
    "sentence_transformers": LocalModel,
    "static": Static,
    "test": WordInitials,
}


def find(name: str) -> type[Any]:
    """The class of an embedder, to be called with its options; it follows `base.Embedder`.

    Raises ConfigError for a name that is not known.
    """
    if name not in _EMBEDDERS:
        raise ConfigError(f"embedder={name} is not known. Choose one of {', '.join(known())}.")
    return _EMBEDDERS[name]


def known() -> tuple[str, ...]:
    """The names of all embedders, sorted."""
    return tuple(sorted(_EMBEDDERS))
