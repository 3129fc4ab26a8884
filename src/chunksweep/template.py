"""Templates for what is put before a chunk: words with named fields of its document. Nothing in them is run.

Fields of every document
    path      its path below the corpus, with forward slashes
    folder    the folders of that path; "" at the top
    file      the file's name without its ending
    title     its title
    section   the last heading of the section in which the chunk begins
    sections  all headings of that section from the outermost down, joined with " > "

Every other name is a key of its front matter (YAML between two lines of three dashes). A field that a document lacks,
or that is not a text or a list of texts, is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from string import Formatter

import yaml

from chunksweep.errors import ConfigError
from chunksweep.records import Document, Span

OF_EVERY_DOCUMENT = ("path", "folder", "file", "title", "section", "sections")
EXAMPLE = "'prefix.template=\"{title}, {section}\"'"
_NAME = re.compile(r"[\w-]+")
_RUN_OF_BLANKS = re.compile(r"  +")


@dataclass(frozen=True, slots=True)
class Template:
    """Words and fields in turn; the words before the first field may be "", the last field may be None."""

    parts: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """The template that a text spells: {name} is a field, {{ and }} are braces.

        Raises ConfigError for anything in braces but a name, and where there is no field.
        """
        shown = " ".join(text.split())
        try:
            read = [(words, name, spec, conversion) for words, name, spec, conversion in Formatter().parse(text)]
        except ValueError as error:
            raise ConfigError(f"prefix.template={shown}: {error}. Give names in braces, such as {EXAMPLE}.") from error
        for _, name, spec, conversion in read:
            if name is not None and (spec or conversion or not _NAME.fullmatch(name)):
                raise ConfigError(
                    f"prefix.template={shown}: only a name can stand in braces, such as {EXAMPLE}; write {{{{ and }}}} "
                    "for braces."
                )
        if all(name is None for _, name, _, _ in read):
            raise ConfigError(f"prefix.template={shown} names no field. Give some in braces, such as {EXAMPLE}.")
        return cls(tuple((words, name) for words, name, _, _ in read))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names in it, in order, each once."""
        return tuple(dict.fromkeys(name for _, name in self.parts if name is not None))

    def filled(self, values: Mapping[str, str]) -> str:
        """The template with its fields filled in, those without a value left out; "" where none has one.

        Of blanks that then stand in a row one is left, and none at either end.
        """
        if not any(values.get(name) for name in self.fields):
            return ""
        text = "".join(words + values.get(name or "", "") for words, name in self.parts)
        return _RUN_OF_BLANKS.sub(" ", text).strip()


def require_known(template: Template, documents: Iterable[Document]) -> None:
    """Raises ConfigError for a field that no document has."""
    known = {*OF_EVERY_DOCUMENT}.union(*(front_matter(document) for document in documents))
    for name in template.fields:
        if name not in known:
            raise ConfigError(
                f"prefix.template names {{{name}}}, which no document has in its front matter. There are "
                f"{', '.join(sorted(known))}."
            )


def path_fields(document: Document) -> dict[str, str]:
    """The fields that tell where the document lies."""
    path = PurePosixPath(document.id)
    folder = path.parent.as_posix()
    return {"path": document.id, "folder": "" if folder == "." else folder, "file": path.stem}


def front_matter(document: Document) -> Mapping[str, str]:
    """Key -> value as one line of text; {} for a document without front matter."""
    span = _front_matter_span(document)
    return _read(document.text[span.start : span.end]) if span else {}


def front_matter_source(document: Document, key: str, value: str) -> Span | None:
    """Where a value stands word for word on the line of its key; None where it does not."""
    span = _front_matter_span(document)
    if span is None:
        return None
    line = re.compile(rf"^{re.escape(key)}[^\S\n]*:(?P<value>.*)$", re.MULTILINE)
    found = line.search(document.text, span.start, span.end)
    start = document.text.find(value, found.start("value"), found.end("value")) if found else -1
    return Span(start, start + len(value)) if start >= 0 else None


def _front_matter_span(document: Document) -> Span | None:
    at_start = document.text.startswith("---") and document.verbatim and document.verbatim[0].start == 0
    return document.verbatim[0] if at_start else None


@lru_cache(maxsize=4_096)
def _read(block: str) -> Mapping[str, str]:
    lines = block.strip().splitlines()[1:]
    content = "\n".join(lines[:-1] if lines and lines[-1].strip("-. ") == "" else lines)
    try:
        # BaseLoader builds strings, lists and mappings only: a version such as 1.10 stays what it is.
        read = yaml.load(content, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {str(key): line for key, value in read.items() if (line := _line(value))}


def _line(value: object) -> str:
    """A text on one line, or texts with commas between; "" for anything else."""
    given = value if isinstance(value, list) else [value]
    texts = [" ".join(text.split()) for text in given if isinstance(text, str)]
    return ", ".join(filter(None, texts)) if len(texts) == len(given) else ""
