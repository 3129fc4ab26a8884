"""The edge where Hydra is met: our arguments in, composed configurations out, its errors in one line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import hydra
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from chunksweep.cli.arguments import flags_first
from chunksweep.errors import ConfigError
from chunksweep.paths import group_options, shipped, sweep_names
from chunksweep.sweep.launcher import Configuration
from chunksweep.sweep.sweeper import literal

# What makes Hydra show something instead of running.
SHOWS = ("--cfg", "-c", "--info", "-i", "--hydra-help", "--shell-completion", "-sc")
# A key that can only be meant for one member of its group.
IMPLIES = {"corpus.path": "corpus=own", "corpus.questions": "corpus=own", "tokenizer.path": "tokenizer=file"}

SHOW_KEYS = "`chunksweep run --cfg job` shows all keys."

# Hydra 1.3 warns where it is left out, 1.4 where it is given.
VERSION_BASE = {"version_base": "1.3"} if hydra.__version__.startswith("1.3.") else {}

Cells = Callable[[Sequence[Configuration], int], None]


def compose(arguments: Sequence[str], cells: Cells, sweep: str | None = None) -> None:
    """Composes the cells that the arguments ask for and calls `cells(configurations, n_jobs)` with all of them.

    A single configuration is a sweep of one cell. Where the arguments ask Hydra to show something, `cells` is not
    called.

    sweep  the name of a sweep file: one of ours, or one in the user's --config-dir

    Raises ConfigError for whatever Hydra finds wrong.
    """

    def task(config: DictConfig) -> None:
        cells([config], 1)

    task.cells = cells  # type: ignore[attr-defined]  # found there by our launcher
    overrides = list(arguments)
    if not any(argument.split("=")[0] in SHOWS for argument in overrides):
        overrides = [item for item in overrides if item not in ("--multirun", "-m", "--run", "-r")]
        overrides.append("hydra.mode=MULTIRUN")
    overrides += implied(overrides)
    root = shipped("conf")
    if sweep in sweep_names():
        # Hydra looks for the primary configuration in its first folder only, so conf/ comes second here.
        overrides.append(f"hydra.searchpath=[{literal(f'file://{root}')}]")
        root = shipped("sweeps")
    with _arguments(flags_first(overrides)), _errors(arguments):
        hydra.main(config_path=str(root), config_name=sweep or "config", **VERSION_BASE)(task)()


def implied(arguments: Sequence[str]) -> list[str]:
    """The choices that other arguments imply: `corpus.path=docs` can only mean `corpus=own`."""
    keys = {argument.split("=")[0] for argument in arguments}
    choices = dict.fromkeys(choice for key, choice in IMPLIES.items() if key in keys)
    return [choice for choice in choices if choice.split("=")[0] not in keys]


@contextmanager
def _arguments(arguments: Sequence[str]) -> Iterator[None]:
    """Hydra reads the process's arguments, and swallows errors into a page unless told to raise them."""
    argv, full = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = ["chunksweep", *arguments]
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        sys.argv = argv
        if full is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = full


@contextmanager
def _errors(arguments: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except OverrideParseException as error:
        raise ConfigError(_not_understood(str(error.override))) from error
    except MissingConfigException as error:
        raise ConfigError(_missing(error)) from error
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_composition(error, arguments)) from error
    except ValueError as error:  # Hydra's word for two of its commands at once
        if not str(error).startswith("Only one of"):
            raise
        raise ConfigError(f"{error}.") from error


def _not_understood(override: str) -> str:
    key, assigned, _ = override.partition("=")
    if not assigned:
        return f"{override} is not understood: KEY=VALUE is needed, such as size=300."
    return (
        f"{override}: not understood. Put a value with blanks, commas, brackets or other than ASCII letters into "
        f"""quotes of its own: '{key}="VALUE"'."""
    )


def _missing(error: MissingConfigException) -> str:
    name = str(error.missing_cfg_file or "")
    options = sorted(option for option in error.options or () if not option.startswith("_"))
    group, _, member = name.rpartition("/")
    if group and options:
        return f"{group}={member}: no such {group}. Known: {', '.join(options)}."
    return f"{_one_line(error)}."


def _composition(error: Exception, arguments: Sequence[str]) -> str:
    text = _one_line(error)
    found = re.search(r"Could not override '([^']+)'", text)
    if not found:
        return text if text.endswith(".") else f"{text}."
    key = found[1]
    group = key.split(".")[0]
    if "No match in the defaults list" in text or "." not in key or group not in _groups():
        return f"{key} is not a key of the configuration.{_meant(key)} {SHOW_KEYS}"
    chosen = next((item for item in arguments if item.startswith(f"{group}=")), "")
    member = shipped("conf") / group / f"{chosen.partition('=')[2]}.yaml"
    if not member.is_file():
        return f"{key} is not an option of the chosen {group}. {SHOW_KEYS}"
    known = [f"{group}.{option!s}" for option in OmegaConf.load(member) if option != "name"]
    return f"{key} is not an option of {chosen}. Its options: {', '.join(known) or 'none'}."


def _meant(key: str) -> str:
    near = get_close_matches(key, [*_groups(), "size", "overlap", "send", "send_tokens", "k"], n=1)
    return f" Did you mean {near[0]}{_choices(near[0])}?" if near else ""


def _groups() -> list[str]:
    return [path.name for path in shipped("conf").iterdir() if path.is_dir() and path.name != "hydra"]


def _choices(group: str) -> str:
    options = group_options(group)
    return f"={'|'.join(options)}" if options else ""


def _one_line(error: Exception) -> str:
    cause: Any = error.__cause__
    texts = [str(error), str(cause) if isinstance(cause, OmegaConfBaseException) else ""]
    return " ".join(" ".join(texts).split())
