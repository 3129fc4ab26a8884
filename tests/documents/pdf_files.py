"""Writes small PDF files: pages of lines in Helvetica, pages that show a picture, pages that show nothing."""

from __future__ import annotations

from collections.abc import Sequence

PICTURE = "picture"
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
IMAGE = "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"


def pdf(*pages: Sequence[str] | str) -> bytes:
    """A file of these pages: lists of lines, or PICTURE."""
    first = 5
    kids = " ".join(f"{first + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        FONT.encode(),
        stream(b"\0", IMAGE),
    ]
    for index, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {first + 2 * index + 1} 0 R "
            "/Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>".encode()
        )
        objects.append(stream(contents(page)))
    return assembled(objects)


def contents(page: Sequence[str] | str) -> bytes:
    """The operators that show a page."""
    if page == PICTURE:
        return b"q 600 0 0 800 0 0 cm /I Do Q"
    if not page:
        return b""
    lines = " ".join(f"({escaped(line)}) Tj T*" for line in page)
    return f"BT /F 12 Tf 14 TL 50 750 Td {lines} ET".encode("cp1252")


def escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def stream(data: bytes, head: str | None = None) -> bytes:
    head = head or f"<< /Length {len(data)} >>"
    return head.encode() + b"\nstream\n" + data + b"\nendstream"


def assembled(objects: Sequence[bytes]) -> bytes:
    """A file of numbered objects with its table of their offsets."""
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()
