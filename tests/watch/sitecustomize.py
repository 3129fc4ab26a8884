"""Refuses and notes every attempt to reach anything but this machine, in processes with this folder on PYTHONPATH.

Python imports a module of this name when it starts, so that worker processes and servers are watched too. It sees what
goes through Python's own sockets. CONNECTIONS_SEEN names the file that it writes to, one attempt a line.
"""

from __future__ import annotations

import os
import sys
from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "", None)  # noqa: S104 - compared with, not bound to


def host_of(event: str, arguments: tuple[Any, ...]) -> object:
    """The host that an audited event is about; None where it is about none."""
    match event:
        case "socket.getaddrinfo" | "socket.gethostbyname":
            return arguments[0]
        case "socket.connect" | "socket.sendto" | "socket.sendmsg":
            address = arguments[1]
            return address[0] if isinstance(address, tuple) else None  # else a socket in the file system
        case _:
            return None


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """The audit hook."""
    host = host_of(event, arguments)
    name = host.decode() if isinstance(host, bytes) else host
    if name in LOOPBACK:
        return
    with open(os.environ["CONNECTIONS_SEEN"], "a", encoding="utf-8") as seen:  # noqa: PTH123 - pathlib is not imported yet
        seen.write(f"{event} {name}\n")
    raise ConnectionRefusedError(f"{event} {name}: the tests allow no connection")


sys.addaudithook(watch)
