"""Plain data as text: parameters of a run, YAML, and the tables that MLflow's UI shows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import yaml

# libyaml's takes a fifth of the time; PyYAML is built without it on some machines.
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
UNICODE_BREAKS = re.compile("[\x85\u2028\u2029]")
# MLflow refuses longer parameter values; a list of globs can be that long, a scalar never is.
LONGEST_PARAM = 6000


def param_text(value: Any) -> str:
    """A parameter as the text that MLflow keeps: a YAML scalar or flow list, so that its type can be read back."""
    return _param_text(value) if isinstance(value, list | dict) else _scalar_text(type(value).__name__, value)


@lru_cache(maxsize=4096)
def _scalar_text(_kind: str, value: Any) -> str:
    """The cells of a grid have most of their parameters in common; 1, 1.0 and true are equal but not the same text."""
    return _param_text(value)


def _param_text(value: Any) -> str:
    text = yaml_text(value, default_flow_style=True, width=10**9)
    return text.removesuffix("\n").removesuffix("\n...")[:LONGEST_PARAM]


def yaml_text(value: Any, **style: Any) -> str:
    """A value of plain data as YAML that reads back as the same value."""
    # PyYAML writes these line breaks of Unicode as they are and reads them back as blanks.
    escaped = UNICODE_BREAKS.search(json.dumps(value, ensure_ascii=False)) is not None
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=not escaped, **style)
    return text


def param_value(text: str) -> Any:
    """The typed value of a parameter's text; the text itself where another program logged no YAML."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in the form that MLflow's UI shows."""
    return json.dumps({"columns": list(columns), "data": [list(row) for row in rows]}, ensure_ascii=False)
