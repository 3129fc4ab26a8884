"""Every command but `ui`, one after the other in one process, over the bundled runbooks and the real model."""

from __future__ import annotations

import sys

from chunksweep.cli import main
from chunksweep.tracking import Store, resolve_uri

CORPUS = ("corpus=runbooks", "chunker=sentences", "size=3")


def call(*arguments: str) -> None:
    """Runs a command; ends the program where it does not go well."""
    if code := main(arguments):
        sys.exit(f"{arguments} ended with {code}")
    print(f"done {arguments[0]}", file=sys.stderr)


def every_command(cache: str) -> None:
    """All commands, in an order in which each finds what it needs."""
    cached = f"cache.dir={cache}"
    call("check", *CORPUS)
    call("chunks", *CORPUS)
    call("run", *CORPUS, cached)
    call("sweep", "runbooks", "hydra.launcher.n_jobs=2", cached)
    call("compare")
    call("report")
    call("list")
    store = Store(resolve_uri(None, None))
    first, second, *_ = store.cells(store.sweeps()[0]["sweep_id"])
    call("diff", first.run_id, second.run_id)
    call("gate", "--baseline", first.run_id, "--run", first.run_id, "--max-drop", "0")
    call("reproduce", first.run_id)
    call("cache", "prune", cached)


if __name__ == "__main__":
    every_command(sys.argv[1])
