"""A tracking store with two sweeps, MLflow's UI of it, and Debian's chromium to look at it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import COMMAND, PATIENCE

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
# No service of the browser's own may ask anything of the network, and a container has neither a sandbox nor a GPU.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True, slots=True)
class Page:
    """The UI as it is printed for the first of two sweeps.

    address   as `chunksweep ui` prints it
    sweep_id  of the sweep it shows
    runs      the cells of that sweep as `chunksweep sweep` gives them
    """

    address: str
    sweep_id: str
    runs: list[dict[str, Any]]


def chunksweep(folder: Path, *arguments: str) -> Any:
    """What a command prints as JSON."""
    command = [*COMMAND, *arguments, "--format", "json"]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=PATIENCE).stdout)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """MLflow's UI of a store with a sweep of nine cells and a later one of two."""
    folder = tmp_path_factory.mktemp("ui")
    common = ["embedder=test", f"cache.dir={folder / 'cache'}"]
    sweep = chunksweep(folder, "sweep", "runbooks", *common)
    chunksweep(folder, "sweep", "chunker=recursive", "size=200,400", *common)
    command = [*COMMAND, "ui", "--sweep", sweep["sweep_id"], "--port", str(free_port())]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            yield Page(address, sweep["sweep_id"], sweep["runs"])
        finally:
            server.terminate()
    assert server.returncode == 130


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium with an empty profile, wide enough for every column: the table draws only what is in sight."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Debian's chromium and chromium-driver are missing")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, "--window-size=2200,1200", f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()
