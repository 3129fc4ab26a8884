"""How a configuration is called where there is little room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Params = Mapping[str, Any]

# What needs not be said unless it is something else.
DEFAULTS: Params = {"prefix": "none", "overlap": 0, "embedder": "none", "retriever.expand": "none"}
# What a configuration has no use for: an embedder, options of what is not used. It tells it from no other.
UNUSED = ("window", "window_unit", "parent", "parent_size", "mmr_candidates", "rerank_candidates")
LACKING = {
    ("embedder", repr("none")),
    *((f"retriever.{option}", repr(None)) for option in UNUSED),
}
ALONE = ("overlap", "prefix")
# Characters of a model's name or path.
LONGEST_MODEL = 32
IN_PLACE = ("corpus", "chunker", "size", "chunker.unit")


def telling(all_params: Sequence[Params]) -> list[str]:
    """The keys that tell the configurations apart; of one alone those that people ask for first.

    An option tells two configurations apart only where both have it, null being a value as any other: what other
    members of its group lack goes without saying once the member is named.
    """
    if len(all_params) == 1:
        return list(ALONE)
    keys = dict.fromkeys(key for params in all_params for key in params)
    return [key for key in keys if _tells(key, all_params)]


def label(params: Params, keys: Sequence[str]) -> str:
    """A short name that tells this configuration from others that differ in `keys`: "fixed 400 overlap 0.2".

    The chunker and its size always stand in it; what is ignored, or the usual, does not.
    """
    words = [str(params["corpus"])] if "corpus" in keys else []
    words.append(str(params["chunker"]))
    if params.get("size") is not None:
        words.append(str(params["size"]))
        words += [params["chunker.unit"]] if params.get("chunker.unit") in ("tokens", "words") else []
    return " ".join(words + [_word(key, params) for key in keys if _worth_saying(key, params)])


def _tells(key: str, all_params: Sequence[Params]) -> bool:
    group = key.split(".", maxsplit=1)[0]
    seen: dict[str, set[str]] = {}
    for params in all_params:
        if key in params and (key, repr(params[key])) not in LACKING:
            member = "" if group == key else str(params.get(group))
            seen.setdefault(member, set()).add(repr(params[key]))
    return any(len(values) > 1 for values in seen.values())


def _worth_saying(key: str, params: Params) -> bool:
    value = params.get(key)
    return key not in IN_PLACE and value is not None and value != DEFAULTS.get(key, ...)


def _word(key: str, params: Params) -> str:
    if key == "prefix":
        return f"+{params[key]}"
    if key == "retriever":
        return str(params[key])
    if key == "embedder.model":
        return f"model {_tail(str(params[key]))}"
    return f"{key.removeprefix('chunker.').removeprefix('retriever.')} {params[key]}"


def _tail(path: str) -> str:
    """A model's name, or the end of its path, which tells models apart better than the beginning."""
    return path if len(path) <= LONGEST_MODEL else f"…{path[1 - LONGEST_MODEL :]}"
