"""Two documents and three questions, so small that plan, ranking and scores can be worked out by hand.

The `test` embedder counts words by their first letter. Units of the corpus, with what it counts:

    bees.md   0  "# Bees\n\nBees buzz by blossoms."   b 5, other 1   6 words
              1  "Ants amble along alleys."          a 4            4 words
    cats.txt  2  "Cats creep close."                  c 3            3 words
              3  "Dogs dig deep dens."                d 4            4 words

Each unit is a paragraph and a sentence at once, so chunker=paragraphs and chunker=sentences give the same four texts,
and chunker=whole gives two others. The questions:

    bees   b 2        its fact is in unit 0
    dogs   d 3        its fact is in unit 3
    both   c 1, a 2   one fact in unit 1, one in unit 2; the bees.md document is nearer
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from chunksweep import rules
from chunksweep.settings import Settings

DOCUMENTS = {
    "bees.md": "# Bees\n\nBees buzz by blossoms.\n\nAnts amble along alleys.\n",
    "cats.txt": "Cats creep close.\n\nDogs dig deep dens.\n",
}
QUESTIONS = [
    {"id": "bees", "question": "Buzzing bees?", "fact": "buzz by blossoms"},
    {"id": "dogs", "question": "Do dogs dig?", "fact": "dig deep dens"},
    {"id": "both", "question": "Cats and ants?", "facts": ["creep close", "amble along"]},
]
UNITS = [
    "# Bees\n\nBees buzz by blossoms.",
    "Ants amble along alleys.",
    "Cats creep close.",
    "Dogs dig deep dens.",
]

BASE: dict[str, Any] = {
    "corpus": {"name": "runbooks"},
    "chunker": {"name": "paragraphs"},
    "size": None,
    "overlap": 0,
    "prefix": {"name": "none"},
    "embedder": {"name": "test"},
    "retriever": {"name": "dense"},
    "send": 2,
    "k": [1, 3],
    "tokenizer": {"name": "o200k"},
}


def write(folder: Path) -> Path:
    """Writes documents and questions, each into a folder of its own below `folder`."""
    (folder / "docs").mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    lines = [json.dumps(question) for question in QUESTIONS]
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def tree(changes: Mapping[str, Any] | None = None, folder: Path | None = None) -> dict[str, Any]:
    """A configuration as nested plain data: of the tiny corpus in `folder`, or of a bundled one.

    changes  dotted key -> value; the key of a group takes the name of a member
    """
    made = deepcopy(BASE)
    if folder is not None:
        made["corpus"] = {"name": "own", "path": str(folder / "docs"), "questions": str(folder / "questions.jsonl")}
        made["cache"] = {"dir": str(folder / "cache")}
    for key, value in (changes or {}).items():
        *parents, last = key.split(".")
        node = made
        for parent in parents:
            node = node.setdefault(parent, {})
        is_group = isinstance(node.get(last), dict) and "name" in node[last] and isinstance(value, str)
        node[last] = {"name": value} if is_group else value
    return made


def settings(folder: Path | None = None, **changes: Any) -> Settings:
    """Checked settings; keys with `__` for the dot."""
    return rules.from_tree(tree({key.replace("__", "."): value for key, value in changes.items()}, folder))
