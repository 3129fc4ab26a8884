"""Fixtures for the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.program import working_folder


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty working folder, which the test works in; the embedding cache is tmp_path / "cache"."""
    with working_folder(tmp_path) as folder:
        yield folder
