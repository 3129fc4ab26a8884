"""All measures of one cell of a grid: per question first, means after."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from chunksweep.measures import retrieval
from chunksweep.measures.budget import BUDGETS, fitting, most_within, tokens_to_answer
from chunksweep.measures.chance import chance_at
from chunksweep.measures.chunk_stats import chunk_stats, cut_facts
from chunksweep.measures.costs import Offsets, index_costs, repeated_tokens, sending_costs, sent_chars, sent_tokens
from chunksweep.measures.coverage import coverage
from chunksweep.measures.dilution import CellVectors, dilution
from chunksweep.measures.holding import Holders, Rows
from chunksweep.measures.outcomes import outcome
from chunksweep.measures.spans import overlap, precision_omega
from chunksweep.records import (
    CellResult,
    Chunks,
    Corpus,
    IntArray,
    Passage,
    Place,
    Prefix,
    Question,
    QuestionResult,
    Ranking,
    Span,
)
from chunksweep.retrieval import Expanded, NearDuplicates, PassageMaker, as_they_stand, first_of_each
from chunksweep.tokens import Tokenizer

# Undefined for some questions by design; the mean is over the others and their number is kept beside it.
PARTLY_DEFINED = frozenset({"retrieval/section_at_1", "retrieval/dilution"})


@dataclass(frozen=True, slots=True, eq=False)
class CellInput:
    """What the measures of a cell depend on.

    prefixes         of each chunk, None where a chunk has none
    send_prefix      whether prefixes are sent, after which `separator` stands, or only embedded
    ranking          at least as deep as `send`, the largest k and the largest budget want it, or as many chunks as
                     there are
    send             passages sent to the language model, at least 1; None: as many as fit into `send_tokens`
    k                cut-offs, at least 1 each
    tokenizer        counts what is sent
    chunk_tokens     int64 (chunks,), its tokens of each chunk's text
    passage_tokens   int64 (passages,), its tokens of each passage as it is sent
    model_tokens     int64 (chunks,), the embedding model's tokens of each embedded text before truncation; None where
                     the chunks are not ranked by vectors
    part_tokens      int64 (parts,), what the model read of texts that were embedded to cut by; empty where none were
    window           most tokens the model reads; None: no limit
    dimension        length of its vectors
    embedding_price  US dollars per million tokens embedded; None: unknown
    input_price      US dollars per million tokens sent; None: unknown
    vectors          of questions, chunks and facts; None where the ranking is not by vectors: then there is no dilution
    expanded         what is handed on for the chunks; None: the chunks as they stand
    passage_prefixes of each of these passages; None where they are the chunks, or prefixes are not sent
    send_tokens      tokens sent at most, at least 1; None: `send` passages
    dedupe           passages that resemble a better one so much are not sent; None: all are. The ranking has to be deep
                     enough that `wanted` passages are left

    Raises ValueError where the ranking is too shallow.
    """

    corpus: Corpus
    questions: tuple[Question, ...]
    chunks: Chunks
    prefixes: tuple[Prefix | None, ...] | None
    separator: str
    send_prefix: bool
    ranking: Ranking
    send: int | None
    k: tuple[int, ...]
    tokenizer: Tokenizer
    chunk_tokens: IntArray
    passage_tokens: IntArray
    model_tokens: IntArray | None
    part_tokens: IntArray
    window: int | None
    dimension: int
    embedding_price: float | None = None
    input_price: float | None = None
    vectors: CellVectors | None = None
    expanded: Expanded | None = None
    passage_prefixes: tuple[Prefix | None, ...] | None = None
    send_tokens: int | None = None
    dedupe: float | None = None

    def __post_init__(self) -> None:
        if (self.send is None) == (self.send_tokens is None):
            raise ValueError("a number of passages or of tokens is sent, one of the two")
        shape = self.ranking.chunks.shape
        wanted = (len(self.questions), depth_for(self.k, self.wanted, self.passage_tokens, self.expanded))
        if shape[0] != wanted[0] or shape[1] < wanted[1]:
            raise ValueError(f"the ranking is {shape} (questions, depth), {wanted} is needed")

    @property
    def wanted(self) -> int:
        """How many passages any measure looks at."""
        return passages_wanted(self.send, self.send_tokens, self.k, self.passage_tokens)

    def written(self, wanted: int) -> int:
        """How many of these are written out; budgets look at the tokens of the others alone."""
        return wanted if self.send is None else max(self.send, *self.k)

    @property
    def sent_prefixes(self) -> tuple[Prefix | None, ...] | None:
        """The prefixes, None where they are not sent."""
        return self.prefixes if self.send_prefix else None


def passages_wanted(send: int | None, send_tokens: int | None, k: Sequence[int], passage_tokens: IntArray) -> int:
    """How many passages all measures look at: `send`, every cut-off, and all that fits into any budget.

    send            None: as many as fit into `send_tokens`
    passage_tokens  int64 (passages,), of each passage as it is sent
    """
    return max(send or 1, *k, most_within(max(*BUDGETS, send_tokens or 0), passage_tokens))


def depth_for(k: Sequence[int], wanted: int, passage_tokens: IntArray, expanded: Expanded | None = None) -> int:
    """How deep a ranking has to be for every cut-off and for so many passages; never deeper than there are chunks.

    passage_tokens  int64 (passages,), of each passage as it is sent
    expanded        what is handed on for the chunks; None: the chunks as they stand

    Hits that share a passage take one place, so that more of them are needed.
    """
    if expanded is None:
        return min(len(passage_tokens), max(wanted, *k))
    return max(min(len(expanded.of_chunk), max(k)), expanded.chunks_to_reach(wanted))


@dataclass(frozen=True, slots=True, eq=False)
class Delivered:
    """What a question is handed, best first.

    rows      int64, of as many passages as any measure looks at
    passages  of these as many as are written out
    sent      how many of them are sent
    """

    rows: IntArray
    passages: tuple[Passage, ...]
    sent: int


@dataclass(frozen=True, slots=True)
class Shared:
    """What is made once for all questions of a cell.

    holders          the chunks that hold each fact of each question
    passage_holders  the passages that do
    delivered        what each question is handed
    finder           of the chunks that touch a place
    spans            from a chunk's row to where it lies
    counts           text of a passage -> its tokens
    offsets          from a text to the positions of its tokens
    total            how many passages there are
    """

    holders: Sequence[Sequence[Rows]]
    passage_holders: Sequence[Sequence[Rows]]
    delivered: Sequence[Delivered]
    finder: Holders
    spans: Callable[[int], Place]
    counts: Mapping[str, int]
    offsets: Offsets
    total: int


def evaluate(cell: CellInput) -> CellResult:
    """Scores and costs of a cell. A question is never left out of a mean; what cannot be computed is absent."""
    expanded = cell.expanded or as_they_stand(cell.chunks)
    finder = Holders(cell.corpus, cell.chunks, cell.sent_prefixes)
    holders = finder.of_questions(cell.questions)
    passage_holders = holders
    if expanded.passages is not cell.chunks:
        passage_holders = Holders(cell.corpus, expanded.passages, cell.passage_prefixes).of_questions(cell.questions)
    delivered = _delivered(cell, expanded)
    shared = Shared(
        holders,
        passage_holders,
        delivered,
        finder,
        cache(partial(_place, cell)),
        _token_counts(cell.tokenizer, [of_question.passages for of_question in delivered]),
        cache(cell.tokenizer.offsets),
        len(expanded.passages),
    )
    results = tuple(_question_result(cell, row, shared) for row in range(len(cell.questions)))
    metrics = (
        _means(results)
        | sending_costs(_column(results, "cost/sent_tokens"), _column(results, "cost/sent_chars"), cell.input_price)
        | index_costs(cell.model_tokens, cell.part_tokens, cell.window, cell.dimension, cell.embedding_price)
        | chunk_stats(cell.chunks, cell.chunk_tokens, cell.model_tokens, cell.window)
        | coverage(cell.corpus, cell.chunks)
        | {"chunks/cut_facts": float(cut_facts(holders))}
    )
    return CellResult(results, metrics, everything_sent=_sends_everything(cell, expanded))


def _sends_everything(cell: CellInput, expanded: Expanded) -> bool:
    """Whether there is no more than what is sent, so that nothing is retrieved."""
    if cell.send is not None:
        return cell.send >= len(expanded.passages)
    return int(cell.passage_tokens.sum()) <= (cell.send_tokens or 0)


def _place(cell: CellInput, row: int) -> Place:
    """Where a chunk lies."""
    document = cell.corpus.documents[int(cell.chunks.document[row])]
    return Place(document.id, Span(int(cell.chunks.start[row]), int(cell.chunks.end[row])))


def _delivered(cell: CellInput, expanded: Expanded) -> list[Delivered]:
    """What each question is handed, written out as far as any measure looks at words."""
    prefixes = cell.sent_prefixes if expanded.passages is cell.chunks else cell.passage_prefixes
    write = PassageMaker(cell.corpus, expanded.passages, prefixes, cell.separator).passage
    near = None if cell.dedupe is None else NearDuplicates(cell.corpus, expanded.passages, cell.dedupe)
    wanted = cell.wanted
    written = cell.written(wanted)
    delivered = []
    for hits, scores in zip(cell.ranking.chunks, cell.ranking.scores, strict=True):
        rows, of_rows = first_of_each(hits, scores, expanded.of_chunk)
        if near:
            kept = near.without(rows.tolist(), wanted)
            rows, of_rows = rows[kept], of_rows[kept]
        rows, of_rows = rows[:wanted], of_rows[:wanted]
        best = zip(rows[:written].tolist(), of_rows[:written].tolist(), strict=True)
        sent = fitting(cell.send_tokens, cell.passage_tokens[rows]) if cell.send_tokens else cell.send or 0
        delivered.append(Delivered(rows, tuple(write(row, score) for row, score in best), sent))
    return delivered


def _token_counts(tokenizer: Tokenizer, passages: Sequence[Sequence[Passage]]) -> dict[str, int]:
    """Tokens of every passage's text; each distinct text is tokenised once."""
    texts = list(dict.fromkeys(passage.text for of_question in passages for passage in of_question))
    return dict(zip(texts, tokenizer.count(texts).tolist(), strict=True))


def _question_result(cell: CellInput, row: int, shared: Shared) -> QuestionResult:
    question, delivered = cell.questions[row], shared.delivered[row]
    sent = delivered.passages[: delivered.sent]
    rank = retrieval.answer_rank(delivered.passages, question.facts)
    values = (
        {"retrieval/answerable": retrieval.answerable_at(rank, len(sent))}
        | _chunk_values(cell, row, shared.holders[row])
        | _passage_values(cell, row, rank, shared)
        | _span_values(cell, row, shared)
        | {
            "cost/sent_tokens": float(sent_tokens(sent, shared.counts)),
            "cost/sent_chars": float(sent_chars(sent)),
            "cost/repeated_tokens": float(repeated_tokens(sent, shared.offsets)),
        }
    )
    return QuestionResult(question, outcome(question, rank, shared.passage_holders[row], sent), rank, values, sent)


def _chunk_values(cell: CellInput, row: int, holders: Sequence[Rows]) -> dict[str, float]:
    """What looks at the ranked chunks themselves."""
    ranked = cell.ranking.chunks[row]
    ranks = retrieval.fact_ranks(ranked.tolist(), holders)
    values = {"retrieval/mrr": retrieval.reciprocal_rank(ranks, max(cell.k))}
    for k in cell.k:
        values[f"retrieval/hit_at_{k}"] = retrieval.hit_at(ranks, k)
        values[f"retrieval/recall_at_{k}"] = retrieval.recall_at(ranks, k)
        values[f"retrieval/ndcg_at_{k}"] = retrieval.ndcg_at(ranks, k)
    partly = {
        "retrieval/section_at_1": _section_at_1(cell, cell.questions[row], ranked[:1].tolist()),
        "retrieval/dilution": None if cell.vectors is None else dilution(cell.vectors, row, holders),
    }
    return values | {name: value for name, value in partly.items() if value is not None}


def _span_values(cell: CellInput, row: int, shared: Shared) -> dict[str, float]:
    """What looks at characters, not at whole facts."""
    facts = cell.questions[row].facts
    ranked = [shared.spans(chunk) for chunk in cell.ranking.chunks[row, : max(cell.k)].tolist()]
    values = {
        "spans/precision_omega": precision_omega(
            facts, lambda place: [shared.spans(chunk) for chunk in shared.finder.touching(place)]
        )
    }
    for k in cell.k:
        found = overlap(ranked[:k], facts)
        values[f"spans/recall_at_{k}"] = found.recall
        values[f"spans/precision_at_{k}"] = found.precision
        values[f"spans/iou_at_{k}"] = found.iou
    return values


def _section_at_1(cell: CellInput, question: Question, ranked: Sequence[int]) -> float | None:
    if not ranked:
        return retrieval.section_at_1(question, None, Span(0, 0))
    document = cell.corpus.documents[int(cell.chunks.document[ranked[0]])]
    chunk = Span(int(cell.chunks.start[ranked[0]]), int(cell.chunks.end[ranked[0]]))
    return retrieval.section_at_1(question, document, chunk)


def _passage_values(cell: CellInput, row: int, rank: int | None, shared: Shared) -> dict[str, float]:
    """What looks at what is handed on for the chunks; `rank` is that of the answer."""
    holders, delivered = shared.passage_holders[row], shared.delivered[row]
    values = {"retrieval/ceiling": retrieval.ceiling(holders)}
    for k in cell.k:
        values[f"retrieval/answerable_at_{k}"] = retrieval.answerable_at(rank, k)
        values[f"cost/sent_tokens_at_{k}"] = float(sent_tokens(delivered.passages[:k], shared.counts))
    ranks = retrieval.fact_ranks(delivered.rows.tolist(), holders)
    needed = tokens_to_answer(ranks, cell.passage_tokens[delivered.rows])
    for budget in BUDGETS:
        values[f"retrieval/answerable_in_{budget}_tokens"] = float(needed <= budget)
    chances = chance_at(holders, shared.total, cell.k)
    if chances is not None:
        values |= {f"retrieval/chance_at_{k}": chance for k, chance in zip(cell.k, chances, strict=True)}
    return values


def _column(results: Sequence[QuestionResult], name: str) -> list[float]:
    return [result.values[name] for result in results]


def _means(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Means over all questions; one that is not known for every question is absent, but for those partly defined."""
    metrics = {}
    for name in dict.fromkeys(name for result in results for name in result.values):
        values = [result.values[name] for result in results if name in result.values]
        if name in PARTLY_DEFINED:
            metrics[f"{name}_n"] = float(len(values))
        elif len(values) < len(results):
            continue
        metrics[name] = math.fsum(values) / len(values)
    return metrics
