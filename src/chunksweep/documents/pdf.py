"""PDF with a text layer, extracted by pypdf: page by page, without what is repeated on every page."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from chunksweep.documents.decoding import REPLACEMENT, UnreadableError, storable
from chunksweep.documents.outline import sections_of, title_of
from chunksweep.documents.words import said, some_of
from chunksweep.documents.writing import BLANK_LINE, LINE_END, Writer
from chunksweep.records import Document

SUFFIXES = (".pdf",)

# A line at the edge of a page that stands on so many pages, and this share of them, is no part of the text.
_RUNNING_PAGES, _NUMBERED_PAGES, _RUNNING_SHARE = 3, 2, 1 / 3
_EDGE_LINES = 3
_LONGEST_PAGE_NUMBER = 6
_NUMBER = re.compile(r"\d+")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_SOFT_HYPHEN = "\u00ad"
_PAGE_END = "\f"
# A word that goes on after the end of a line or a page, and what separates it from the next.
_BROKEN_WORD = re.compile(
    rf"(?P<before>\w+)(?P<hyphen>[-\u2010{_SOFT_HYPHEN}])(?P<end>[\n\f])(?P<after>\w\S*)(?P<next>[ \n\f]|\Z)"
)
_COMPOUND = re.compile(r"\w+-\w+")
# "short- and long-term" has its hyphen before a word of its own.
_AFTER_HANGING_HYPHEN = frozenset(("and", "or", "to", "und", "oder", "bis"))
_SENTENCE_END = re.compile(r"[.!?:。！？][\"'”’)\]]*\Z")

# It remarks on faults of a file without naming it; what matters of them is reported as the reader's own.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read(data: bytes, document_id: str) -> Document:
    """A document of one section with the place of every page.

    Lines are as on the page, without blank ones. A word that a hyphen parts at the end of a line or page is put
    together; the hyphen stays where the word has it elsewhere in the document too. Running heads and page numbers are
    left out: lines at the top or bottom that stand on three pages and a third of all, their number counting the pages
    where it differs. Ligatures become letters. A page ends a paragraph where its last line ends a sentence.

    A page that shows something and has no text is in `unread`, as is one that cannot be read.

    Raises UnreadableError where the file is damaged or encrypted, or has no text at all.
    """
    pages = list(_pages(data))
    lines = [page.lines for page in pages]
    kept = list(_without_running_lines(lines))
    # Pages that all have the same few lines have no others.
    texts = _unbroken(["\n".join(of_page) for of_page in (kept if any(kept) else lines)])
    if not any(texts):
        raise UnreadableError(_nothing_to_read(pages))
    writer = Writer()
    spans = []
    for text in texts:
        spans.append(writer.write(text))
        writer.apart(BLANK_LINE if _SENTENCE_END.search(text) else LINE_END)
    return Document(
        id=document_id,
        text=writer.text,
        title=title_of((), document_id),
        sections=sections_of(writer.text, ()),
        media_type="application/pdf",
        pages=tuple(spans),
        written=True,
        unread=tuple(_unread(pages)),
        warnings=tuple(_warnings(pages)),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """What was extracted of a page.

    number  from 1
    lines   without blank ones
    blank   whether it shows nothing
    fault   why it cannot be read, None where it can
    """

    number: int
    lines: tuple[str, ...] = ()
    blank: bool = False
    fault: str | None = None


def _pages(data: bytes) -> Iterator[_Page]:
    """Every page in order. Raises UnreadableError where the file is damaged or encrypted."""
    from pypdf import PdfReader  # noqa: PLC0415  a tenth of a second that only PDF needs

    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        pages = [] if locked else list(reader.pages)
    except Exception as error:  # a damaged file can lead pypdf to any error there is
        raise UnreadableError(f"is no PDF that can be read ({said(error)})") from error
    if locked:
        raise UnreadableError("is encrypted and needs a password: save it without one")
    for number, page in enumerate(pages, 1):
        try:
            text, contents = page.extract_text(), page.get_contents()
            blank = contents is None or not contents.get_data().strip()
        except Exception as error:  # noqa: BLE001  as above, for one page of many
            yield _Page(number, fault=said(error))
        else:
            lines = map(_clean, storable(text).split("\n"))
            yield _Page(number, tuple(line for line in lines if line), blank)


def _clean(line: str) -> str:
    """A line without blanks around it, ligatures as letters; a soft hyphen is kept at its end alone."""
    line = line.replace(_PAGE_END, " ").translate(_LIGATURES).strip()
    return line[:-1].replace(_SOFT_HYPHEN, "") + line[-1:]


def _without_running_lines(pages: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The lines of each page without heads, feet and page numbers."""
    with_text = sum(bool(lines) for lines in pages)
    tops = _running([lines[:_EDGE_LINES] for lines in pages], with_text)
    bottoms = _running([lines[-_EDGE_LINES:] for lines in pages], with_text)
    for number, lines in enumerate(pages):
        first, end = 0, len(lines)
        while first < min(end, _EDGE_LINES) and not tops.isdisjoint(_keys(lines[first], number)):
            first += 1
        while end > max(first, len(lines) - _EDGE_LINES) and not bottoms.isdisjoint(_keys(lines[end - 1], number)):
            end -= 1
        yield lines[first:end]


def _running(edges: Sequence[Sequence[str]], with_text: int) -> set[str]:
    """The keys of lines that are repeated at one edge of enough pages."""
    counts = Counter(
        chain.from_iterable({key for line in edge for key in _keys(line, number)} for number, edge in enumerate(edges))
    )
    return {key for key, count in counts.items() if count >= max(_needed(key), with_text * _RUNNING_SHARE)}


def _needed(key: str) -> int:
    """On how many pages a line has to stand; fewer where it is nothing but a number that counts the pages."""
    return _RUNNING_PAGES if any(char.isalpha() for char in key) or _PAGE_END not in key else _NUMBERED_PAGES


def _keys(line: str, number: int) -> set[str]:
    """What a line is compared by: itself, and with one of its numbers as the distance from the page's own number."""
    return {line} | {
        f"{line[: match.start()]}{_PAGE_END}{int(match[0]) - number}{line[match.end() :]}"
        for match in _NUMBER.finditer(line)
        if len(match[0]) <= _LONGEST_PAGE_NUMBER
    }


def _unbroken(texts: Sequence[str]) -> list[str]:
    """The texts of the pages with every broken word whole, on the line and page where it begins."""
    text = _PAGE_END.join(texts)
    compounds = {match[0].casefold() for match in _COMPOUND.finditer(text)}

    def whole(match: re.Match[str]) -> str:
        before, after = match["before"], match["after"]
        ends = match["end"] + match["next"].strip(" ")
        if match["hyphen"] != _SOFT_HYPHEN and after in _AFTER_HANGING_HYPHEN:
            return match[0]
        gap = _PAGE_END * ends.count(_PAGE_END) or "\n"
        return f"{before}{_joint(match, compounds)}{after}{gap}"

    return [part.strip() for part in _BROKEN_WORD.sub(whole, text).replace(_SOFT_HYPHEN, "").split(_PAGE_END)]


def _joint(match: re.Match[str], compounds: set[str]) -> str:
    """What stands between the halves of a word: its hyphen, or nothing where that was put in to break the word."""
    if match["hyphen"] == _SOFT_HYPHEN:
        return ""
    word = re.match(r"\w+", match["after"])
    compound = f"{match['before']}-{word[0] if word else ''}".casefold()
    return "" if match["after"][0].islower() and compound not in compounds else "-"


def _nothing_to_read(pages: Sequence[_Page]) -> str:
    if fault := next((page.fault for page in pages if page.fault), None):
        return f"is no PDF that can be read ({fault})"
    if all(page.blank for page in pages):
        return "holds no text"
    return f"has no text on any of its {len(pages)} pages: scanned pages have to be read by OCR first"


def _unread(pages: Sequence[_Page]) -> Iterator[str]:
    """What of the file is not in the text."""
    for page in pages:
        if page.fault:
            yield f"cannot be read on page {page.number} ({page.fault})"
    scanned = [page.number for page in pages if not (page.lines or page.blank or page.fault)]
    if scanned:
        yield f"has no text on {some_of('page', scanned)}: scanned pages have to be read by OCR first"


def _warnings(pages: Sequence[_Page]) -> Iterator[str]:
    odd = [page.number for page in pages if any(REPLACEMENT in line for line in page.lines)]
    if odd:
        yield f"has characters without a meaning on {some_of('page', odd)}, U+FFFD in the text"
