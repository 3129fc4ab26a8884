"""PDF: pages of text, and what is reported of the others."""

import pytest
from tests.documents.pdf_files import PICTURE, contents
from tests.documents.pdf_files import pdf as file

from chunksweep.documents import pdf
from chunksweep.documents.decoding import UnreadableError
from chunksweep.records import Span


def read(*pages):
    return pdf.read(file(*pages), "docs/report.pdf")


def pages_of(document):
    return [document.text[page.start : page.end] for page in document.pages]


def test_pages_are_kept_apart_and_known():
    document = read(["Measured at noon the mast is"], ["31 metres tall without the lamp."], ["The end."])
    assert document.text == "Measured at noon the mast is\n31 metres tall without the lamp.\n\nThe end."
    assert pages_of(document) == ["Measured at noon the mast is", "31 metres tall without the lamp.", "The end."]
    assert [document.page(Span(start, start + 5)) for start in (0, 27, 28, 30, 62, 63)] == [1, 1, 2, 2, 3, 3]
    assert (document.title, document.media_type) == ("report", "application/pdf")


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        pytest.param(["an exam-", "ple of it"], "an example\nof it", id="a broken word"),
        pytest.param(["an exam-", "ple"], "an example", id="at the end"),
        pytest.param(["an exam-", "ple,", "and"], "an example,\nand", id="its half alone on the line"),
        pytest.param(["well-known or well-", "known now"], "well-known or well-known\nnow", id="a hyphen of its own"),
        pytest.param(["Anglo-", "Saxon art"], "Anglo-Saxon\nart", id="a name"),
        pytest.param(["in 2019-", "2020 it"], "in 2019-2020\nit", id="figures"),
        pytest.param(["short-", "and long-term"], "short-\nand long-term", id="a hanging hyphen"),
        pytest.param(["a dash -", "not a hyphen"], "a dash -\nnot a hyphen", id="a dash"),
        pytest.param(["well\u00adness exam\u00ad", "ple of"], "wellness example\nof", id="soft hyphens"),
    ],
)
def test_words_broken_at_line_ends(lines, text):
    assert read(lines).text == text


def test_a_word_broken_at_the_end_of_a_page_is_whole_on_the_page_where_it_begins():
    document = read(["an exam-"], ["ple of it"])
    assert pages_of(document) == ["an example", "of it"]


@pytest.mark.parametrize(
    ("pages", "kept"),
    [
        pytest.param(
            [["Manual", f"text {letter}", f"Page {number} of 3"] for number, letter in enumerate("abc", 1)],
            ["text a", "text b", "text c"],
            id="head and page number",
        ),
        pytest.param(
            [["Manual", "- 7 -", "text a"], ["Manual", "- 8 -", "text b"], ["Manual", "- 9 -", "text c"]],
            ["text a", "text b", "text c"],
            id="two lines at the top",
        ),
        pytest.param([["a", "11"], ["b", "12"]], ["a", "b"], id="numbers alone that count two pages"),
        pytest.param([["a", "11"], ["b", "17"]], ["a\n11", "b\n17"], id="numbers that do not count"),
        pytest.param([["Note", "a"], ["Note", "b"]], ["Note\na", "Note\nb"], id="twice is no running head"),
        pytest.param(
            [["Left", "a"], ["Right", "b"], ["Left", "c"], ["Right", "d"], ["Left", "e"], ["Right", "f"]],
            list("abcdef"),
            id="heads of left and right pages",
        ),
        pytest.param(
            [["a", "same", "b"], ["c", "same", "d"], ["e", "same", "f"]],
            ["a\nsame\nb", "c\nsame\nd", "e\nsame\nf"],
            id="not at an edge",
        ),
        pytest.param([["Only"], ["Only"], ["Only"]], ["Only"] * 3, id="where nothing else is left"),
        pytest.param([["Only"], ["Only"], ["Only", "a"]], ["", "", "a"], id="nothing but a head"),
    ],
)
def test_running_lines_are_left_out(pages, kept):
    assert pages_of(read(*pages)) == kept


@pytest.mark.parametrize(
    ("pages", "unread"),
    [
        pytest.param((["a"], ["b"]), (), id="none"),
        pytest.param(
            (PICTURE, ["a"], PICTURE, PICTURE),
            ("has no text on pages 1, 3 and 4: scanned pages have to be read by OCR first",),
            id="scanned",
        ),
        pytest.param((["a"], [], ["b"]), (), id="a blank page has nothing to read"),
    ],
)
def test_pages_without_text_are_reported(pages, unread):
    document = read(*pages)
    assert document.unread == unread
    assert len(document.pages) == len(pages)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(file(PICTURE, PICTURE), "has no text on any of its 2 pages: scanned", id="scanned"),
        pytest.param(file([], []), "holds no text", id="blank"),
        pytest.param(b"%PDF-1.4 truncated here", "is no PDF that can be read (Pdf", id="a stub"),
        pytest.param(b"not a PDF at all", "is no PDF that can be read (Pdf", id="something else"),
        pytest.param(b"", "is no PDF that can be read (EmptyFileError: ", id="empty"),
        pytest.param(file(["a"])[:300], "is no PDF that can be read (Pdf", id="cut off"),
    ],
)
def test_what_cannot_be_read_says_why(data, reason):
    with pytest.raises(UnreadableError) as caught:
        pdf.read(data, "a.pdf")
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


def test_an_encrypted_file_needs_its_password():
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer, out = PdfWriter(clone_from=PdfReader(BytesIO(file(["secret"])))), BytesIO()
    writer.encrypt("open sesame", algorithm="RC4-128")
    writer.write(out)
    with pytest.raises(UnreadableError, match="is encrypted and needs a password"):
        pdf.read(out.getvalue(), "a.pdf")


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_read():
    length = f"<< /Length {len(contents(['second']))}".encode()
    broken = file(["one"], ["second"], ["three"]).replace(length, length + b" /Filter /Unheard")
    document = pdf.read(broken, "a.pdf")
    assert pages_of(document) == ["one", "", "three"]
    (reason,) = document.unread
    assert reason.startswith("cannot be read on page 2 (")


def test_ligatures_become_letters_and_what_has_no_meaning_is_reported(monkeypatch):
    from pypdf import PageObject

    texts = iter(["The oﬃce proﬁle is eﬀective; ﬂoor 3.", "shut o\x00 the valve"])
    monkeypatch.setattr(PageObject, "extract_text", lambda page: next(texts))
    document = read(["a"], ["b"])
    assert document.text == "The office profile is effective; floor 3.\n\nshut o\ufffd the valve"
    assert document.warnings == ("has characters without a meaning on page 2, U+FFFD in the text",)
