"""No retrieval at all: the whole corpus sent for every question, beside which every configuration is shown.

Every fact stands in the documents, or its question would have been refused. So the whole corpus answers all questions
where it fits into the language model's window; where it does not, it cannot be sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chunksweep.records import RunRecord

TOKENS = "corpus/tokens"
CHARS = "corpus/chars"


@dataclass(frozen=True, slots=True)
class WholeCorpus:
    """What sending everything takes for a question.

    tokens  of all documents, by the tokenizer that counts what is sent
    chars   their characters
    window  tokens that the language model reads at once
    usd_per_1k_questions  at the price of what is sent; None where it is unknown
    """

    corpus: str
    tokens: int
    chars: int
    window: int
    usd_per_1k_questions: float | None = None

    @property
    def fits(self) -> bool:
        """Whether the language model can read it at once."""
        return self.tokens <= self.window

    def shape(self) -> dict[str, Any]:
        """As JSON: `answerable` is 1 where it fits, null where it cannot be sent."""
        return asdict(self) | {"fits": self.fits, "answerable": 1.0 if self.fits else None}


def whole_corpus(records: Sequence[RunRecord]) -> WholeCorpus | None:
    """Of the corpus of these runs, as the first that says so counted it; None where none says, as runs of old."""
    for record in records:
        if {TOKENS, CHARS} <= record.metrics.keys():
            tokens, price = int(record.metrics[TOKENS]), record.params.get("prices.input")
            return WholeCorpus(
                str(record.params["corpus"]),
                tokens,
                int(record.metrics[CHARS]),
                int(record.params["context_window"]),
                None if price is None else tokens * float(price) / 1_000,
            )
    return None


def whole_corpora(records: Sequence[RunRecord]) -> list[dict[str, Any]]:
    """The shape of every corpus of these runs that is known, in order."""
    corpora = dict.fromkeys(str(record.params.get("corpus")) for record in records)
    found = (
        whole_corpus([record for record in records if str(record.params.get("corpus")) == name]) for name in corpora
    )
    return [one.shape() for one in found if one]
