"""The command line: one file a command; printing happens here and nowhere else."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from chunksweep import __version__
from chunksweep.errors import ChunksweepError

COMMANDS = {
    "run": "one configuration: its scores and costs",
    "sweep": "a grid of configurations: the leaderboard",
    "check": "what is wrong with documents and questions, before anything is embedded",
    "chunks": "how one configuration splits the corpus",
    "list": "corpora, chunkers, embedders, named sweeps and past sweeps",
    "compare": "the leaderboard of a past sweep",
    "gate": "whether quality fell since a baseline: exit code 1 when it did",
    "diff": "the questions won and lost between two runs",
    "report": "a past sweep as one HTML file",
    "reproduce": "a past configuration, run again and compared",
    "cache": "what the embedding cache holds, and dropping what no longer serves",
    "ui": "the MLflow UI of this tracking store",
}
USAGE = 2
INTERRUPTED = 130
OUTPUT_CLOSED = 141


def script() -> int:
    """`main` in a process of its own, as the installed command runs it."""
    # The libraries bring a million objects that live to the end. To look through them for garbage again and again, and
    # once more when the process ends, would be a sixth of a short sweep.
    gc.set_threshold(100_000)
    try:
        return main()
    finally:
        gc.freeze()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and gives its exit code: 0 well, 1 a cell failed, 2 wrong usage or input, 130 interrupted."""
    # Not list(...): once the command of that name was imported, `list` is that module here.
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(overview())
        return 0 if arguments else USAGE
    if arguments[0] == "--version":
        print(f"chunksweep {__version__}")
        return 0
    command, *rest = arguments
    if command not in COMMANDS:
        return complain(f"{command} is not a command. Known: {', '.join(COMMANDS)}. See chunksweep --help.")
    return _carry_out(command, rest)


def _carry_out(command: str, arguments: Sequence[str]) -> int:
    try:
        code: int = import_module(f"chunksweep.cli.{command}").main(arguments)
    except ChunksweepError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        # A second Ctrl-C while things are put in order would only lose what was finished.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("chunksweep: interrupted; what was finished is kept.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain about it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    return code


def complain(message: str) -> int:
    """Prints the one line that says what is wrong; gives the exit code for it."""
    print(f"chunksweep: {message}", file=sys.stderr)
    return USAGE


def overview() -> str:
    """The help of the program."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: chunksweep COMMAND [ARGUMENT ...]",
            "",
            "Measures how to split documents for retrieval, on your documents and questions.",
            "",
            *lines,
            "",
            "Try it:               chunksweep sweep runbooks",
            "On your documents:    chunksweep sweep first_look corpus.path=docs corpus.questions=questions.jsonl",
            "Help of a command:    chunksweep sweep --help",
        ]
    )
