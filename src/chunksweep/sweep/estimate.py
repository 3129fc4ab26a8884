"""What a plan will take in time and money, as far as that is known before anything is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunksweep.embedders.rates import recall
from chunksweep.settings import Choice, Settings
from chunksweep.sweep.plan import Embedding, Plan


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of embedding all that the cache lacks.

    seconds  at the rate of last time; None where an embedder has not been timed here
    usd      US dollars at `prices.embedding`; None where an embedder has no price, or several
    """

    seconds: float | None = None
    usd: float | None = None


def estimate(plan: Plan) -> Estimate:
    """The sums over all embedders that have something to embed."""
    every = (*plan.embeddings.items(), *plan.compared.embeddings.items())
    works = [(choice, work) for choice, work in every if work.missing_tokens]
    return Estimate(
        _sum([_seconds(choice, work) for choice, work in works]),
        _sum([_usd(work, [cell for cell in plan.grid.cells if cell.embedder == choice]) for choice, work in works]),
    )


def name_of(choice: Choice) -> str:
    """What an embedder's rate is kept under: it depends on all of its options, such as device and precision."""
    return " ".join([choice.name, *(f"{option}={value}" for option, value in choice.options)])


def _seconds(choice: Choice, work: Embedding) -> float | None:
    rate = recall(work.embedder.folder, name_of(choice))
    return work.missing_tokens / rate if rate else None


def _usd(work: Embedding, cells: Sequence[Settings]) -> float | None:
    prices = {cell.prices.embedding for cell in cells}
    price = prices.pop() if len(prices) == 1 else None
    return None if price is None else work.missing_tokens * price / 1e6


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
