"""From the bytes of a file to a text: decoded once, one kind of line end."""

from __future__ import annotations

import codecs
import re

from chunksweep.errors import ConfigError, CorpusError

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class UnreadableError(CorpusError):
    """A single file that cannot be read; the message is the reason, to be put after the file's name."""


def check_encoding(encoding: str) -> None:
    """Raise ConfigError unless `encoding` names a codec between bytes and text."""
    try:
        b" ".decode(encoding, "ignore")
    except (LookupError, ValueError) as error:
        raise ConfigError(
            f"corpus.encoding={encoding!r} is not an encoding that Python knows. "
            "Give a name such as utf-8, cp1252, latin-1 or utf-16."
        ) from error


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text of a file.

    A byte order mark wins over `encoding` and is dropped. CR LF and CR become LF; nothing else is a line end.

    Raises UnreadableError that names the offset of the first wrong byte and the encoding.
    """
    mark, name = next(((mark, name) for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), (b"", encoding))
    try:
        text = data[len(mark) :].decode(name)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not {name} at byte {len(mark) + error.start}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_of(data: bytes, encoding: str = "utf-8") -> str:
    """As `decode`, for a file that has to hold text.

    Raises UnreadableError also where there are NUL characters, which no text has and no store keeps.
    """
    try:
        text = decode(data, encoding)
    except UnreadableError as error:
        raise UnreadableError(f"{error}: set corpus.encoding to the encoding it has") from error
    if nuls := text.count("\0"):
        raise UnreadableError(
            f"holds {nuls} NUL character{'s' if nuls > 1 else ''}: "
            "it is binary or damaged, or corpus.encoding is not the encoding it has"
        )
    return text


def storable(text: str) -> str:
    """A text that another library made, with one kind of line end.

    NUL and halves of surrogate pairs, which stores refuse, become U+FFFD.
    """
    return _UNSTORABLE.sub(REPLACEMENT, text.replace("\r\n", "\n").replace("\r", "\n"))
