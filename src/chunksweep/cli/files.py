"""Files that commands write where they are told to."""

from __future__ import annotations

import os
from pathlib import Path

from chunksweep.errors import ConfigError


def writable(name: str, flag: str) -> Path:
    """The path of a file to write.

    Raises ConfigError where there can be none, before anything is computed for it.
    """
    path = Path(name)
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(f"{flag} {name}: a file in a folder that exists and can be written is needed. Give another.")
    return path


def write(path: Path, text: str) -> None:
    """Writes a file as UTF-8.

    Raises ConfigError where it cannot be written after all: a full disk, a folder that takes no files.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}. Give another place.") from error
