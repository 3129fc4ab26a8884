"""How fast an embedder was last time, kept beside its vectors: what a plan's estimate of time rests on."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path

FILE = "rates.json"
# Below this the time to import and load a model tells more than its speed.
TOKENS_NEEDED = 20_000


def remember(folder: Path, embedder: str, tokens: int, seconds: float) -> None:
    """Keeps tokens a second, in place of what was known of this embedder; too few tokens are not worth keeping."""
    if tokens < TOKENS_NEEDED or seconds <= 0:
        return
    rates = _read(folder) | {embedder: tokens / seconds}
    # An estimate is not worth losing a sweep for: where it cannot be written there is none next time.
    with suppress(OSError):
        beside = folder / f"{FILE}.new"
        beside.write_text(json.dumps(rates, indent=2), encoding="utf-8")
        beside.replace(folder / FILE)


def recall(folder: Path, embedder: str) -> float | None:
    """Tokens a second of this embedder, None where it is not known."""
    return _read(folder).get(embedder)


def _read(folder: Path) -> dict[str, float]:
    """The rates on file; those that are not rates are left out."""
    try:
        rates = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there, or not what was written
        return {}
    return {
        str(name): rate
        for name, rate in (rates.items() if isinstance(rates, dict) else ())
        if isinstance(rate, float) and math.isfinite(rate) and rate > 0
    }
