"""Documents, questions and sizes examined before anything is embedded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunksweep import stages
from chunksweep.errors import CorpusError
from chunksweep.questions import Asked, Problem, examine
from chunksweep.questions.review import in_several_places, review
from chunksweep.records import Chunks, Corpus, Unread
from chunksweep.report.labels import label, telling
from chunksweep.settings import CorpusSettings, Settings


@dataclass(frozen=True, slots=True)
class Check:
    """What was examined, and what is wrong with it.

    characters  of all documents together
    questions   that can be used
    ambiguous   questions some fact of which stands in several places, any of which will do
    problems    errors first
    """

    documents: int = 0
    characters: int = 0
    questions: int = 0
    ambiguous: int = 0
    unread: tuple[Unread, ...] = ()
    problems: tuple[Problem, ...] = ()

    def with_level(self, level: str) -> int:
        """How many problems are of the level "error" or "warning"."""
        return sum(problem.level == level for problem in self.problems)


def check(cells: Sequence[Settings]) -> Check:
    """Examines each corpus of the cells once, and how every cell splits it.

    What is wrong with documents and questions is in the result. Raises ConfigError or EmbeddingError for a tokenizer
    or a model that cannot be used.
    """
    corpora: dict[CorpusSettings, list[Settings]] = {}
    for cell in cells:
        corpora.setdefault(cell.corpus, []).append(cell)
    checks = [_check_corpus(corpus, sharing) for corpus, sharing in corpora.items()]
    if len(corpora) > 1:
        checks = [_named(corpus.name, checked) for corpus, checked in zip(corpora, checks, strict=True)]
    return _together(checks)


def _check_corpus(settings: CorpusSettings, cells: Sequence[Settings]) -> Check:
    try:
        corpus = stages.read_documents(settings)
    except CorpusError as error:
        problem = Problem("error", settings.name, str(error).removesuffix("."), "Nothing else could be examined.")
        return Check(problems=(problem,))
    asked, problems = _examine_questions(settings, corpus)
    return Check(
        documents=len(corpus.documents),
        characters=corpus.characters,
        questions=len(asked),
        ambiguous=in_several_places(asked),
        unread=corpus.unread,
        problems=(*_unread(corpus), *_odd(corpus), *problems, *_sizes(corpus, cells)),
    )


def _examine_questions(settings: CorpusSettings, corpus: Corpus) -> tuple[tuple[Asked, ...], list[Problem]]:
    path = settings.questions_path
    if path is None:
        missing = Problem(
            "error",
            "corpus.questions",
            f"corpus.path={settings.path} comes without questions",
            "Write a file to fill in with `chunksweep check --init FOLDER`, then give corpus.questions=FILE.",
        )
        return (), [missing]
    asked, problems = examine(path, corpus)
    return asked, [*problems, *review(asked, corpus, path.name)]


def _unread(corpus: Corpus) -> Iterator[Problem]:
    for file in corpus.unread:
        yield Problem(
            "warning", file.document, f"not read: it {file.reason}", "Mend or convert it, or name it in corpus.exclude."
        )


def _odd(corpus: Corpus) -> Iterator[Problem]:
    for document in corpus.documents:
        for warning in document.warnings:
            yield Problem("warning", document.id, f"it {warning}", "See whether the file is as it was meant.")


def _sizes(corpus: Corpus, cells: Sequence[Settings]) -> Iterator[Problem]:
    """What is wrong with how the cells split the corpus; cells with the same embedded texts are examined once.

    Those that cut by vectors are left out: nothing is embedded here.
    """
    keys = telling([cell.params() for cell in cells])
    distinct: dict[Hashable, Settings] = {}
    for cell in cells:
        if stages.cuts_by_vectors(cell):
            continue
        distinct.setdefault((stages.texts_key(cell), cell.embedder, stages.by_vectors(cell)), cell)
    for cell in distinct.values():
        name = label(cell.params(), keys)
        try:
            chunks = stages.split(cell, corpus)
        except CorpusError as error:
            yield Problem("error", name, str(error).removesuffix("."), "Without a chunk nothing is found.")
            continue
        yield from _uncut(chunks, cell, name)
        if stages.by_vectors(cell):
            yield from _truncated(corpus, chunks, cell, name)


def _uncut(chunks: Chunks, cell: Settings, name: str) -> Iterator[Problem]:
    """A warning where a strategy that takes a size cuts no document."""
    if cell.size is not None and len(np.unique(chunks.document)) == len(chunks):
        yield Problem(
            "warning",
            name,
            f"every document fits into one chunk, {len(chunks):,} in all",
            "Nothing is split, so the comparison of sizes says nothing. Give smaller sizes, or longer documents.",
        )


def _truncated(corpus: Corpus, chunks: Chunks, cell: Settings, name: str) -> Iterator[Problem]:
    embedder = stages.embedder_of(cell.embedder)
    window = embedder.window
    if window is None:
        return
    before = stages.prefixes(cell, corpus, chunks)
    tokens = embedder.count_tokens(stages.embedded_texts(cell, corpus, chunks, before))
    too_long = int(np.count_nonzero(tokens > window))
    if too_long:
        yield Problem(
            "warning",
            name,
            f"{too_long:,} of {len(chunks):,} chunks are longer than the {window} tokens that {cell.embedder.name} "
            f"reads, the longest has {int(tokens.max()):,}",
            "What lies beyond is not embedded, so it cannot be found. Give a smaller size, or another embedder.",
        )


def _named(corpus: str, checked: Check) -> Check:
    """The same with the corpus named in every problem."""
    problems = tuple(replace(problem, where=f"{corpus}: {problem.where}") for problem in checked.problems)
    return replace(checked, problems=problems)


def _together(checks: Sequence[Check]) -> Check:
    problems = [problem for checked in checks for problem in checked.problems]
    return Check(
        documents=sum(checked.documents for checked in checks),
        characters=sum(checked.characters for checked in checks),
        questions=sum(checked.questions for checked in checks),
        ambiguous=sum(checked.ambiguous for checked in checks),
        unread=tuple(file for checked in checks for file in checked.unread),
        problems=tuple(sorted(problems, key=lambda problem: problem.level != "error")),
    )
