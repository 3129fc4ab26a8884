"""The wheel holds all that the program needs: configuration, named sweeps, corpora, the plug-in of Hydra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PATIENCE = 240


def succeed(command: Sequence[str | Path], folder: Path) -> str:
    """Runs a command without the repository on its path; gives its standard output."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MLFLOW_TRACKING_URI")
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    succeed([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, REPOSITORY], folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that holds the wheel and, for all else, what is installed here."""
    environment = tmp_path_factory.mktemp("installed")
    succeed([sys.executable, "-m", "venv", "--without-pip", environment], environment)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--disable-pip-version-check", "install"]
    succeed([*pip, "--quiet", "--no-deps", "--no-index", wheel], environment)
    # The .pth files in a folder that a .pth file adds are not read: an editable chunksweep there stays unseen.
    (site_packages,) = environment.glob("**/site-packages")
    (site_packages / "installed_here.pth").write_text(sysconfig.get_path("purelib"))
    return programs


def packed(*folders: str) -> list[str]:
    """The files of the repository below these folders that belong into the wheel, as they are called there."""
    return [
        f"{'chunksweep/' if folder in ('conf', 'sweeps') else ''}{path.relative_to(REPOSITORY / root).as_posix()}"
        for folder in folders
        for root in ["src" if (REPOSITORY / "src" / folder).exists() else "."]
        for path in sorted((REPOSITORY / root / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    ]


def test_the_wheel_holds_code_configuration_and_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    expected = packed("chunksweep", "hydra_plugins", "conf", "sweeps")
    assert {"chunksweep/conf/config.yaml", "hydra_plugins/chunksweep.py"} <= set(expected)
    assert sorted(name for name in names if ".dist-info/" not in name) == sorted(expected)


def test_a_named_sweep_runs_from_the_wheel_anywhere(programs: Path, tmp_path: Path) -> None:
    printed = succeed(
        [
            programs / "chunksweep",
            *("sweep", "runbooks", "embedder=test", "hydra.launcher.n_jobs=2", "--format", "json"),
            f"cache.dir={tmp_path / 'cache'}",
        ],
        tmp_path,
    )
    shape = json.loads(printed)
    assert (shape["sweep_name"], shape["planned"], shape["finished"], shape["failed"]) == ("runbooks", 9, 9, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "mlruns"]


def test_it_is_the_wheel_that_runs(programs: Path, tmp_path: Path) -> None:
    code = (
        "import chunksweep, hydra_plugins.chunksweep as plugin; print(chunksweep.__file__, plugin.__file__, sep='\\n')"
    )
    for place in succeed([programs / "python", "-c", code], tmp_path).splitlines():
        assert Path(place).is_relative_to(programs.parent)
