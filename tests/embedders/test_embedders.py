"""What can be named in a configuration: every embedder has its file, with the defaults of its class."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path

import pytest
import yaml

from chunksweep import embedders
from chunksweep.errors import ConfigError

CONF = Path(__file__).parents[2] / "conf"
# The others need to be told a model.
BUNDLED = ("late", "minilm", "static", "test")


def test_every_embedder_has_a_configuration_file_and_so_has_none():
    assert {path.stem for path in (CONF / "embedder").glob("*.yaml")} == {*embedders.known(), "none"}
    assert yaml.safe_load((CONF / "embedder" / "none.yaml").read_text(encoding="utf-8")) == {"name": "none"}


@pytest.mark.parametrize("name", embedders.known())
def test_a_configuration_file_states_name_and_defaults(name):
    stated = yaml.safe_load((CONF / "embedder" / f"{name}.yaml").read_text(encoding="utf-8"))
    options = {option.name: option.default for option in fields(embedders.find(name))}
    assert MISSING not in options.values()
    assert stated == {"name": name} | options


@pytest.mark.parametrize("group", ["embedder", "retriever"])
def test_a_configuration_file_begins_with_what_it_is_for(group):
    for path in (CONF / group).glob("*.yaml"):
        assert path.read_text(encoding="utf-8").startswith("# ")
        assert f"{group}={path.stem}" in path.read_text(encoding="utf-8")


def test_an_unknown_name_is_refused_with_those_known():
    with pytest.raises(ConfigError, match=r"embedder=bert is not known\. Choose one of late, minilm, .*test"):
        embedders.find("bert")


@pytest.mark.parametrize("name", BUNDLED)
def test_fingerprints_tell_embedders_apart(name):
    others = [embedders.find(other)().fingerprint for other in BUNDLED if other != name]
    assert embedders.find(name)().fingerprint not in others
