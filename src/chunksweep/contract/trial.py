"""A trial of one strategy: documents made at random, the bundled ones and the user's, at many sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from chunksweep import stages
from chunksweep.chunkers import make
from chunksweep.chunkers.base import Chunker
from chunksweep.contract.fresh import Case, cut_afresh
from chunksweep.contract.promises import Breach, cut
from chunksweep.contract.texts import generated
from chunksweep.errors import ChunkingError, ConfigError
from chunksweep.records import Document, Span
from chunksweep.rules import bundled_corpora
from chunksweep.settings import CorpusSettings, Settings
from chunksweep.tokens import Tokenizer

GENERATED = 300
# Documents that are cut again in a fresh process.
AFRESH = 40
SMALL, LARGE = 12, 90

Item = TypeVar("Item")
Done = tuple[Chunker, Document, list[Span] | None]


@dataclass(slots=True)
class Broken:
    """A promise that was not kept: how often, and the first time in words."""

    first: str
    times: int = 0


@dataclass(slots=True)
class Trial:
    """What became of a trial.

    documents  how many were cut
    cuts       how often, all together
    broken     promise, a key of PROMISES -> how it was broken
    exempt     promise -> why the strategy does not keep it, as it says itself
    """

    documents: int = 0
    cuts: int = 0
    broken: dict[str, Broken] = field(default_factory=dict)
    exempt: Mapping[str, str] = field(default_factory=dict)

    def add(self, breaches: Sequence[Breach], where: str) -> None:
        """Counts the promises that one cut broke."""
        for promise in dict.fromkeys(breach.promise for breach in breaches):
            what = next(breach.what for breach in breaches if breach.promise == promise)
            self.broken.setdefault(promise, Broken(f"{where}: {what}")).times += 1


def try_out(settings: Settings, documents: Sequence[Document], advance: Callable[[int], None]) -> Trial:
    """Tries the strategy of a configuration with its options, at its size and overlap and at others.

    advance  called with the number of documents done since it was called last

    Raises ChunksweepError for a tokenizer that cannot be used.
    """
    trial = Trial(len(documents), exempt=_chunker(settings, settings.size, settings.overlap or 0).exempt)
    tokenizer = stages.tokenizer_of(settings.size_tokenizer or settings.tokenizer, settings.embedder)
    random = Random(0)  # noqa: S311 - need not be secret
    before: Done | None = None
    afresh: list[tuple[Case, list[Span]]] = []
    for document in documents:
        for size, overlap in _sizes(settings, random):
            where = _where(document, size, overlap)
            chunker = _chunker(settings, size, overlap)
            spans, breaches = cut(chunker, document, tokenizer)
            trial.cuts += 1
            trial.add(breaches, where)
            if spans is not None:
                afresh.append((_case(settings, document, size, overlap), spans))
        if before is not None:
            _try_again(trial, before, tokenizer)
        before = chunker, document, spans
        advance(1)
    _try_afresh(trial, _spread(afresh, AFRESH))
    return trial


def documents_for(corpus: CorpusSettings) -> list[Document]:
    """The documents of the corpus that was asked for, those of all bundled ones, and GENERATED made at random.

    Raises CorpusError where the corpus cannot be read.
    """
    wanted = dict.fromkeys([corpus, *(CorpusSettings(name) for name in bundled_corpora())])
    return [document for one in wanted for document in stages.read_documents(one).documents] + generated(GENERATED)


def _sizes(settings: Settings, random: Random) -> Iterator[tuple[int | None, int]]:
    """Size and overlap as configured, then two that are drawn, small ones more often, where the strategy takes them."""
    yield settings.size, settings.overlap or 0
    for most in (SMALL, LARGE):
        size = random.randint(1, most)
        drawn = size, random.randrange(size)
        if _possible(settings, *drawn):
            yield drawn


def _possible(settings: Settings, size: int, overlap: int) -> bool:
    try:
        return _chunker(settings, size, overlap).sizing() is not None
    except ConfigError:
        return False


def _chunker(settings: Settings, size: int | None, overlap: int) -> Chunker:
    return make(settings.chunker.name, dict(settings.chunker.options), size, overlap)


def _case(settings: Settings, document: Document, size: int | None, overlap: int) -> Case:
    tokenizer = settings.size_tokenizer or settings.tokenizer
    options = dict(settings.chunker.options)
    return Case(document, settings.chunker.name, options, size, overlap, tokenizer, settings.embedder)


def _try_again(trial: Trial, before: Done, tokenizer: Tokenizer) -> None:
    """Cuts a document once more, now that another has been cut since."""
    chunker, document, spans = before
    again, _ = cut(chunker, document, tokenizer)
    trial.add(_unlike("repetition", spans, again), _where(document, chunker.size, chunker.overlap))


def _try_afresh(trial: Trial, cases: Sequence[tuple[Case, list[Span]]]) -> None:
    try:
        there = cut_afresh([case for case, _ in cases])
    except ChunkingError as error:
        trial.add([Breach("process", str(error))], "all documents")
        return
    for (case, here), spans in zip(cases, there, strict=True):
        trial.add(_unlike("process", here, spans), _where(case.document, case.size, case.overlap))


def _unlike(promise: str, one: list[Span] | None, two: list[Span] | None) -> list[Breach]:
    if one == two:
        return []
    return [Breach(promise, f"{len(one or ())} chunks, then {len(two or ())}, which are not the same")]


def _where(document: Document, size: int | None, overlap: int) -> str:
    return f"{document.id}, size={'null' if size is None else size} overlap={overlap}"


def _spread(items: Sequence[Item], count: int) -> Sequence[Item]:
    """So many of the items, from first to last."""
    return items[:: max(1, -(-len(items) // count))]
