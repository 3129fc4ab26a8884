"""What a model in the layout of sentence-transformers says of itself, read from its files: nothing is loaded or run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from chunksweep.errors import EmbeddingError

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
# The files of a folder that can change a vector. Other formats of the same weights lie in folders that no module names.
ENDINGS = frozenset({".json", ".safetensors", ".bin", ".txt", ".model", ".py", ".jinja"})
# A tokenizer that knows no limit says so with a number beyond any text.
NO_LIMIT = 10**9


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that lies in a local folder with modules.json.

    The methods raise EmbeddingError where a file is missing or is not what it should be.
    """

    folder: Path

    @property
    def tokenizer_path(self) -> Path:
        """tokenizer.json in Hugging Face's format, of the module that reads texts."""
        path = self._reader / "tokenizer.json"
        if not path.is_file():
            raise EmbeddingError(
                f"{self.folder} has no {path.relative_to(self.folder)}, which tells how it reads text. Give another "
                "model, or save this one again with a recent version of sentence-transformers."
            )
        return path

    @property
    def kinds(self) -> tuple[str, ...]:
        """The classes of its modules in order, such as ("Transformer", "Pooling", "Normalize")."""
        return tuple(module["type"].rpartition(".")[2] for module in self._modules)

    @property
    def brings_code(self) -> bool:
        """Whether it runs code that is neither sentence-transformers' nor transformers'."""
        own = any(not module["type"].startswith("sentence_transformers.") for module in self._modules)
        return own or "auto_map" in _config(self._reader / "config.json")

    @property
    def window(self) -> int | None:
        """Most tokens it reads of a text, special tokens included; None where it knows no limit."""
        if self.kinds[0] == "StaticEmbedding":
            return None
        stated = _config(self._reader / "sentence_bert_config.json").get("max_seq_length")
        if stated is not None:
            return int(stated)
        config, tokenizer = (_config(self._reader / name) for name in ("config.json", "tokenizer_config.json"))
        limits = [
            int(of.get(key) or 0) for of, key in ((config, "max_position_embeddings"), (tokenizer, "model_max_length"))
        ]
        return min((limit for limit in limits if 0 < limit < NO_LIMIT), default=None)

    @property
    def lowers_case(self) -> bool:
        """Whether the library makes texts lower case before the tokenizer reads them."""
        return bool(_config(self._reader / "sentence_bert_config.json").get("do_lower_case"))

    @property
    def takes_mean(self) -> bool:
        """Whether its second module pools the mean of all tokens, as the library says it now or said it before."""
        pooling = _config(self.folder / str(self._modules[1]["path"]) / "config.json") if len(self._modules) > 1 else {}
        modes = {name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True}
        return pooling.get("pooling_mode") == "mean" or modes == {"pooling_mode_mean_tokens"}

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prompts that it declares, those that are empty left out."""
        declared = _config(self.folder / PROMPTS).get("prompts") or {}
        return {name: str(prompt) for name, prompt in declared.items() if prompt}

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be known by: its folder, and the model that it was made from."""
        origin = _config(self._reader / "config.json").get("_name_or_path")
        return (str(self.folder), *([origin] if isinstance(origin, str) else []))

    @property
    def sha256(self) -> str:
        """Names all files that can change a vector, each by its place and content."""
        digest = hashlib.sha256()
        for path in sorted(self._files(), key=lambda file: file.relative_to(self.folder).as_posix()):
            digest.update(f"{path.relative_to(self.folder).as_posix()}\n{file_sha256(path)}\n".encode())
        return digest.hexdigest()

    def _files(self) -> Iterator[Path]:
        folders = dict.fromkeys([self.folder, *(self.folder / module["path"] for module in self._modules)])
        for folder in filter(Path.is_dir, folders):  # a module without files may have no folder
            yield from (file for file in folder.iterdir() if file.suffix in ENDINGS and file.is_file())

    @property
    def _reader(self) -> Path:
        return self.folder / str(self._modules[0]["path"])

    @property
    def _modules(self) -> list[dict[str, Any]]:
        path = self.folder / MODULES
        if not path.is_file():
            raise EmbeddingError(
                f"{self.folder} has no {MODULES}, so it is no model of sentence-transformers: what it makes of its "
                "tokens is not known. Give the folder of one, or save it as one."
            )
        modules = _read(path)
        if (
            not isinstance(modules, list)
            or not modules
            or not all(
                isinstance(module, dict) and isinstance(module.get("type"), str) and isinstance(module.get("path"), str)
                for module in modules
            )
        ):
            raise EmbeddingError(f"{path} does not list modules with their type and path. Get the model again.")
        return modules


def find_model(name: str, revision: str | None) -> Path:
    """The folder of a model: `name` itself, or what the local cache of Hugging Face holds under it. Nothing is fetched.

    revision  of a model in that cache: a branch, a tag or a commit; None: main

    Raises EmbeddingError where the model is neither, or a revision is asked of a folder.
    """
    if Path(name).is_dir():
        if revision is not None:
            raise EmbeddingError(
                f"embedder.model={name} is a folder, which has no embedder.revision={revision}. Leave it out."
            )
        return Path(name)
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - a third of a second that a folder does without

    # Names without an owner are those of sentence-transformers' own models.
    for known_as in (name, *([f"sentence-transformers/{name}"] if "/" not in name else [])):
        try:
            return Path(snapshot_download(known_as, revision=revision, local_files_only=True))
        except (OSError, ValueError):  # not there, or no name that a model could have
            continue
    which = f"{name}, revision {revision}," if revision else name
    fetch = f"hf download {name}" + (f" --revision {revision}" if revision else "")
    raise EmbeddingError(
        f"embedder.model={which} is neither a folder nor in the local cache of Hugging Face, and nothing is fetched "
        f"while measuring. Fetch it with `{fetch}`, or give a folder."
    )


def file_sha256(path: Path) -> str:
    """sha256 of a file, in hexadecimal; read once a process for a file that stays as it is."""
    status = path.stat()
    return _file_sha256(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=128)
def _file_sha256(path: Path, size: int, mtime_ns: int) -> str:  # noqa: ARG001 - they make a changed file another key
    """Reading 90 MB takes a fifth of a second."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _config(path: Path) -> Mapping[str, Any]:
    """A JSON object; {} where there is no such file."""
    if not path.is_file():
        return {}
    config = _read(path)
    if not isinstance(config, dict):
        raise EmbeddingError(f"{path} holds no JSON object. Get the model again.")
    return config


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"{path} cannot be read as JSON ({error}). Get the model again.") from error
