"""The stages of a cell as functions, and the keys that say what each depends on.

Two cells that agree in a key share that stage's result; this is all the planning a sweep needs.

    inputs    documents and questions
    chunking  the spans of every document
    texts     what is embedded for every chunk
    ranking   the best chunks of every question
    passages  what is handed on for a chunk, which depends on the chunking alone
    measures  what `send`, `k`, prices and what is sent make of a ranking
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import accumulate, chain, pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np

from chunksweep import chunkers, embedders, retrieval
from chunksweep.chunkers.base import Chunker, VectorChunker
from chunksweep.documents import load_corpus
from chunksweep.embedders.base import ContextEmbedder, Embedder
from chunksweep.embedders.cache import CachedEmbedder
from chunksweep.embedders.maker import Maker
from chunksweep.errors import ConfigError, CorpusError, QuestionsError
from chunksweep.paths import cache_folder
from chunksweep.prefix import embedded_text, prefix_for
from chunksweep.questions import Problem, load_questions
from chunksweep.records import Chunks, Corpus, Prefix, Question, Span, Vectors
from chunksweep.retrieval import Expansion, Retriever
from chunksweep.settings import NO_EMBEDDER, Choice, CorpusSettings, Settings, TokenizerSettings, file_sha256
from chunksweep.template import Template, require_known
from chunksweep.tokens import Tokenizer, load_tokenizer


@dataclass(frozen=True, slots=True)
class Inputs:
    """Documents and questions with the digests that name them in the record of a run.

    warnings  what is odd about documents, and what of the questions file is left out or counts once, a line each
    """

    corpus: Corpus
    questions: tuple[Question, ...]
    corpus_sha256: str
    questions_sha256: str
    warnings: tuple[str, ...] = ()


# Options of a retriever that say what is handed on for its hits and do not change their order.
HANDED_ON = frozenset({"dedupe", *(item.name for item in fields(Expansion))})


def chunking_key(settings: Settings) -> Hashable:
    """What the spans depend on."""
    sizes_by = settings.size_tokenizer
    by_model = (sizes_by and sizes_by.name == "embedder") or cuts_by_vectors(settings)
    model = settings.embedder if by_model else None
    return settings.corpus, settings.chunker, settings.size, settings.overlap, sizes_by, model


def reading_key(settings: Settings) -> Hashable:
    """What the parts depend on that a strategy compares by their vectors."""
    return settings.corpus, settings.chunker


def texts_key(settings: Settings) -> Hashable:
    """What the embedded texts depend on."""
    return chunking_key(settings), settings.prefix.name, settings.prefix.separator, settings.prefix.template


def ranking_key(settings: Settings) -> Hashable:
    """What the ranking depends on."""
    ranks_by = [option for option in settings.retriever.options if option[0] not in HANDED_ON]
    return texts_key(settings), settings.embedder, settings.retriever.name, tuple(ranks_by)


def read_inputs(settings: CorpusSettings) -> Inputs:
    """Loads documents and questions.

    Raises CorpusError, QuestionsError or ConfigError with the one line that says what is wrong with them.
    """
    corpus = read_documents(settings)
    questions_path = settings.questions_path
    if questions_path is None:
        raise QuestionsError(
            f"corpus.path={settings.path} comes without questions. Give corpus.questions=FILE with a question and its "
            "fact a line; `chunksweep chunks` alone works without."
        )
    warnings: list[Problem] = []
    questions = load_questions(questions_path, corpus, warnings.append)
    odd = [f"{document.id} {warning}" for document in corpus.documents for warning in document.warnings]
    return Inputs(
        corpus, questions, corpus_sha256(corpus), file_sha256(questions_path), (*odd, *(str(item) for item in warnings))
    )


def read_documents(settings: CorpusSettings) -> Corpus:
    """Loads the documents alone."""
    return load_corpus(
        settings.documents_path, settings.include, settings.exclude, settings.encoding, settings.questions_path
    )


def corpus_sha256(corpus: Corpus) -> str:
    """sha256 over the ids and digests of all documents."""
    return hashlib.sha256(json.dumps(corpus.digests, sort_keys=True).encode()).hexdigest()


def corpus_metrics(settings: Settings, corpus: Corpus) -> dict[str, float]:
    """`corpus/…`: what was read and what was not, and what sending all of it takes for a question."""
    count = tokenizer_of(settings.tokenizer, settings.embedder).count
    return {
        "corpus/unread": float(len(corpus.unread)),
        "corpus/chars": float(corpus.characters),
        "corpus/tokens": float(count([document.text for document in corpus.documents]).sum()),
    }


def embedder_of(choice: Choice) -> Embedder:
    """The embedder that a configuration names; its model is not loaded."""
    embedder: Embedder = embedders.find(choice.name)(**dict(choice.options))
    return embedder


def cached_embedder(settings: Settings) -> CachedEmbedder:
    """The embedder of a configuration, which remembers; its model is not loaded. Whole vectors are remembered."""
    options = dict(settings.embedder.options)
    components = options.get("dimension")
    if components is not None:
        options["dimension"] = None
    embedder = embedder_of(Choice(settings.embedder.name, tuple(options.items())))
    maker = Maker(settings.embedder.name, options, embedder.fingerprint)
    return CachedEmbedder(embedder, cache_folder(settings.cache.dir), maker.text, components)


def model_sha256(choice: Choice) -> str:
    """What names the weights of an embedder; "" where there is none."""
    return "" if choice == NO_EMBEDDER else embedder_of(choice).model_sha256


def retriever_of(settings: Settings) -> Retriever:
    """The retriever that a configuration names."""
    return retrieval.find(settings.retriever.name)(**dict(settings.retriever.options))


def expansion_of(settings: Settings) -> Expansion:
    """What a configuration hands on for a hit."""
    return _expansion(settings.retriever.options)


@cache  # asked for several times a cell, and parents are cut by a strategy that has to be found
def _expansion(options: tuple[tuple[str, Any], ...]) -> Expansion:
    return retrieval.expansion_of(dict(options))


def by_vectors(settings: Settings) -> bool:
    """Whether the chunks have to be embedded to be ranked."""
    return retrieval.find(settings.retriever.name).by_vectors


def tokenizer_of(tokenizer: TokenizerSettings, embedder: Choice) -> Tokenizer:
    """The tokenizer that a configuration names; `embedder` is that of the model.

    Raises ConfigError where the model has none.
    """
    if tokenizer.name != "embedder":
        return load_tokenizer(tokenizer.name, Path(tokenizer.path) if tokenizer.path else None)
    path: Path | None = getattr(embedder_of(embedder), "tokenizer_path", None)
    if path is None:
        raise ConfigError(f"embedder={embedder.name} has no tokenizer of its own: choose tokenizer=o200k or cl100k.")
    return load_tokenizer("file", path)


def cuts_by_vectors(settings: Settings) -> bool:
    """Whether the strategy needs the vectors of parts of the documents before it can cut."""
    return issubclass(chunkers.class_of(settings.chunker.name, dict(settings.chunker.options)), VectorChunker)


def strategy_of(settings: Settings) -> Chunker:
    """The strategy that a configuration names, with its options, size and overlap."""
    options = dict(settings.chunker.options)
    return chunkers.make(settings.chunker.name, options, settings.size, settings.overlap or 0)


def parts(settings: Settings, corpus: Corpus) -> list[list[str]]:
    """What the strategy reads of each document, in order; nothing where it does not cut by vectors."""
    strategy = strategy_of(settings)
    if not isinstance(strategy, VectorChunker):
        return [[] for _ in corpus.documents]
    return [strategy.reads(document) for document in corpus.documents]


def part_vectors(settings: Settings, corpus: Corpus) -> list[Vectors] | None:
    """The vectors of what the strategy reads of each document, from the cache or embedded here; None if it reads none.

    Raises CacheError or EmbeddingError where they cannot be had.
    """
    if not cuts_by_vectors(settings):
        return None
    of_documents = parts(settings, corpus)
    vectors = cached_embedder(settings).embed(list(chain.from_iterable(of_documents)), "passage")
    ends = list(accumulate(map(len, of_documents), initial=0))
    return [vectors[start:end] for start, end in pairwise(ends)]


def split(settings: Settings, corpus: Corpus, vectors: Sequence[Vectors] | None = None) -> Chunks:
    """The chunks of every document in order.

    vectors  of what the strategy reads of each document; needed where it cuts by them
    """
    strategy = strategy_of(settings)
    sizes_by = settings.size_tokenizer
    tokenizer = tokenizer_of(sizes_by, settings.embedder) if sizes_by else None
    cuts = [
        chunkers.cut_document(strategy, document, tokenizer, of_document)
        for document, of_document in zip(corpus.documents, vectors or repeat(None), strict=False)
    ]
    spans = [(index, span) for index, of_document in enumerate(cuts) for span in of_document.spans]
    if not spans:
        raise CorpusError(
            f"chunker={settings.chunker.name} leaves no chunk of {len(corpus.documents)} documents. "
            "Choose another chunker, or documents with text below their headings."
        )
    document, start, end = np.array([(index, span.start, span.end) for index, span in spans], dtype=np.int64).T
    added = tuple(strategy.added(corpus.documents[index], span) for index, span in spans)
    counts: Counter[str] = Counter()
    for of_document in cuts:
        counts.update(of_document.counts)
    return Chunks(document, start, end, added if any(added) else (), dict(counts))


def prefixes(settings: Settings, corpus: Corpus, chunks: Chunks) -> tuple[Prefix | None, ...]:
    """What is put before each chunk.

    Raises ConfigError where a template names a field that no document has.
    """
    name, template = settings.prefix.name, settings.prefix.template
    if template is not None:
        require_known(Template.of(template), corpus.documents)
    return tuple(prefix_for(name, corpus.documents[document], span, template) for document, span in chunks.rows())


def embedded_texts(settings: Settings, corpus: Corpus, chunks: Chunks, before: Sequence[Prefix | None]) -> list[str]:
    """What is embedded for each chunk."""
    separator = settings.prefix.separator or ""
    return [embedded_text(prefix, separator, text) for prefix, text in zip(before, chunks.texts(corpus), strict=True)]


def texts_to_embed(settings: Settings, corpus: Corpus, chunks: Chunks, before: Sequence[Prefix | None]) -> list[str]:
    """What the embedder is given for each chunk: what is embedded, or the chunk in its context.

    Raises ConfigError where a strategy puts words before its chunks that stand in no context.
    """
    embedder = embedder_of(settings.embedder)
    if not isinstance(embedder, ContextEmbedder):
        return embedded_texts(settings, corpus, chunks, before)
    if chunks.added:
        raise ConfigError(
            f"chunker={settings.chunker.name} puts words before its chunks that stand elsewhere in the document, and "
            f"embedder={settings.embedder.name} reads the document as it stands. Choose another of one of them."
        )
    spans: dict[int, list[Span]] = {}
    for document, span in chunks.rows():
        spans.setdefault(document, []).append(span)
    return [
        text
        for document, of_document in spans.items()
        for text in embedder.in_context(corpus.documents[document].text, of_document)
    ]
