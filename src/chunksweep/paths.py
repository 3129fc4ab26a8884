"""Where the parts that ship with the package lie, in a wheel and in a clone alike."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_dir

PACKAGE = Path(__file__).resolve().parent
CORPORA = PACKAGE / "corpora"


def shipped(folder: str) -> Path:
    """The folder `conf` or `sweeps`: inside the package in a wheel, at the top of the repository in a clone."""
    installed = PACKAGE / folder
    return installed if installed.is_dir() else PACKAGE.parents[1] / folder


def sweep_names() -> list[str]:
    """The named sweeps that ship with chunksweep, sorted."""
    return sorted(path.stem for path in shipped("sweeps").glob("*.yaml"))


def group_options(group: str) -> list[str]:
    """The choices of a configuration group that ships with chunksweep, sorted."""
    return sorted(path.stem for path in (shipped("conf") / group).glob("*.yaml"))


def first_comment(path: Path) -> str:
    """The first line of a configuration file without its comment mark: what it is for."""
    with path.open(encoding="utf-8") as lines:
        return next(lines, "").lstrip("# ").strip()


def cache_folder(configured: str | None) -> Path:
    """The folder of the embedding cache: `cache.dir`, else the user's cache directory."""
    return Path(configured).expanduser().absolute() if configured else Path(user_cache_dir("chunksweep"))
