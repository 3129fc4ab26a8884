"""The bill of an index in words."""

from __future__ import annotations

from collections.abc import Iterator

from chunksweep.indexing import IndexBill

# Seconds of each unit, and from how many seconds on it is used.
UNITS = (("hours", 3_600, 5_400), ("minutes", 60, 90), ("s", 1, 0))


def sentence(bill: IndexBill, name: str, embedding_usd: float | None) -> str:
    """What the whole index takes, and on average what a change takes.

    name           what the leaderboard calls the configuration
    embedding_usd  of the whole index; None where the price is not known
    """
    usd_per_token = None if embedding_usd is None or not bill.tokens else embedding_usd / bill.tokens
    rate = f" at {bill.tokens_per_second:,.0f} tokens/s as measured here" if bill.tokens_per_second else ""
    whole = ", ".join(_price(bill, bill.chunks, bill.tokens, usd_per_token))
    document = ", ".join(_price(bill, bill.document_chunks, bill.document_tokens, usd_per_token))
    character = ", ".join(_price(bill, bill.character_chunks, bill.character_tokens, usd_per_token))
    one = "the document" if bill.documents == 1 else f"one of {bill.documents:,} documents"
    return (
        f"Indexing with {name}: {whole}{rate}. When {one} changes: {document}. When one character does and no boundary "
        f"moves: {character}."
    )


def duration(seconds: float) -> str:
    """Two significant digits in a unit that suits: "0.4 s", "12 minutes", "3.5 hours"."""
    unit, size, _ = next(each for each in UNITS if seconds >= each[2])
    return f"{_rough(seconds / size)} {unit}"


def _price(bill: IndexBill, chunks: float, tokens: float, usd_per_token: float | None) -> Iterator[str]:
    yield f"{_rough(chunks)} {'chunk' if chunks == 1 else 'chunks'} ({tokens:,.0f} tokens)"
    if usd_per_token is not None:
        usd = tokens * usd_per_token
        yield f"${_rough(usd)}" if usd >= 0.01 or not usd else "under a cent"
    seconds = bill.seconds(tokens)
    if seconds is not None:
        yield duration(seconds)


def _rough(number: float) -> str:
    """Whole from ten on, two significant digits below."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.2g}"
