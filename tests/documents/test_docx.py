"""DOCX files, made by python-docx and, where it has no words for something, by their XML."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from chunksweep.documents import docx as reader
from chunksweep.documents.decoding import UnreadableError


def saved(document):
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def read(document):
    return reader.read(saved(document), "docs/pump.docx")


def paragraph(xml):
    return parse_xml(f"<w:p {nsdecls('w')}>{xml}</w:p>")


def test_headings_paragraphs_and_lists():
    document = docx.Document()
    document.add_paragraph("Before.")
    document.add_heading("Boiler", 1)
    document.add_paragraph("Keep it warm.")
    for item in ("oil", "salt"):
        document.add_paragraph(item, style="List Bullet")
    document.add_heading("Filter", 2)
    document.add_paragraph("a\tb\nc")
    found = read(document)
    assert found.text == "Before.\n\nBoiler\n\nKeep it warm.\n\noil\nsalt\n\nFilter\n\na\tb\nc"
    assert [section.path for section in found.sections] == [(), ("Boiler",), ("Boiler", "Filter")]
    assert found.title == "Boiler"


def test_table():
    document = docx.Document()
    table = document.add_table(3, 2)
    for cell, text in zip(table._cells, ["part", "place", "bolt", "shelf\n3", "", ""], strict=True):
        cell.text = text
    table.cell(2, 0).merge(table.cell(2, 1)).text = "all else on the floor"
    document.add_paragraph("after")
    found = read(document)
    assert found.text == "part | place\nbolt | shelf 3\nall else on the floor\n\nafter"
    (of_text,) = found.tables
    assert [found.text[cell.start : cell.end] for cell in of_text.header] == ["part", "place"]
    assert [found.text[row.span.start : row.span.end] for row in of_text.rows] == [
        "bolt | shelf 3",
        "all else on the floor",
    ]


BOX = (
    '<w:r><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml"><w:txbxContent>'
    "<w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r><w:r><w:t>x</w:t></w:r>"
)


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        pytest.param("<w:r><w:t>un</w:t></w:r><w:r><w:t>seen</w:t></w:r>", "unseen", id="a word in two runs"),
        pytest.param("<w:ins><w:r><w:t>new</w:t></w:r></w:ins>", "new", id="inserted"),
        pytest.param("<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:t>x</w:t></w:r>", "x", id="deleted"),
        pytest.param("<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink>", "link", id="link"),
        pytest.param("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>", "a-b", id="a hyphen that does not break"),
        pytest.param(BOX, "x\n\nbox", id="text box"),
    ],
)
def test_text_in_other_wrappings(xml, text):
    document = docx.Document()
    document.element.body.insert(0, paragraph(xml))
    assert read(document).text == text


def test_content_controls_are_read():
    document = docx.Document()
    control = parse_xml(
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    document.element.body.insert(0, control)
    assert read(document).text == "x"


def test_title_of_the_properties():
    document = docx.Document()
    document.core_properties.title = " The\n pump "
    document.add_heading("Boiler", 1)
    assert read(document).title == "The pump"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PK\x03\x04 and no more", id="no archive"),
        pytest.param(saved(docx.Document())[:5_000], id="cut off"),
    ],
)
def test_what_cannot_be_read_says_why(data):
    with pytest.raises(UnreadableError, match=r"^is no DOCX that can be read \(.+\)$"):
        reader.read(data, "a.docx")
