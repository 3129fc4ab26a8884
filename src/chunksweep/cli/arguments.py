"""Our own flags: matched exactly, errors in one line; what is not ours is left for Hydra."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from textwrap import dedent, fill
from typing import NoReturn

from chunksweep.errors import ConfigError

# What Hydra's own parser takes: flag -> the values it may have; () none at all, None any.
ANY = None
SHOWN = ("job", "hydra", "all")
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
HYDRA_FLAGS: dict[str, tuple[str, ...] | None] = {
    **dict.fromkeys(("--hydra-help", "--resolve", "--run", "-r", "--multirun", "-m", "--shell-completion", "-sc"), ()),
    **dict.fromkeys(("--cfg", "-c"), SHOWN),
    **dict.fromkeys(("--info", "-i"), INFO),
    **dict.fromkeys(("--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"), ANY),
}
MAY_STAND_ALONE = ("--info", "-i")
QUOTING = """\
A value with a blank needs quotes of Hydra's inside quotes of the shell, a comma makes a grid of what is not quoted:
  chunksweep run 'corpus.path="my documents"' corpus.questions=questions.jsonl
  chunksweep run prefix=path 'prefix.separator=", "'
"""


WIDTH = 80


def _prose(text: str) -> str:
    """Wrapped at 80 columns; lines that begin with a blank, the examples, stand as they were written."""
    return "\n".join(line if line.startswith(" ") else fill(line, WIDTH) for line in text.splitlines())


def _usage(text: str) -> str:
    """A usage wrapped between its arguments."""
    # A blank inside brackets is part of an argument.
    bound = re.sub(r"\[[^]]*(\[[^]]*\][^]]*)*\]", lambda argument: argument[0].replace(" ", "\0"), text)
    head = "usage: "
    wrapped = fill(head + bound, WIDTH, subsequent_indent=" " * len(head), break_on_hyphens=False)
    return wrapped.removeprefix(head).replace("\0", " ")


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, with errors of one line.

    example  the text below the options: commands that run as they stand
    """

    def __init__(self, command: str, what: str, example: str, usage: str = "") -> None:
        super().__init__(
            prog=f"chunksweep {command}",
            usage=_usage(f"chunksweep {command} {usage}") if usage else None,
            description=_prose(what),
            epilog=_prose(dedent(example)),
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
    for name, value, _ in _flags(arguments):
        if name and name not in HYDRA_FLAGS:
            raise ConfigError(f"{name} is not a flag of chunksweep {command}. See chunksweep {command} --help.")
        allowed = HYDRA_FLAGS.get(name, ())
        if allowed != () and not value:
            raise ConfigError(f"{name} needs a value. See chunksweep {command} --help.")
        if allowed and value and value not in allowed:
            raise ConfigError(f"{name} {value}: one of {', '.join(allowed)} is needed.")


def flags_first(arguments: Sequence[str]) -> list[str]:
    """The arguments with Hydra's flags before the overrides: its parser takes overrides in one place only."""
    given = list(_flags(arguments))
    flags = [words for name, _, words in given if name]
    overrides = [words for name, _, words in given if not name]
    return [word for words in (*flags, *overrides) for word in words]


def _flags(arguments: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """(flag, its value or "", the words of both) for each flag; an override has "" as flag."""
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, attached, value = word.partition("=")
        if not word.startswith("-"):
            yield "", "", [word]
        elif word in MAY_STAND_ALONE and not _value_follows(name, words):
            yield name, "all", ["--info=all"]  # said out, or the override behind it is taken for its value
        elif attached or not _value_follows(name, words):
            yield name, value, [word]
        else:
            yield name, words[0], [word, words.pop(0)]


def _value_follows(name: str, words: Sequence[str]) -> bool:
    if not words or HYDRA_FLAGS.get(name, ()) == ():
        return False
    return name not in MAY_STAND_ALONE or words[0] in INFO
