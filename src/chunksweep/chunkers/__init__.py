"""Chunking strategies, found by name: one file each in this folder, or an entry point of another package."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules

from chunksweep.chunkers.base import Chunker, Cuts
from chunksweep.chunkers.ruler import Characters, Ruler, Tokens
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Span
from chunksweep.tokens import Tokenizer

ENTRY_POINTS = "chunksweep.chunkers"


def find(name: str) -> type[Chunker]:
    """The strategy called `name`: of this package, else the class that an entry point of that name names.

    Raises ConfigError where there is none.
    """
    if name in _built_in():
        return _built_in()[name]
    if name in (plugged := _plugged_in()):
        return _loaded(plugged[name])
    raise ConfigError(f"chunker={name} is not known. Known: {', '.join(known())}. Choose one of them.")


def known() -> tuple[str, ...]:
    """The names of all strategies, sorted."""
    return tuple(sorted({*_built_in(), *_plugged_in()}))


def split_document(chunker: Chunker, document: Document, tokenizer: Tokenizer | None) -> list[Span]:
    """The chunks of a document in order, see `cut_document`."""
    return list(cut_document(chunker, document, tokenizer).spans)


def cut_document(chunker: Chunker, document: Document, tokenizer: Tokenizer | None) -> Cuts:
    """The chunks of a document in order, and what the strategy counted.

    tokenizer  what counts the strategy's size; read only where its unit is tokens

    Raises ValueError where the unit is tokens and there is no tokenizer.
    """
    return chunker.cut(document, _ruler(chunker, document, tokenizer))


def _ruler(chunker: Chunker, document: Document, tokenizer: Tokenizer | None) -> Ruler:
    sizing = chunker.sizing()
    # Tokenising is most of the work: not where nothing will be measured.
    if sizing is None or sizing.unit != "tokens" or (chunker.size is None and sizing.default is None):
        return Characters(len(document.text))
    if tokenizer is None:
        raise ValueError("a size in tokens needs a tokenizer")
    return Tokens.of(document.text, tokenizer)


@cache
def _built_in() -> dict[str, type[Chunker]]:
    """Every file of this folder that has a strategy of the same name; the others are what strategies are made of."""
    found = {}
    for module in iter_modules(__path__):
        member = getattr(import_module(f"{__name__}.{module.name}"), _class_name(module.name), None)
        if isinstance(member, type) and issubclass(member, Chunker):
            found[module.name] = member
    return found


def _plugged_in() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _loaded(entry: EntryPoint) -> type[Chunker]:
    member = entry.load()
    if not (isinstance(member, type) and issubclass(member, Chunker)):
        raise ConfigError(
            f"chunker={entry.name} is {entry.value}, which is no class derived from Chunker. Name the class in the "
            f"entry point of group {ENTRY_POINTS}."
        )
    return member


def _class_name(module: str) -> str:
    """The class of a file: words_and_rules -> WordsAndRules."""
    return "".join(part.capitalize() for part in module.split("_"))
