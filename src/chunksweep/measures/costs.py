"""What is sent for a question, what the index takes, and what both cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from chunksweep.records import IntArray, Passage, Span

Offsets = Callable[[str], tuple[IntArray, IntArray]]

BYTES_PER_NUMBER = 4
BYTES_PER_MB = 1_000_000
TOKENS_PER_PRICE = 1_000_000


def sent_tokens(passages: Sequence[Passage], tokens: Mapping[str, int]) -> int:
    """Tokens of the passages, each on its own.

    tokens  text of a passage -> its tokens
    """
    return sum(tokens[passage.text] for passage in passages)


def sent_chars(passages: Sequence[Passage]) -> int:
    """Characters of the passages."""
    return sum(len(passage.text) for passage in passages)


def repeated_tokens(passages: Sequence[Passage], offsets: Offsets) -> int:
    """Tokens of a question's passages whose source characters were all in an earlier passage of it.

    offsets  start and end character of every token of a text

    A sent prefix with its separator counts as one: it is repeated where an earlier passage of the document began with
    the same words, or held all that they were copied from. A token that reaches from it into the chunk is repeated
    where both are.
    """
    return sum(_repeated(passage, passages[:place], offsets) for place, passage in enumerate(passages))


def _repeated(passage: Passage, before: Sequence[Passage], offsets: Offsets) -> int:
    earlier = [other for other in before if other.document_id == passage.document_id]
    seen = _seen(passage, earlier)
    if not seen.any():
        return 0
    starts, ends = offsets(passage.text)
    seen_up_to = np.concatenate(([0], np.cumsum(seen)))
    return int(np.count_nonzero((seen_up_to[ends] - seen_up_to[starts] == ends - starts) & (ends > starts)))


def _seen(passage: Passage, earlier: Sequence[Passage]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of each character of the passage's text, whether it was in an earlier passage of the document."""
    seen = np.zeros(len(passage.text), dtype=np.bool_)
    spans = sorted(span for other in earlier for span in other.spans)
    head, chunk = _head(passage), passage.spans[0]
    for span in spans:
        if span.overlaps(chunk):
            shift = len(head) - chunk.start
            seen[max(span.start, chunk.start) + shift : min(span.end, chunk.end) + shift] = True
    sources = passage.spans[1:]
    copied = bool(sources) and all(_is_covered(source, spans) for source in sources)
    seen[: len(head)] = copied or any(_head(other) == head for other in earlier)
    return seen


def _head(passage: Passage) -> str:
    """What stands before the words of the first span: a sent prefix and its separator."""
    return passage.text[: len(passage.text) - len(passage.spans[0])]


def _is_covered(span: Span, spans: Sequence[Span]) -> bool:
    """Whether every character of `span` lies in one of `spans`, which are sorted."""
    reached = span.start
    for other in spans:
        if other.start > reached:
            break
        reached = max(reached, other.end)
    return reached >= span.end


def sending_costs(tokens: Sequence[float], chars: Sequence[float], input_price: float | None) -> dict[str, float]:
    """What the means over the questions leave out: the 95th percentiles, and money where the price is known.

    tokens, chars  sent for each question
    input_price    US dollars per million tokens
    """
    if not tokens:
        return {}
    costs = {"cost/sent_tokens_p95": _percentile_95(tokens), "cost/sent_chars_p95": _percentile_95(chars)}
    if input_price is not None:
        costs["cost/usd_per_1k_questions"] = 1_000 * sum(tokens) / len(tokens) * input_price / TOKENS_PER_PRICE
    return costs


def index_costs(
    model_tokens: IntArray | None,
    part_tokens: IntArray,
    window: int | None,
    dimension: int,
    embedding_price: float | None,
) -> dict[str, float]:
    """What an index of all chunks needs in vectors, whatever a cache held.

    model_tokens     int64 (chunks,), tokens of the model for each embedded text before truncation; None: no vectors
    part_tokens      int64 (parts,), the same for what was embedded only to cut by it
    window           most tokens it reads; None: no limit
    embedding_price  US dollars per million tokens
    """
    if model_tokens is None:
        model_tokens = np.zeros(0, dtype=np.int64)
    every = np.concatenate([model_tokens, part_tokens])
    tokens = int(every.sum() if window is None else np.minimum(every, window).sum())
    costs = {
        "cost/embedded_tokens": float(tokens),
        "cost/index_vectors": float(len(model_tokens)),
        "cost/index_mb": len(model_tokens) * dimension * BYTES_PER_NUMBER / BYTES_PER_MB,
    }
    if embedding_price is not None:
        costs["cost/embedding_usd"] = tokens * embedding_price / TOKENS_PER_PRICE
    return costs


def _percentile_95(values: Sequence[float]) -> float:
    return float(np.quantile(values, 0.95, method="higher"))
