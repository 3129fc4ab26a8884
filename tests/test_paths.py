"""Where the parts lie that ship with the package, and where vectors are kept."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from chunksweep import paths

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("folder", ["conf", "sweeps"])
def test_in_a_clone_the_configuration_lies_at_its_top(folder):
    assert paths.shipped(folder) == ROOT / folder


def test_in_a_wheel_it_lies_inside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "chunksweep"
    (package / "conf" / "chunker").mkdir(parents=True)
    (package / "conf" / "chunker" / "own.yaml").touch()
    monkeypatch.setattr(paths, "PACKAGE", package)
    assert paths.shipped("conf") == package / "conf"
    assert paths.group_options("chunker") == ["own"]


def test_named_sweeps_are_the_files_of_their_folder():
    names = paths.sweep_names()
    assert names == sorted(names)
    assert "runbooks" in names
    assert all((ROOT / "sweeps" / f"{name}.yaml").is_file() for name in names)


@pytest.mark.parametrize(
    ("group", "options"),
    [
        pytest.param("prefix", ["heading", "none", "path", "template", "title"], id="a group"),
        pytest.param("nothing", [], id="no such group"),
    ],
)
def test_choices_of_a_group(group, options):
    assert paths.group_options(group) == options


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        pytest.param("# What it is for.\n# More.\nname: x\n", "What it is for.", id="a comment"),
        pytest.param("", "", id="an empty file"),
        pytest.param("#\n", "", id="an empty comment"),
    ],
)
def test_first_comment(tmp_path, text, comment):
    (tmp_path / "file.yaml").write_text(text, encoding="utf-8")
    assert paths.first_comment(tmp_path / "file.yaml") == comment


def test_every_file_that_ships_says_what_it_is_for():
    files = [*paths.shipped("conf").rglob("*.yaml"), *paths.shipped("sweeps").glob("*.yaml")]
    assert [path.name for path in files if not paths.first_comment(path).endswith(".")] == []


def test_where_vectors_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert paths.cache_folder(None) == Path(platformdirs.user_cache_dir("chunksweep"))
    assert paths.cache_folder("vectors") == tmp_path / "vectors"
    assert paths.cache_folder("~/vectors") == Path.home() / "vectors"
