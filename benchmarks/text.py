"""A corpus of any length with its questions, made from the words of the bundled corpora; the same on every machine."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from chunksweep.paths import CORPORA

CHARACTERS_PER_DOCUMENT = 4_000
SECTIONS_PER_CHAPTER = 4

Chain = Mapping[str, Sequence[str]]


def write_corpus(folder: Path, characters: int, questions: int) -> None:
    """Markdown below folder/docs, about `characters` long in all, and folder/questions.jsonl.

    A corpus begins as every longer one does. Each question takes up a sentence of its own, which is its fact.
    """
    chain = successors()
    documents: list[str] = []
    while sum(map(len, documents)) < characters:
        left = characters - sum(map(len, documents))
        documents.append(document(chain, len(documents), min(left, CHARACTERS_PER_DOCUMENT)))
    (folder / "docs").mkdir(parents=True)
    for number, text in enumerate(documents):
        (folder / "docs" / f"guide-{number:04}.md").write_text(text, encoding="utf-8")
    sentences = [line for text in documents for line in re.findall(r"[A-Z][^.#\n]{40,}\.", text)]
    chosen = random.Random(1).sample(list(dict.fromkeys(sentences)), questions)
    lines = [json.dumps({"question": f"What about {_middle(fact)}?", "fact": fact}) for fact in chosen]
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")


def successors() -> Chain:
    """Which words follow each word in the bundled corpora; "" begins and ends a sentence."""
    chain: dict[str, list[str]] = defaultdict(list)
    for path in sorted(CORPORA.glob("*/docs/*")):
        for sentence in re.split(r"(?<=[.?!])\s+|\n+", path.read_text(encoding="utf-8")):
            words = [word for word in re.findall(r"[\w'-]+", sentence) if not word.startswith("-")]
            for one, other in itertools.pairwise(["", *words, ""]):
                chain[one].append(other)
    return chain


def document(chain: Chain, number: int, characters: int) -> str:
    """A Markdown document with chapters and sections, about `characters` long."""
    draw = random.Random(number)
    parts = [f"# Guide {number}"]
    for section in itertools.count():
        if section % SECTIONS_PER_CHAPTER == 0:
            parts.append(f"## {_title(chain, draw)}")
        parts.append(f"### {_title(chain, draw)}")
        for _ in range(draw.randint(1, 4)):
            parts.append(" ".join(itertools.islice(_sentences(chain, draw), draw.randint(2, 5))))
            if sum(map(len, parts)) >= characters:
                return "\n\n".join(parts) + "\n"
    raise AssertionError  # unreachable: count() has no end


def _sentences(chain: Chain, draw: random.Random) -> Iterator[str]:
    while True:
        words: list[str] = []
        while (word := draw.choice(chain[words[-1] if words else ""])) and len(words) < 25:
            words.append(word)
        if len(words) > 4:
            sentence = f"{' '.join(words)} {draw.randint(2, 999)}."
            yield sentence[0].upper() + sentence[1:]


def _title(chain: Chain, draw: random.Random) -> str:
    return " ".join(next(_sentences(chain, draw)).split()[:3]).rstrip(".")


def _middle(sentence: str) -> str:
    words = sentence.rstrip(".").split()
    return " ".join(words[1 : max(3, len(words) - 1)])
