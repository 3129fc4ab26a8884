"""The plug-in that Hydra finds: light for other applications, and in their way nowhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.plugins.search_path_plugin import SearchPathPlugin
from hydra.plugins.sweeper import Sweeper

from chunksweep.paths import shipped

PLUGIN = Path(__file__).parents[1] / "src" / "hydra_plugins" / "chunksweep.py"
IMPORTED = """
import json, sys
before = set(sys.modules) | {"hydra_plugins"}
import hydra.core.plugins, hydra.plugins.launcher, hydra.plugins.sweeper, hydra.types, hydra.core.utils, omegaconf
hydras = set(sys.modules)
import hydra_plugins.chunksweep
print(json.dumps(sorted(set(sys.modules) - before - hydras)))
"""
ANOTHER = """
import hydra

@hydra.main(config_path=None, version_base="1.3")
def task(config):
    print("size", config.size)

task()
"""


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(Launcher, "SharedStagesLauncher"), pytest.param(Sweeper, "GridsSweeper")]
)
def test_hydra_finds_it(kind, name):
    assert name in [found.__name__ for found in Plugins.instance().discover(kind)]


def test_no_search_path_of_any_application_is_changed():
    assert [found for found in Plugins.instance().discover(SearchPathPlugin) if "chunksweep" in found.__module__] == []


def test_it_imports_nothing_but_hydra():
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["hydra_plugins.chunksweep"]


def test_it_is_a_namespace_package_without_postponed_annotations():
    # Hydra 1.3 executes the module without registering it, which breaks dataclasses with postponed annotations.
    assert not (PLUGIN.parent / "__init__.py").exists()
    assert "from __future__" not in PLUGIN.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        pytest.param(["+size=1"], ["size 1"], id="a run"),
        pytest.param(["--multirun", "+size=1,2"], ["size 1", "size 2"], id="a sweep with the launcher of its own"),
    ],
)
def test_other_applications_run_as_before(tmp_path, arguments, printed):
    (tmp_path / "app.py").write_text(ANOTHER, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "app.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("size")] == printed


def test_another_application_that_chooses_our_launcher_is_told(tmp_path):
    (tmp_path / "app.py").write_text(ANOTHER, encoding="utf-8")
    launcher = shipped("conf") / "hydra" / "launcher" / "chunksweep.yaml"
    (tmp_path / "conf" / "hydra" / "launcher").mkdir(parents=True)
    (tmp_path / "conf" / "hydra" / "launcher" / "ours.yaml").write_bytes(launcher.read_bytes())
    arguments = ["--multirun", "--config-dir", "conf", "hydra/launcher=ours", "+size=1,2"]
    done = subprocess.run(
        [sys.executable, "app.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "hydra/launcher=basic" in done.stderr
