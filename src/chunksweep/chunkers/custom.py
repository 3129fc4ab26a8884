"""`chunker=custom`: a class in a file of the user's. It is code, so it is loaded only where it is asked for by name."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from chunksweep.chunkers.base import Chunker
from chunksweep.errors import ChunksweepError, ConfigError

NAME = "custom"
# The options that say which class it is; all others are the class's own.
WHERE = ("path", "class")


def load(path: str | None, name: str | None) -> type[Chunker]:
    """The class `name` of the Python file at `path`, which is run: once a process for each content of the file.

    Raises ConfigError where there is no such file or class, where the file cannot be run, and for a class that is no
    chunker.
    """
    if path is None or not Path(path).is_file():
        raise ConfigError(f"chunker.path={path}: no such file. Give the Python file with your class.")
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"chunker.path={path} cannot be read ({error.strerror}). Give a file that can.") from error
    module = _run(path, source)
    member = getattr(module, name, None) if name else None
    if not (isinstance(member, type) and issubclass(member, Chunker) and member.__module__ == module.__name__):
        raise ConfigError(f"chunker.class={name}: {_choice(path, module)}")
    if missing := sorted(member.__abstractmethods__):
        raise ConfigError(f"chunker.class={name} has no {' and no '.join(missing)}(). Write what the class lacks.")
    if taken := {item.name for item in fields(member)} & {*WHERE, "name"}:
        raise ConfigError(
            f"chunker.class={name} has an option called {taken.pop()}, which names the class itself. Rename the option."
        )
    return member


@contextmanager
def one_line(path: str | None) -> Iterator[None]:
    """Whatever the user's code raises becomes a ConfigError that names the line."""
    try:
        yield
    except ChunksweepError:
        raise
    except (Exception, SystemExit) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"chunker.path={path}: {_line(path, error)}{said}. Mend the file.") from error


@lru_cache(maxsize=8)
def _run(path: str, source: bytes) -> ModuleType:
    # Known under a name of its own, by which dataclasses find what their annotations mean; no bytecode is left behind.
    module = ModuleType(f"chunksweep_custom_{hashlib.sha256(path.encode() + source).hexdigest()[:16]}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    with one_line(path):
        exec(compile(source, path, "exec"), module.__dict__)  # noqa: S102 - asked for by `chunker=custom`
    return module


def _choice(path: str, module: ModuleType) -> str:
    """What can be chosen instead."""
    found = [
        name
        for name, member in vars(module).items()
        if isinstance(member, type) and issubclass(member, Chunker) and member.__module__ == module.__name__
    ]
    if not found:
        return f"{path} has no class derived from chunksweep.chunkers.base.Chunker. Write one there."
    return f"no such chunker in {path}. It has {', '.join(found)}. Choose one of them."


def _line(path: str | None, error: BaseException) -> str:
    """The last line of the file that had a part in the error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    number = error.lineno if isinstance(error, SyntaxError) and error.filename == path else (lines or [None])[-1]
    return f"line {number}: " if number else ""
