"""What the embedding cache holds, by model, and dropping what no longer serves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunksweep import embedders
from chunksweep.embedders.maker import Maker
from chunksweep.embedders.store import Holding, VectorStore
from chunksweep.errors import CacheError

UNKNOWN = "unknown"
SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Kept:
    """The vectors of one model with one set of options.

    maker   None where a version that did not note it wrote them
    serves  whether a run could still ask for them
    """

    holding: Holding
    maker: Maker | None
    serves: bool

    @property
    def model(self) -> str:
        """The embedder's name."""
        return self.maker.embedder if self.maker else UNKNOWN

    def shape(self) -> dict[str, Any]:
        """As JSON; times in seconds since 1970."""
        return {
            "model": self.model,
            "options": dict(self.maker.options) if self.maker else {},
            "fingerprint": self.maker.fingerprint if self.maker else None,
            "known": self.serves,
            "vectors": self.holding.vectors,
            "bytes": self.holding.bytes,
            "first_written": self.holding.first_written,
            "last_written": self.holding.last_written,
        }


def kept_in(folder: Path, before: int | None = None) -> list[Kept]:
    """What the cache in the folder holds, the largest part first.

    before  only what was written before this time, in seconds since 1970

    Raises CacheError where it cannot be read. Makes no file.
    """
    found = [_kept(holding) for holding in VectorStore(folder).holdings(before)]
    return sorted(found, key=lambda kept: (-kept.holding.bytes, kept.holding.maker or ""))


def to_drop(folder: Path, model: str | None, before: int | None) -> list[Kept]:
    """What a pruning would drop: all that fits the conditions; without any, what no longer serves.

    model   the name of an embedder, or `unknown`

    Raises CacheError for a name that no embedder has and the cache does not hold.
    """
    held = kept_in(folder, before)
    if model is None:
        return held if before is not None else [kept for kept in held if not kept.serves]
    names = {*embedders.known(), *(kept.model for kept in kept_in(folder))}
    if model not in names:
        raise CacheError(f"--model {model}: no embedder is called so. Give one of {', '.join(sorted(names))}.")
    return [kept for kept in held if kept.model == model]


def drop(folder: Path, parts: Sequence[Kept], before: int | None) -> None:
    """Drops what `to_drop` gave and makes the file smaller; files of a damaged cache that were moved aside go as well.

    Raises CacheError where the cache cannot be written.
    """
    store = VectorStore(folder)
    if parts:
        store.drop([part.holding.maker for part in parts], before)
    store.drop_damaged()


def _kept(holding: Holding) -> Kept:
    try:
        maker = Maker.read(holding.maker) if holding.maker else None
    except (json.JSONDecodeError, TypeError):  # a later version may note other things
        maker = None
    return Kept(holding, maker, maker is not None and maker.serves)
