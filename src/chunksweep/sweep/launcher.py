"""From the overrides of every cell to one sweep: what Hydra's launcher hands over, composed and passed on.

Composing a job costs Hydra some 75 ms, and depends only on the choices of groups. So each combination of choices is
composed once, from files that are read once, and plain values are set on a copy of it. Where nothing in it refers to
another key that is plain nested data, copied in a fiftieth of the time that a configuration of OmegaConf's takes.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import CachingConfigRepository
from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.utils import JobReturn, JobStatus
from hydra.types import HydraContext, TaskFunction
from omegaconf import MISSING, DictConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigAttributeError, ConfigKeyError

from chunksweep.errors import ConfigError

# A composed configuration, as plain nested data where that is the same.
Configuration = DictConfig | dict[str, Any]


def launch(
    context: HydraContext,
    task: TaskFunction,
    config: DictConfig,
    job_overrides: Sequence[Sequence[str]],
    n_jobs: int,
) -> list[JobReturn]:
    """Composes every cell and hands them, together, to the task's `cells`.

    Raises ConfigError where the task is not chunksweep's.
    """
    run_cells = getattr(task, "cells", None)
    if run_cells is None:
        raise ConfigError("hydra/launcher=chunksweep runs chunksweep's own sweeps only. Choose hydra/launcher=basic.")
    configs = compose(context.config_loader, config, job_overrides)
    run_cells(configs, n_jobs)
    return [JobReturn(overrides=list(overrides), status=JobStatus.COMPLETED) for overrides in job_overrides]


def compose(loader: ConfigLoader, master: DictConfig, job_overrides: Sequence[Sequence[str]]) -> list[Configuration]:
    """The configuration of every cell, equal to Hydra's own composition but for the `hydra` node, which is left out."""
    parser = OverridesParser.create(config_loader=loader)
    parse = cache(lambda override: parser.parse_overrides([override])[0])
    is_group = _groups(loader, master)
    bases: dict[tuple[str, ...], _Base] = {}
    configs: list[Configuration] = []
    files = _Files(loader)
    for overrides in job_overrides:
        parsed = [parse(override) for override in overrides]
        if not all(map(_is_plain, parsed)):
            configs.append(_composed(loader, master, overrides))
            continue
        chosen = [_is_choice(is_group, item) for item in parsed]
        choices = tuple(text for text, choice in zip(overrides, chosen, strict=True) if choice)
        if choices not in bases:
            with files.kept():
                bases[choices] = _Base(_composed(loader, master, choices))
        configs.append(bases[choices].having([item for item, is_one in zip(parsed, chosen, strict=True) if not is_one]))
    return configs


class _Base:
    """A composed configuration, on copies of which values are set."""

    def __init__(self, config: DictConfig) -> None:
        self.config = config
        tree = OmegaConf.to_container(config, resolve=False)
        self.pickled = None if _refers(tree) else pickle.dumps(tree)

    def having(self, overrides: Sequence[Override]) -> Configuration:
        """The configuration with these values.

        Raises ConfigError for a key that it lacks.
        """
        if self.pickled is not None:
            tree: dict[str, Any] = pickle.loads(self.pickled)  # noqa: S301 - written above
            if all(_set_plain(tree, override.key_or_group, override.value()) for override in overrides):
                return tree
        config = copy.deepcopy(self.config)
        for override in overrides:
            _set(config, override)
        return config


def _refers(value: Any) -> bool:
    """Whether some value, at any depth, refers to another key or is still to be given."""
    if isinstance(value, dict):
        return any(map(_refers, value.values()))
    if isinstance(value, list):
        return any(map(_refers, value))
    return isinstance(value, str) and ("${" in value or value == MISSING)


def _set_plain(tree: dict[str, Any], key: str, value: Any) -> bool:
    """Sets a key that is there to a value without parts; False where only OmegaConf can tell what is meant."""
    *parents, last = key.split(".")
    node: Any = tree
    for parent in parents:
        node = node.get(parent) if isinstance(node, dict) else None
    known = isinstance(node, dict) and last in node and not isinstance(node[last], dict)
    parts = value if isinstance(value, list) else [value]
    if not known or not all(part is None or isinstance(part, str | int | float) for part in parts) or _refers(value):
        return False
    node[last] = value
    return True


class _Files:
    """The configuration files that a loader reads: for each composition anew, unless they are kept."""

    def __init__(self, loader: ConfigLoader) -> None:
        # Hydra's launchers get no other one.
        self.loader: Any = loader if isinstance(loader, ConfigLoaderImpl) else None
        self.read: _Kept | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, no file is read again. Only for compositions with one search path."""
        if self.loader is None:
            yield
            return
        repository = self.loader.repository
        if self.read is None:
            self.read = _Kept(repository)
        self.loader.repository = self.read
        try:
            yield
        finally:
            self.loader.repository = repository


class _Kept(CachingConfigRepository):
    """Hydra's own, which Hydra empties by copying it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Kept:
        return self


def _composed(loader: ConfigLoader, master: DictConfig, overrides: Sequence[str]) -> DictConfig:
    config = loader.load_sweep_config(master, list(overrides))
    with open_dict(config):
        del config["hydra"]
    return config


def _groups(loader: ConfigLoader, master: DictConfig) -> Callable[[str], bool]:
    """Tells whether a key is a group: one of the defaults list, or a folder that another choice may bring in."""
    chosen = set(master.hydra.runtime.choices)
    sources = loader.get_sources()

    @cache
    def is_group(key: str) -> bool:
        return key in chosen or "/" in key or any(source.is_group(key) for source in sources)

    return is_group


def _is_choice(is_group: Callable[[str], bool], override: Override) -> bool:
    """Whether the override chooses a member of a group; a map sets keys of the group instead, in Hydra's order."""
    return is_group(override.key_or_group) and not isinstance(override.value(), dict)


def _is_plain(override: Override) -> bool:
    """Whether the override does no more than choose or set something, outside the `hydra` node."""
    changes_keys = override.is_add() or override.is_delete() or override.is_force_add()
    return not (changes_keys or override.package is not None or override.key_or_group.startswith("hydra"))


def _set(config: DictConfig, override: Override) -> None:
    value: Any = override.value()
    try:
        OmegaConf.update(config, override.key_or_group, value, merge=True)
    except (ConfigAttributeError, ConfigKeyError) as error:
        raise unknown_key(override.key_or_group, config) from error


def unknown_key(key: str, config: DictConfig) -> ConfigError:
    """The error for a key that the configuration lacks, naming those beside it."""
    *parents, last = key.split(".")
    node: Any = OmegaConf.select(config, ".".join(parents)) if parents else config
    if not isinstance(node, DictConfig):
        return ConfigError(f"{key} is not a key of the configuration.")
    group = parents[-1] if parents else ""
    siblings = [f"{'.'.join([*parents, str(name)])}" for name in node if str(name) not in ("name", "hydra")]
    where = f"an option of {group}={node['name']}" if "name" in node else "a key of the configuration"
    return ConfigError(f"{'.'.join([*parents, last])} is not {where}. Known: {', '.join(siblings) or 'none'}.")
