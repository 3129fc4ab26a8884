"""Questions files: JSON Lines, JSON, YAML and CSV, each read into entries that know where they stand."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from chunksweep.documents.decoding import UnreadableError, decode
from chunksweep.questions.problems import Problem, quoted

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One question as the file gives it.

    where   file and line, or file and number of the entry
    number  1 for the first entry of the file
    fields  by name; values are what JSON can hold
    """

    where: str
    number: int
    fields: Fields


@dataclass(frozen=True, slots=True)
class _Item:
    """Something in the place of an entry; `place` is "line 7" or "entry 7"."""

    place: str
    value: Any


class _FormatError(Exception):
    """Text that is not of the format that the file's name promises; message and hint of a problem."""


def read_entries(path: Path) -> Iterator[Entry | Problem]:
    """The entries of a file in order, and a problem in place of each that is none; the format is told by its ending."""
    parse = _FORMATS.get(path.suffix.lower())
    if parse is None:
        yield Problem("error", str(path), "is not a questions file by its name", f"Name it {_NAMES}.")
        return
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        yield Problem("error", str(path), f"cannot be opened ({error.strerror})", f"Give a file named {_NAMES}.")
        return
    except UnreadableError as error:
        yield Problem("error", str(path), str(error), "Save it as UTF-8.")
        return
    yield from _entries(parse(text), path.name)


def _entries(items: Iterator[_Item], name: str) -> Iterator[Entry | Problem]:
    number = 0
    try:
        for number, item in enumerate(items, start=1):
            yield _entry(item, f"{name} {item.place}", number)
    except _FormatError as error:
        yield Problem("error", name, *error.args)
        return
    if not number:
        yield Problem("error", name, "holds no questions", 'Give at least one, with a "question" and a "fact".')


def _entry(item: _Item, where: str, number: int) -> Entry | Problem:
    if isinstance(item.value, _FormatError):
        return Problem("error", where, *item.value.args)
    if not isinstance(item.value, dict):
        given = quoted(json.dumps(item.value, ensure_ascii=False, default=str))
        return Problem("error", where, f"{given} is no question", 'Give an object with a "question" and a "fact".')
    return Entry(where, number, item.value)


def _json_lines(text: str) -> Iterator[_Item]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = _json_value(line)
            except _FormatError as error:
                value = error
            yield _Item(f"line {number}", value)


def _json(text: str) -> Iterator[_Item]:
    if text.strip():
        yield from _listed(_json_value(text))


def _json_value(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise _FormatError(f"is not JSON: {error.msg} at {line}column {error.colno}", _SHAPES) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets thousands deep
        raise _FormatError(f"cannot be read: {error}", _SHAPES) from error


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    _refuse_repeated([key for key, _ in pairs])
    return fields


def _refuse_repeated(names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if name and count > 1:
            raise _FormatError(f"{quoted(name)} is given twice", 'Give several facts as a list under "facts".')


class _VerbatimLoader(yaml.BaseLoader):
    """Leaves every scalar but null as it is written, so that a quote such as 1.10, 308 or No stays one."""


_NULL = "tag:yaml.org,2002:null"
_VerbatimLoader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_VerbatimLoader.add_constructor(_NULL, lambda _loader, _node: None)


def _yaml(text: str) -> Iterator[_Item]:
    try:
        value = yaml.load(text, Loader=_VerbatimLoader)  # noqa: S506 - builds nothing but strings, lists, mappings, None
    except yaml.MarkedYAMLError as error:
        line = f" at line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise _FormatError(f"is not YAML: {error.problem}{line}", _YAML_SHAPE) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise _FormatError(f"is not YAML: {' '.join(str(error).split())}", _SHAPES) from error
    if value is not None:
        yield from _listed(value)


def _listed(value: Any) -> Iterator[_Item]:
    questions = value.get("questions") if isinstance(value, dict) else value
    if not isinstance(questions, list):
        raise _FormatError("is not a list of questions", _SHAPES)
    for number, item in enumerate(questions, start=1):
        yield _Item(f"entry {number}", item)


def _csv(text: str) -> Iterator[_Item]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        _refuse_repeated(header)
        line = rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                yield _Item(f"line {line}", _csv_fields(header, row))
            line = rows.line_num + 1
    except csv.Error as error:
        raise _FormatError(f"is not CSV: {error} at line {rows.line_num}", _CSV_SHAPE) from error


def _csv_fields(header: Sequence[str], row: Sequence[str]) -> dict[str, Any] | _FormatError:
    """The cells by column; an empty cell is a field that is not given, `facts` is a list in JSON."""
    if len(row) > len(header):
        return _FormatError(f"{len(row)} cells under {len(header)} columns", _CSV_SHAPE)
    fields: dict[str, Any] = {name: cell for name, cell in zip(header, row, strict=False) if cell}
    if "facts" in fields:
        try:
            fields["facts"] = _json_value(fields["facts"])
        except _FormatError as error:
            return _FormatError(f'the column "facts" {error.args[0]}', 'Write a list there, as ["first", "second"].')
    return fields


_FORMATS: dict[str, Callable[[str], Iterator[_Item]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".csv": _csv,
}
_NAMES = "*.jsonl, *.json, *.yaml, *.yml or *.csv"
_SHAPES = 'Give a list of objects, an object with that list under "questions", or one object a line in a .jsonl file.'
_YAML_SHAPE = (
    "Put a text with a colon, a # or a bracket in double quotes, and begin the fields of an entry in one column."
)
_CSV_SHAPE = "Separate cells by commas and put a cell with commas, quotes or line ends in double quotes."
