"""`chunksweep ui`: the MLflow UI of this tracking store."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence

from chunksweep.cli.arguments import Parser, add_tracking_uri
from chunksweep.cli.opening import chosen
from chunksweep.errors import ConfigError
from chunksweep.tracking import Store, resolve_uri

HOST = "127.0.0.1"
PORT = 5000
WHAT = f"Starts the MLflow UI of this tracking store on {HOST} and prints the address. Ctrl-C ends it."
EXAMPLE = """\
example:
  chunksweep ui --port 5001
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command until it is interrupted; gives its exit code."""
    parser = Parser("ui", WHAT, EXAMPLE)
    add_tracking_uri(parser)
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help="default: %(default)s")
    parser.add_argument("--sweep", metavar="ID", help="the sweep that the address shows (default: the latest)")
    own = parser.parse_args(arguments)
    require_free(own.port)
    store = Store(resolve_uri(own.tracking_uri, None))
    address = store.address_of_sweep(chosen(store, own.sweep)["sweep_id"])
    print(f"http://{HOST}:{own.port}{address}", flush=True)
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", store.uri]
    command += ["--host", HOST, "--port", str(own.port)]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
    return subprocess.run(command, env=quiet | os.environ, check=False).returncode  # noqa: S603 - our own arguments


def require_free(port: int) -> None:
    """Raises ConfigError where the port cannot be listened on."""
    if not 1 <= port <= 65535:
        raise ConfigError(f"--port {port}: a number from 1 to 65535 is needed.")
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ConfigError(
                f"--port {port} is taken ({error.strerror}). Give another, such as {port + 1}."
            ) from error
