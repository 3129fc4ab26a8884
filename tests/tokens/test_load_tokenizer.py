from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from chunksweep.errors import ConfigError
from chunksweep.paths import shipped
from chunksweep.tokens import load_tokenizer


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        pytest.param("gpt2", None, "tokenizer=gpt2 is not known. Known: o200k, cl100k, embedder, file", id="unknown"),
        pytest.param("file", None, "Give tokenizer.path=tokenizer.json", id="no path"),
        pytest.param("file", Path("no/such.json"), "tokenizer.path=no/such.json is no file", id="no file"),
        pytest.param("o200k", Path("a.json"), "tokenizer=o200k reads no file", id="a path too many"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(name: str, path: Path | None, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_tokenizer(name, path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["o200k", "cl100k", "embedder", "file"])
def test_file_of_every_tokenizer(name: str) -> None:
    text = (shipped("conf") / "tokenizer" / f"{name}.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == {"name": name, "path": None}
