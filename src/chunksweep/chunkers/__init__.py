"""Chunking strategies, found by name: one file each in this folder, an entry point of another package, or a file
of the user's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any

from chunksweep.chunkers import custom
from chunksweep.chunkers.base import Chunker, Cuts, VectorChunker
from chunksweep.chunkers.ruler import Characters, Ruler, Tokens, Words
from chunksweep.errors import ChunkingError, ConfigError
from chunksweep.records import Document, Span, Vectors
from chunksweep.tokens import Tokenizer

ENTRY_POINTS = "chunksweep.chunkers"


def class_of(name: str, options: Mapping[str, Any]) -> type[Chunker]:
    """The strategy called `name`; for `custom` the class that its options `path` and `class` name.

    Raises ConfigError where there is none.
    """
    if name == custom.NAME:
        return custom.load(*(options.get(key) for key in custom.WHERE))
    return find(name)


def make(name: str, options: Mapping[str, Any], size: int | None = None, overlap: int = 0) -> Chunker:
    """The strategy with its options.

    Raises ConfigError where there is none, and for options, a size or an overlap that cannot be.
    """
    member = class_of(name, options)
    if name != custom.NAME:
        return member(size=size, overlap=overlap, **options)
    own = {key: value for key, value in options.items() if key not in custom.WHERE}
    with custom.one_line(options.get("path")):
        return member(size=size, overlap=overlap, **own)


def find(name: str) -> type[Chunker]:
    """The strategy called `name`: of this package, else the class that an entry point of that name names.

    Raises ConfigError where there is none.
    """
    if name in _built_in():
        return _built_in()[name]
    if name in (plugged := _plugged_in()):
        return _loaded(plugged[name])
    choice = ", ".join(sorted({*known(), custom.NAME}))
    raise ConfigError(f"chunker={name} is not known. Known: {choice}. Choose one of them.")


def known() -> tuple[str, ...]:
    """The names of all strategies that are found by name alone, sorted."""
    return tuple(sorted({*_built_in(), *_plugged_in()}))


def split_document(
    chunker: Chunker, document: Document, tokenizer: Tokenizer | None, vectors: Vectors | None = None
) -> list[Span]:
    """The chunks of a document in order, see `cut_document`."""
    return list(cut_document(chunker, document, tokenizer, vectors).spans)


def cut_document(
    chunker: Chunker, document: Document, tokenizer: Tokenizer | None, vectors: Vectors | None = None
) -> Cuts:
    """The chunks of a document in order, and what the strategy counted.

    tokenizer  what counts the strategy's size; read only where its unit is tokens
    vectors    of what a VectorChunker reads of the document; no other looks at them

    Raises ValueError where tokenizer or vectors are needed and there are none, ChunkingError where what the strategy
    gives are no spans of the document in order.
    """
    ruler = ruler_of(chunker, document, tokenizer)
    if isinstance(chunker, VectorChunker) and vectors is not None:
        cuts = Cuts(tuple(chunker.split_by(document, ruler, vectors)))
    else:
        cuts = chunker.cut(document, ruler)
    _require_spans(cuts.spans, chunker, document)
    return cuts


def _require_spans(spans: Sequence[Span], chunker: Chunker, document: Document) -> None:
    """What lies outside the text, or comes out of order, would be cited wrongly and measured as something else."""
    reached = 0
    for number, span in enumerate(spans, 1):
        if not isinstance(span, Span):
            wrong = f"is a {type(span).__name__}, not a Span"
        elif span.start < reached:
            wrong = f"begins at {span.start}, before the chunk before it"
        elif span.end > len(document.text):
            wrong = f"ends at {span.end}, beyond the text of {len(document.text)} characters"
        else:
            reached = span.start
            continue
        raise ChunkingError(f"{document.id}: chunk {number} of {type(chunker).__name__} {wrong}. Mend the chunker.")


def ruler_of(chunker: Chunker, document: Document, tokenizer: Tokenizer | None) -> Ruler:
    """What measures a document in the strategy's unit; see `cut_document`."""
    sizing = chunker.sizing()
    # Tokenising is most of the work: not where nothing will be measured.
    if sizing is None or (chunker.size is None and sizing.default is None):
        return Characters(len(document.text))
    if sizing.unit == "words":
        return Words.of(document.text)
    if sizing.unit != "tokens":
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
