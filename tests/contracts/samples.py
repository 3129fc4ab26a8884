"""A file of every kind that is read, with what is hard about it."""

from __future__ import annotations

import io

import docx
from tests.documents.pdf_files import PICTURE, pdf

MARKDOWN = """\ufeff---
title: Pumps
---
Before any heading.\r\n
# Pump

| part | place |
|---|---|
| bolt | shelf 3 |

```sh
# no heading

oil --all
```

### Valve

Dr. Vale met Ms. Orr. 雨停了。
"""

PLAIN = """Pumps

Oil them on Mondays. Never
on Sundays.\fNew page.

Valves

山山山山山山山山"""

HTML = """<!doctype html><title>Pumps</title><nav>Home</nav>
<h1>Pump</h1><p>Oil <b>it</b> on Mondays.<p>Never on Sundays.
<h3>Parts</h3><table><tr><th>part<th>place<tr><td>bolt<td>shelf 3<tr><td>nut<td></table>
<ul><li>grease<ol><li>first<li>second</ol><li>salt</ul><pre>  one

  two</pre><table><tr><td>1<td>2</table><dl><dt>Oil?<dd>Yes.</dl>"""

PDF = pdf(
    ["Manual", "Dr. Vale met Ms. Orr at the exam-", "ple pump. They", "1"],
    PICTURE,
    [],
    ["Manual", "oiled it. Salt is for-", "bidden.", "4"],
    ["Manual", "The end.", "5"],
)

RST = """Pumps
=====

.. note:: Dr. Vale met Ms. Orr.

Run::

  one

  two

Valves
------

.. code-block:: sh

   oil --all

山山山。
"""

CODE = """# Pumps

def oil(pump):
    return pump


def salt():
    raise ValueError("never")
"""


def docx_file() -> bytes:
    document = docx.Document()
    document.add_heading("Pump", 1)
    document.add_paragraph("Dr. Vale met Ms. Orr. She oiled it.")
    table = document.add_table(3, 2)
    for cell, text in zip(table._cells, ["part", "place", "bolt", "shelf 3", "nut", ""], strict=True):
        cell.text = text
    document.add_heading("Valve", 3)
    document.add_paragraph("grease", style="List Number")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


SAMPLES = {
    "a.md": MARKDOWN.encode(),
    "a.txt": PLAIN.encode(),
    "a.html": HTML.encode(),
    "a.csv": b'part,note\r\nbolt,"one\r\n\r\ntwo"\r\n,empty\r\nnut,a,b\r\n',
    "a.tsv": b"part\tplace\nbolt\tshelf 3\n",
    "a.pdf": PDF,
    "a.docx": docx_file(),
    "a.rst": RST.encode(),
    "a.py": CODE.encode(),
    "a.jsonl": b'{"q": "Oil?", "a": "Dr. Vale says yes. Ms. Orr says no."}\nno JSON\n{"q": "Salt?"}\n',
}
