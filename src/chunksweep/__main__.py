"""`python -m chunksweep`: the bare Hydra application; `--multirun` makes it a sweep."""

from __future__ import annotations

import sys

from chunksweep.cli import main

if __name__ == "__main__":
    several = any(argument in ("--multirun", "-m") for argument in sys.argv[1:])
    sys.exit(main(["sweep" if several else "run", *sys.argv[1:]]))
