"""No command reaches for the network, neither for a model nor with a report on its use."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.program import heed_interrupts

from chunksweep.cli import COMMANDS

WATCH = Path(__file__).parent / "watch"
PATIENCE = 240
MAIN = "import sys; from chunksweep.cli import main; sys.exit(main(sys.argv[1:]))"
# What a test run may have switched off for itself, a user has not; and MLflow sends nothing where it sees a CI.
SWITCHES = ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "CI")


def watched(arguments: Sequence[str], folder: Path, **switches: str) -> subprocess.Popen[str]:
    """A Python process whose connections, and those of all its children, are noted in folder/seen."""
    environment = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    environment |= {"PYTHONPATH": str(WATCH), "CONNECTIONS_SEEN": str(folder / "seen")} | switches
    # MLflow takes a process in which pytest is at work for a test run, and sends nothing either.
    environment = {name: value for name, value in environment.items() if not name.startswith(("PYTEST", "GITHUB"))}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - sets a signal and no more
    )


def seen(folder: Path) -> list[str]:
    return (folder / "seen").read_text().splitlines() if (folder / "seen").exists() else []


CONNECT = "socket.socket().connect(('192.0.2.1', 9))"  # an address of no machine, by RFC 5737
IN_A_CHILD = (
    f"import subprocess, sys; subprocess.run([sys.executable, '-c', {f'import socket; {CONNECT}'!r}], check=True)"
)
LOOK_UP = "socket.getaddrinfo('nowhere.invalid', 80)"
SEND = "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))"
LOOPBACK = "s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"


@pytest.mark.parametrize(
    ("code", "noted"),
    [
        pytest.param(CONNECT, ["socket.connect 192.0.2.1"], id="a connection"),
        pytest.param(IN_A_CHILD, ["socket.connect 192.0.2.1"], id="a connection of a child"),
        pytest.param(LOOK_UP, ["socket.getaddrinfo nowhere.invalid"], id="a look-up"),
        pytest.param(SEND, ["socket.sendto 192.0.2.1"], id="a datagram"),
        pytest.param(LOOPBACK, [], id="this machine is no network"),
    ],
)
def test_the_watcher_sees(tmp_path: Path, code: str, noted: list[str]) -> None:
    process = watched(["-c", f"import socket; {code}"], tmp_path)
    process.communicate(timeout=PATIENCE)
    assert seen(tmp_path) == noted
    assert (process.returncode == 0) == (not noted)


@pytest.mark.long
def test_the_watcher_sees_the_reports_that_are_switched_off_by_default(tmp_path: Path) -> None:
    command = ["-c", MAIN, "run", "embedder=test", f"cache.dir={tmp_path / 'cache'}"]
    process = watched(command, tmp_path, MLFLOW_DISABLE_TELEMETRY="false", DO_NOT_TRACK="false")
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert any("mlflow" in line for line in seen(tmp_path))


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which every command ran, and what they said on standard error."""
    folder = tmp_path_factory.mktemp("used")
    process = watched([str(WATCH / "every_command.py"), str(folder / "cache")], folder)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return folder, err


def test_no_command_reaches_out(used: tuple[Path, str]) -> None:
    folder, err = used
    assert set(re.findall(r"^done (\w+)$", err, re.MULTILINE)) == COMMANDS.keys() - {"ui"}
    assert seen(folder) == []


def test_the_ui_does_not_reach_out(used: tuple[Path, str]) -> None:
    folder, _ = used
    port = free_port()
    with watched(["-c", MAIN, "ui", "--port", str(port)], folder) as process:
        watchdog = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"http://127.0.0.1:{port}/")
        for page in ("", "version"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=PATIENCE) as answer:
                assert answer.status == 200
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        watchdog.cancel()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert free_port(port) == port  # the server ended with it
    assert seen(folder) == []


def free_port(port: int = 0) -> int:
    """The port if nobody listens there; any free one for 0."""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        found: int = free.getsockname()[1]
        return found
