"""Our own flags: matched exactly, errors in one line; what is not ours is left for Hydra."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from textwrap import dedent
from typing import NoReturn

from chunksweep.errors import ConfigError

# What Hydra's own parser takes, with whether a value follows. Help is ours.
SHOWN = ("job", "hydra", "all")
HYDRA_FLAGS: dict[str, bool] = {
    **dict.fromkeys(
        ("--hydra-help", "--resolve", "--run", "-r", "--multirun", "-m", "--shell-completion", "-sc"), False
    ),
    **dict.fromkeys(("--info", "-i"), False),  # its value may be left out, and begins with no dash
    **dict.fromkeys(("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn"), True),
    **dict.fromkeys(("--config-dir", "-cd"), True),
}
QUOTING = """\
A value with a blank needs quotes of Hydra's inside quotes of the shell, a comma makes a grid of what is not quoted:
  chunksweep run 'corpus.path="my documents"' corpus.questions=questions.jsonl
  chunksweep run prefix=path 'prefix.separator=", "'
"""


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, with errors of one line.

    example  the text below the options: commands that run as they stand
    """

    def __init__(self, command: str, what: str, example: str, usage: str = "") -> None:
        super().__init__(
            prog=f"chunksweep {command}",
            usage=f"chunksweep {command} {usage}".rstrip() if usage else None,
            description=what,
            epilog=dedent(example),
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Raises ConfigError instead of printing the usage."""
        raise ConfigError(f"{self.prog.removeprefix('chunksweep ')}: {message}. See {self.prog} --help.")


def add_store(parser: argparse.ArgumentParser, formats: Sequence[str] = ("table", "json")) -> None:
    """Adds the flags that every command with a result has."""
    parser.add_argument("--format", choices=formats, default="table", help="what is printed (default: table)")
    add_tracking_uri(parser)


def add_tracking_uri(parser: argparse.ArgumentParser) -> None:
    """Adds --tracking-uri."""
    parser.add_argument(
        "--tracking-uri",
        metavar="URI",
        help="the tracking store (default: tracking.uri, MLFLOW_TRACKING_URI, then ./mlruns)",
    )


def require_hydra_flags(arguments: Sequence[str], command: str) -> None:
    """Raises ConfigError for a flag that neither we nor Hydra know, before Hydra prints a page about it."""
    rest = iter(arguments)
    for argument in rest:
        name, _, value = argument.partition("=")
        if not name.startswith("-"):
            continue
        if name not in HYDRA_FLAGS:
            raise ConfigError(f"{name} is not a flag of chunksweep {command}. See chunksweep {command} --help.")
        if HYDRA_FLAGS[name] and not (value or (value := next(rest, ""))):
            raise ConfigError(f"{name} needs a value. See chunksweep {command} --help.")
        if name in ("--cfg", "-c") and value not in SHOWN:
            raise ConfigError(f"{name} {value}: one of {', '.join(SHOWN)} is needed.")
