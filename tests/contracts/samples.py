"""A file of every kind that is read, with what is hard about it."""

from __future__ import annotations

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

SAMPLES = {
    "a.md": MARKDOWN.encode(),
    "a.txt": PLAIN.encode(),
    "a.html": HTML.encode(),
    "a.csv": b'part,note\r\nbolt,"one\r\n\r\ntwo"\r\n,empty\r\nnut,a,b\r\n',
    "a.tsv": b"part\tplace\nbolt\tshelf 3\n",
    "a.pdf": PDF,
    "a.jsonl": b'{"q": "Oil?", "a": "Dr. Vale says yes. Ms. Orr says no."}\nno JSON\n{"q": "Salt?"}\n',
}
