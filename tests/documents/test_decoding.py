"""Bytes to text: marks, wrong bytes, line ends."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents.decoding import UnreadableError, check_encoding, decode
from chunksweep.errors import ConfigError


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        pytest.param(b"Gr\xc3\xb6\xc3\x9fe", "utf-8", "Größe", id="utf-8"),
        pytest.param(b"Gr\xf6\xdfe", "latin-1", "Größe", id="the encoding that was asked for"),
        pytest.param(b"\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe", "latin-1", "Größe", id="a utf-8 mark wins and is dropped"),
        pytest.param(b"\xff\xfeA\x00\xdf\x00", "utf-8", "Aß", id="utf-16, least byte first"),
        pytest.param(b"\xfe\xff\x00A\x00\xdf", "utf-8", "Aß", id="utf-16, greatest byte first"),
        pytest.param(b"\xff\xfe\x00\x00A\x00\x00\x00", "utf-8", "A", id="utf-32, whose mark begins like utf-16's"),
        pytest.param(b"\x00\x00\xfe\xff\x00\x00\x00A", "utf-8", "A", id="utf-32, greatest byte first"),
        pytest.param(b"a\r\nb\rc\nd\r\r\n", "utf-8", "a\nb\nc\nd\n\n", id="three line ends become one"),
        pytest.param("a\x0cb\u2028c\x85d\x0be".encode(), "utf-8", "a\x0cb\u2028c\x85d\x0be", id="no other line ends"),
        pytest.param(b"", "utf-8", "", id="nothing"),
    ],
)
def test_decode(data, encoding, text):
    assert decode(data, encoding) == text


@pytest.mark.parametrize(
    ("data", "encoding", "reason"),
    [
        pytest.param(b"Gr\xf6\xdfe", "utf-8", "is not utf-8 at byte 2", id="latin-1 read as utf-8"),
        pytest.param(
            b"\xef\xbb\xbfab\xff", "cp1252", "is not utf-8 at byte 5", id="the mark counts as bytes of the file"
        ),
        pytest.param(b"abc\x81", "cp1252", "is not cp1252 at byte 3", id="a code without a character"),
    ],
)
def test_wrong_bytes_are_named(data, encoding, reason):
    with pytest.raises(UnreadableError) as caught:
        decode(data, encoding)
    assert str(caught.value) == reason


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1", "utf-16", "utf_8_sig", "shift_jis"])
def test_known_encodings_pass(encoding):
    check_encoding(encoding)


@pytest.mark.parametrize("encoding", ["utf-9", "", "hex", "undefined"])
def test_other_names_are_refused(encoding):
    with pytest.raises(ConfigError, match=r"corpus\.encoding="):
        check_encoding(encoding)


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")), st.sampled_from(list(MARKS)))
def test_a_marked_text_comes_back_whatever_was_asked_for(text, name):
    assert decode(MARKS[name] + text.encode(name), "ascii") == text
