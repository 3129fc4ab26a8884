"""Texts with all that chunkers stumble over, put together at random."""

from __future__ import annotations

import csv
import io
from html import escape
from random import Random

from chunksweep.documents import delimited, html, markdown, plain
from chunksweep.records import Document

WORDS = (
    *("alpha", "I", "Dr.", "e.g.", "U.S.", "3.15", "don't", "`code`", "naïve", "cé̂d", "漢字", "雨停了。"),
    *("他走了……", "🧰🔩🪛", "👨‍👩‍👧‍👦", "🇪🇺", "<|endoftext|>", "x" * 60, "山" * 40),
)
BLANKS = (" ", " ", " ", "  ", "\t", "\f", "\u00a0", "\n", "")
ENDS = ("", ".", ".", "!", "?”", "。")
HEADINGS = ("# Pump", "## Check the seal", "### `a` b ###", "##", "Valve\n=====", "Parts\n---")
CODE = ("```\none\n\ntwo. Three.\n```", "```sh\nnever\n\nclosed", "    indented\n\n    code")
QUESTIONS = ("Why?", "**Who?**", "Q: which\nA: that", "## When?", "### Where？")
TABLES = (
    "| a | b |\n|---|---|\n| 1 | x. Y |\n| 2 |\n| 3 | 雨。 |",
    "a | b\n-|-",
    "Sizes:\n| a |\n|---|\n| 1 |\n| 2 |",
)
SEPARATORS = ("\n\n", "\n\n", "\n", "\n \t\n\n", "\n\f\n")
FRONT_MATTER = ("", "", "---\ntitle: Pumps\n\nowner: Vale\n---\n", "\n \n")
MOST_BLOCKS = 8
MOST_WORDS = 12


def generated(count: int) -> list[Document]:
    """So many documents, as their readers read them; always the same."""
    random = Random(0)  # noqa: S311 - need not be secret
    readers = (markdown.read, markdown.read, plain.read, html_of, csv_of)
    return [random.choice(readers)(_text(random), f"generated {number}") for number in range(1, count + 1)]


def _text(random: Random) -> str:
    """Markdown, or what looks like it."""
    blocks = (HEADINGS, CODE, TABLES, QUESTIONS)
    parts = [
        (_prose(random) if random.random() < 0.6 else random.choice(random.choice(blocks))) + random.choice(SEPARATORS)
        for _ in range(random.randint(0, MOST_BLOCKS))
    ]
    return random.choice(FRONT_MATTER) + "".join(parts)


def _prose(random: Random) -> str:
    """A paragraph of sentences, or one of odd words."""
    return "".join(
        random.choice(WORDS) + random.choice(ENDS) + random.choice(BLANKS) for _ in range(random.randint(0, MOST_WORDS))
    )


def html_of(text: str, document_id: str) -> Document:
    """The blocks of a text as elements, with a table of its lines."""
    blocks = "".join(f"<h2>{escape(block[:20])}</h2><p>{escape(block)}</p>" for block in text.split("\n\n"))
    rows = "".join(f"<tr><td>{escape(line)}</td><td>x</td></tr>" for line in text.split("\n"))
    return html.read(f"{blocks}<table>{rows}</table>{blocks}", document_id)


def csv_of(text: str, document_id: str) -> Document:
    """The blocks of a text as rows, in which a block may have several lines."""
    out = io.StringIO()
    csv.writer(out).writerows([("name", "block"), *((block[:5], block) for block in text.split("\n\n"))])
    return delimited.read(out.getvalue().replace("\r\n", "\n"), document_id)
