"""How a configuration is called where there is little room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# The axes people sweep most come without their key; every other key is spelled out.
PLAIN = ("corpus", "chunker", "size")
DEFAULTS: Mapping[str, Any] = {"prefix": "none", "overlap": 0, "chunker.unit": "characters"}


def telling(all_params: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that tell the configurations apart; of one alone those that people ask for first."""
    return varying(all_params) if len(all_params) > 1 else ["overlap", "prefix", "chunker.unit"]


def varying(all_params: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys in which the configurations differ, in the order of the configuration."""
    keys = dict.fromkeys(key for params in all_params for key in params)
    return [key for key in keys if len({repr(params.get(key)) for params in all_params}) > 1]


def label(params: Mapping[str, Any], keys: Sequence[str]) -> str:
    """A short name that tells this configuration from others that differ in `keys`: "fixed 400 overlap 0.2".

    The chunker and its size always stand in it; what is ignored, or absent, does not.
    """
    words = [str(params["corpus"])] if "corpus" in keys else []
    words.append(str(params["chunker"]))
    if params.get("size") is not None:
        words.append(str(params["size"]))
    for key in keys:
        value = params.get(key)
        if key in PLAIN or value is None or value == DEFAULTS.get(key, ...):
            continue
        if key == "chunker.unit":
            words.append(str(value))
        elif key == "prefix":
            words.append(f"+{value}")
        else:
            words.append(f"{key.removeprefix('chunker.')} {value}")
    return " ".join(words)
