"""The normal form in which a quote and the corpus are compared, and the way back to source characters.

Each character on its own becomes

- one blank if it is white space of any kind (no-break and thin blanks, tabs, line ends, form feeds); a run of them
  counts as one, and a quote has none at its ends
- ' or " if it is a typographic quotation mark, - if it is a dash, a hyphen or the minus sign
- else its canonical decomposition, casefolded: capitals become small, ligatures and ß their letters, and an accented
  letter is the same whether it is written as one character or two

Nothing else is forgiven. A match begins and ends at whole source characters: "Stras" is not in "Straße".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np

from chunksweep.records import IntArray, Span

_ALIKE = {
    **dict.fromkeys("‘’‚‛‹›ʼ＇", "'"),
    **dict.fromkeys("“”„‟«»＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
}
_BLANKS = re.compile(r" {2,}")


class _Fold(dict[int, str]):
    """Code point -> its normal form, worked out when it is first met; a table for str.translate."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character.isspace():
        return " "
    return _ALIKE.get(character) or normalize("NFD", normalize("NFD", character).casefold())


_FOLD = _Fold()


def normal_form(text: str) -> str:
    """The normal form of a quote; "" if it is blank."""
    return _BLANKS.sub(" ", text.translate(_FOLD)).strip(" ")


@dataclass(frozen=True, slots=True, eq=False)
class NormalText:
    """A text in normal form.

    text    as compared
    source  int64 (len(text) + 1,), the source character that each character came from; last the length of the source
    """

    text: str
    source: IntArray

    @classmethod
    def of(cls, source: str) -> NormalText:
        """Normalise a document's text, blanks at its ends kept."""
        codes = np.frombuffer(source.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        distinct, position = np.unique(codes, return_inverse=True)
        folded = [_FOLD[code] for code in distinct.tolist()]
        lengths = np.array([len(form) for form in folded], dtype=np.int64)[position]
        blank = np.array([form == " " for form in folded], dtype=np.bool_)[position]
        lengths[1:][blank[1:] & blank[:-1]] = 0
        origin = np.repeat(np.arange(len(codes) + 1, dtype=np.int64), [*lengths.tolist(), 1])
        return cls(_BLANKS.sub(" ", source.translate(_FOLD)), origin)

    def find(self, quote: str) -> Iterator[Span]:
        """The source spans where `quote`, itself in normal form, stands: left to right, not overlapping."""
        position = self.text.find(quote) if quote else -1
        while position >= 0:
            end = position + len(quote)
            whole = self._is_boundary(position) and self._is_boundary(end)
            if whole:
                yield self.source_span(position, end)
            position = self.text.find(quote, end if whole else position + 1)

    def source_span(self, start: int, end: int) -> Span:
        """The source characters that [start, end) of the normal text, not empty, came from."""
        return Span(int(self.source[start]), int(self.source[end - 1]) + 1)

    def _is_boundary(self, position: int) -> bool:
        return position == 0 or bool(self.source[position - 1] < self.source[position])
