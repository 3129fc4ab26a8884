"""`chunksweep ui`: the MLflow UI of this tracking store."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from chunksweep.cli import INTERRUPTED
from chunksweep.cli.arguments import Parser, add_tracking_uri
from chunksweep.errors import ConfigError, TrackingError
from chunksweep.tracking import Store, resolve_uri

HOST = "127.0.0.1"
PORT = 5000
GRACE = 5
WHAT = (
    f"Starts the MLflow UI of this tracking store on {HOST} and prints the address that shows exactly the runs of a "
    "sweep once it answers. Ctrl-C ends it. Of a tracking server, which has a UI already, only the address is printed."
)
EXAMPLE = """\
example:
  chunksweep ui --port 5001
"""
# One worker and no runner of background jobs: MLflow's defaults are for a team's server and start 14 processes.
# Whoever has set these variables keeps them.
ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}
OPTIONS = ("--host", HOST, "--workers", "1", "--uvicorn-opts=--log-level=warning")


def main(arguments: Sequence[str]) -> int:
    """Runs the command until it is interrupted; gives its exit code."""
    parser = Parser("ui", WHAT, EXAMPLE)
    add_tracking_uri(parser)
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help="default: %(default)s")
    parser.add_argument("--sweep", metavar="ID", help="the sweep that the address shows (default: the latest)")
    own = parser.parse_args(arguments)
    store = Store(resolve_uri(own.tracking_uri, None))
    if store.uri.startswith(("http://", "https://")):
        print(store.uri.rstrip("/") + _address(store, own.sweep))
        return 0
    require_free(own.port)
    return serve(store.uri, own.port, f"http://{HOST}:{own.port}{_address(store, own.sweep)}")


def _address(store: Store, beginning: str | None) -> str:
    return store.address_of_sweep(store.sweep(beginning)["sweep_id"])


def serve(uri: str, port: int, address: str) -> int:
    """Runs MLflow's server and prints the address once it answers; gives the exit code of an interruption.

    Raises TrackingError where the server ends by itself.
    """
    # Ended from outside as by Ctrl-C: the server would otherwise stay behind and hold the port.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", uri, "--port", str(port), *OPTIONS]
    environment = ENVIRONMENT | os.environ
    # Standard output is for the address alone. A session of its own: Ctrl-C reaches us alone, and we end the server,
    # which would answer an interruption with a traceback.
    with subprocess.Popen(  # noqa: S603 - our own arguments
        command, env=environment, stdout=sys.stderr, start_new_session=True
    ) as server:
        try:
            wait_for(server, port)
            print(address, flush=True)
            code = server.wait()
        except KeyboardInterrupt:
            end(server)
            return INTERRUPTED
    raise TrackingError(f"MLflow's server of {uri} ended by itself with code {code}. Its own messages are above.")


def end(server: subprocess.Popen[bytes]) -> None:
    """Ends the server and all that it started, after GRACE seconds by force."""
    server.terminate()
    with suppress(subprocess.TimeoutExpired):
        server.wait(GRACE)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)


def wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Returns once the port is listened on or the server has ended."""
    while server.poll() is None:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


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
