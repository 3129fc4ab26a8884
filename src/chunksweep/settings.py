"""What a cell is configured to do, as frozen plain data; rules.py makes it from a composed configuration.

Canonical: two configurations that must give the same result are equal (an option that is ignored is None, a share
as overlap is a count, `size=null` is the strategy's default), so that duplicates are found by comparing.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from chunksweep.chunkers import custom
from chunksweep.paths import CORPORA

OWN_TOKENIZER = "file"
# Keys that change no cell's result.
WITHOUT_EFFECT = ("verdict", "tracking", "cache")
# Options of an embedder that change no vector.
EMBEDDER_WITHOUT_EFFECT = ("device", "api_key_env", "batch_size", "batch_tokens", "concurrency", "timeout_s", "retries")


@dataclass(frozen=True)
class CorpusSettings:
    """Documents and questions; path and questions are None for a corpus that ships with chunksweep."""

    name: str = "own"
    path: str | None = None
    questions: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    encoding: str = "utf-8"

    @property
    def documents_path(self) -> Path:
        """The folder or file of the documents."""
        return Path(self.path) if self.path else CORPORA / self.name / "docs"

    @property
    def questions_path(self) -> Path | None:
        """The questions file, None where none was given."""
        if not self.path:
            return CORPORA / self.name / "questions.jsonl"
        return Path(self.questions) if self.questions else None


@dataclass(frozen=True)
class PrefixSettings:
    """What is put before a chunk; separator and send are None where there is no prefix.

    template  words and fields of `name="template"`, None for all others
    """

    name: str = "none"
    separator: str | None = ". "
    send: bool | None = False
    template: str | None = None


@dataclass(frozen=True)
class TokenizerSettings:
    """What counts tokens; path is the tokenizer.json of `name="file"`."""

    name: str = "o200k"
    path: str | None = None


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens; None where unknown."""

    embedding: float | None = None
    input: float | None = None


@dataclass(frozen=True)
class TrackingSettings:
    """The tracking store: an address, or None for the default, and the experiment's name."""

    uri: str | None = None
    experiment: str = "chunksweep"


@dataclass(frozen=True)
class CacheSettings:
    """Where vectors are kept; None: the user's cache directory."""

    dir: str | None = None


@dataclass(frozen=True)
class VerdictSettings:
    """How a verdict is drawn; changes no cell's result.

    metric    a measure in [0, 1] that every question has
    baseline  the cell that the others are compared with, as KEY=VALUE words that fit it alone; None: no such comparison
    margin    the difference of means that does not matter, in the metric's unit
    alpha     the chance, at most, that any cell is ruled out falsely
    cluster   "document", "question" or "auto"
    holdout   the share of clusters that is kept out of every comparison
    seed      of all random draws
    """

    metric: str = "retrieval/answerable"
    baseline: str | None = None
    margin: float = 0.05
    alpha: float = 0.05
    cluster: str = "auto"
    holdout: float = 0.0
    seed: int = 0

    @property
    def baseline_params(self) -> dict[str, Any]:
        """The parameters that name the baseline; {} where there is none."""
        words = (word.partition("=") for word in (self.baseline or "").split())
        return {key: yaml.safe_load(value) for key, _, value in words}


@dataclass(frozen=True)
class Choice:
    """A member of a group and its own options, sorted by name."""

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    def option(self, name: str) -> Any:
        """The value of an option, None where the member has no such option."""
        return dict(self.options).get(name)


# Where nothing of a cell needs a model.
NO_EMBEDDER = Choice("none")


@dataclass(frozen=True)
class Settings:
    """One cell of a grid, checked and canonical. Plain data: it is sent to worker processes.

    size     in the chunker's unit; None: no limit, or ignored
    overlap  in the chunker's unit; None: ignored
    asked_overlap  as it was configured, a share or a count, for the record of the run
    send     passages that are sent; None: as many as fit into `send_tokens`
    context_window  tokens that the language model reads at once
    """

    corpus: CorpusSettings
    chunker: Choice
    size: int | None
    overlap: int | None
    asked_overlap: float | int | None = field(compare=False)
    prefix: PrefixSettings
    embedder: Choice
    retriever: Choice
    send: int | None
    send_tokens: int | None
    context_window: int
    k: tuple[int, ...]
    tokenizer: TokenizerSettings
    prices: Prices
    verdict: VerdictSettings = field(compare=False)
    tracking: TrackingSettings = field(compare=False)
    cache: CacheSettings = field(compare=False)

    @property
    def size_tokenizer(self) -> TokenizerSettings | None:
        """What measures `size` where it is in tokens."""
        if self.chunker.option("unit") != "tokens":
            return None
        return named_tokenizer(self.chunker.option("tokenizer")) or self.tokenizer

    @property
    def code_sha256(self) -> str | None:
        """sha256 of the user's own file that cuts; None where the strategy is found by its name."""
        return file_sha256(Path(self.chunker.option("path"))) if self.chunker.name == custom.NAME else None

    def tree(self) -> dict[str, Any]:
        """The configuration as nested plain data, keys as on the command line."""
        return {
            "corpus": plain(self.corpus),
            "chunker": {"name": self.chunker.name, **dict(self.chunker.options)},
            "size": self.size,
            "overlap": self.asked_overlap,
            "prefix": plain(self.prefix),
            "embedder": {"name": self.embedder.name, **dict(self.embedder.options)},
            "retriever": {"name": self.retriever.name, **dict(self.retriever.options)},
            "send": self.send,
            "send_tokens": self.send_tokens,
            "context_window": self.context_window,
            "k": list(self.k),
            "tokenizer": plain(self.tokenizer),
            "prices": plain(self.prices),
            "verdict": plain(self.verdict),
            "tracking": plain(self.tracking),
            "cache": plain(self.cache),
        }

    def params(self) -> dict[str, Any]:
        """The configuration as flat keys: a group's key holds the name of its choice, numbers are plain numbers."""
        flat: dict[str, Any] = {}
        for key, value in self.tree().items():
            if key in WITHOUT_EFFECT:
                continue
            if not isinstance(value, dict):
                flat[key] = value
                continue
            if "name" in value:
                flat[key] = value["name"]
            flat |= {f"{key}.{option}": of for option, of in value.items() if option != "name"}
        return flat

    def config_hash(self, corpus_sha256: str, questions_sha256: str, model_sha256: str) -> str:
        """sha256 of all that changes a result; a path, and a model, enters as the digest of what it names."""
        tree = self.tree() | {"overlap": self.overlap}
        for key in WITHOUT_EFFECT:
            del tree[key]
        for key in EMBEDDER_WITHOUT_EFFECT:
            tree["embedder"].pop(key, None)
        if "model" in tree["embedder"]:
            tree["embedder"] |= {"model": model_sha256, "revision": None}
        if (counts_by := named_tokenizer(self.embedder.option("tokenizer"))) and counts_by.path:
            tree["embedder"]["tokenizer"] = file_sha256(Path(counts_by.path))
        tree["corpus"] = {"corpus": corpus_sha256, "questions": questions_sha256}
        if self.tokenizer.path:
            tree["tokenizer"]["path"] = file_sha256(Path(self.tokenizer.path))
        if self.retriever.option("rerank"):
            tree["retriever"]["rerank"] = folder_sha256(Path(self.retriever.option("rerank")))
        own = self.size_tokenizer
        if own and own.path:
            tree["chunker"]["tokenizer"] = file_sha256(Path(own.path))
        if code := self.code_sha256:
            tree["chunker"]["path"] = code
        return hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def folder_sha256(path: Path) -> str:
    """sha256 over the names and contents of all files of a folder, in hexadecimal; read once in a process."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    named = {file.relative_to(path).as_posix(): file_sha256(file) for file in files}
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()


def named_tokenizer(name: str | None) -> TokenizerSettings | None:
    """The tokenizer that `chunker.tokenizer` names: an encoding, "embedder", or a path to a tokenizer.json."""
    if name is None:
        return None
    return TokenizerSettings(OWN_TOKENIZER, name) if name.endswith(".json") else TokenizerSettings(name)


def plain(record: Any) -> dict[str, Any]:
    """The fields of a record as plain data: tuples become lists."""
    return {
        item.name: list(value) if isinstance(value := getattr(record, item.name), tuple) else value
        for item in fields(record)
    }
