"""What tests of several folders need: nothing outside the test's own folder, a tiny corpus, a tracking store."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from tests import tiny_corpus

from chunksweep.tracking import Store


@pytest.fixture(autouse=True)
def nothing_outside(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache and tracking store are neither read nor written, and MLflow takes no orders from outside."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "caches" / secrets.token_hex(8)))
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The folder of a tiny corpus whose scores can be worked out by hand; see tests/tiny_corpus.py."""
    return tiny_corpus.write(tmp_path / "tiny")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A tracking store that does not exist yet."""
    return Store(f"sqlite:///{tmp_path / 'mlruns' / 'mlflow.db'}")
