"""Files that cannot be written end in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chunksweep.cli.files import writable, write
from chunksweep.errors import ConfigError


def test_a_file_is_written_over(tmp_path: Path) -> None:
    path = writable(str(tmp_path / "page.html"), "--out")
    for text in ("one", "zwölf"):
        write(path, text)
    assert path.read_bytes() == "zwölf".encode()


@pytest.mark.parametrize("name", [".", "nowhere/page.html"])
def test_where_no_file_can_be(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^--out .*: a file in a folder that exists"):
        writable(name, "--out")


def test_a_name_that_is_too_long_for_the_disk(tmp_path: Path) -> None:
    limit = os.pathconf(tmp_path, "PC_NAME_MAX")
    with pytest.raises(ConfigError, match="cannot be written: File name too long"):
        write(tmp_path / ("x" * (limit + 1)), "page")
