"""From grids and the command line to the overrides of every cell."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, ListConfig, OmegaConf

from chunksweep.errors import ConfigError

# Words that Hydra reads as something other than a text.
WORDS = ("true", "false", "null", "inf", "nan")
BARE = re.compile(rf"(?!({'|'.join(WORDS)})\Z)[a-z_][\w./-]*", re.ASCII | re.IGNORECASE)


def expand(
    grids: Sequence[Mapping[str, Any]],
    params: Mapping[str, Any],
    arguments: Sequence[str],
    config_loader: ConfigLoader | None = None,
) -> list[list[str]]:
    """The overrides of every cell: the union of the grids, in order, under the arguments of the command line.

    grids      maps from a key to a scalar, a list, or a Hydra sweep string
    params     one more grid, as `hydra.sweeper.params` of Hydra's own sweeper
    arguments  overrides of the command line; each replaces the axis of its key in every grid, or is added to it

    Raises ConfigError for a key that is given twice, a sweep that is not a list of values, and `k` as an axis.
    """
    parser = OverridesParser.create(config_loader=config_loader)
    given: dict[str, list[str]] = {}
    for override in parser.parse_overrides(list(arguments)):
        key = _bare(override.get_key_element())
        if key in given:
            raise ConfigError(f"{key} is given twice, last as {override.input_line}. Give each key once: {key}=A,B.")
        given[key] = _values(override)
    cells: list[list[str]] = []
    for grid in [*map(_plain, grids), *([_plain(params)] if params or not grids else [])]:
        axes = {_bare(key): _axis(key, value, parser) for key, value in grid.items()} | given
        cells.extend(list(cell) for cell in itertools.product(*axes.values()))
    return cells


def _bare(key: str) -> str:
    """A key without the marks by which Hydra adds, forces or deletes it: `++size` speaks of the same key as `size`."""
    return key.lstrip("+~")


def _plain(grid: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(grid, DictConfig):
        return {str(key): value for key, value in OmegaConf.to_container(grid, resolve=False).items()}  # type: ignore[union-attr]
    return dict(grid)


def _axis(key: str, value: Any, parser: OverridesParser) -> list[str]:
    """The overrides `key=value` of one axis."""
    if isinstance(value, list | tuple | ListConfig) and key != "k":
        return [f"{key}={literal(item)}" for item in value]
    text = value if isinstance(value, str) else literal(value)
    return _values(parser.parse_overrides([f"{key}={text}"])[0])


def _values(override: Override) -> list[str]:
    """The override itself, or one override for each value of its sweep."""
    if not override.is_sweep_override():
        return [override.input_line or f"{override.get_key_element()}={override.get_value_element_as_str()}"]
    key = override.get_key_element()
    if key == "k":
        raise ConfigError(
            f"{override.input_line}: k is one list of cut-offs for all cells, not an axis. Write it as k=[1,3,5,10]."
        )
    if key.startswith("verdict."):
        raise ConfigError(f"{override.input_line}: a sweep is judged in one way, so {key} takes one value.")
    if not override.is_discrete_sweep():
        raise ConfigError(f"{override.input_line}: a grid takes lists of values, such as {key}=200,400, not intervals.")
    return [f"{key}={value!s}" for value in override.sweep_string_iterator()]


def literal(value: Any) -> str:
    """A plain value in Hydra's override grammar."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            return value if BARE.fullmatch(value) else _quoted(value)
        case list() | tuple() | ListConfig():
            return "[" + ",".join(literal(item) for item in value) + "]"
        case dict() | DictConfig():
            return "{" + ",".join(f"{key!s}:{literal(item)}" for key, item in value.items()) + "}"
        case _:
            raise ConfigError(f"{value!r} is a {type(value).__name__}: a grid takes numbers, texts, lists and maps.")


def _quoted(text: str) -> str:
    # In Hydra's grammar a backslash escapes only a quote or the backslashes right before one.
    return "'" + re.sub(r"(\\*)('|$)", lambda m: m[1] * 2 + ("\\'" if m[2] else ""), text) + "'"
