"""From a composed configuration to checked, canonical settings.

Hydra checks which keys exist; here options, types and values are checked, in one place and with one line an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from chunksweep import chunkers, embedders, retrieval
from chunksweep.chunkers import custom
from chunksweep.chunkers.base import Sizing, VectorChunker
from chunksweep.embedders.base import ContextEmbedder
from chunksweep.errors import ConfigError
from chunksweep.measures.budget import BUDGETS
from chunksweep.paths import CORPORA, group_options
from chunksweep.prefix import TEMPLATE
from chunksweep.settings import (
    NO_EMBEDDER,
    OWN_TOKENIZER,
    CacheSettings,
    Choice,
    CorpusSettings,
    PrefixSettings,
    Prices,
    Settings,
    TokenizerSettings,
    TrackingSettings,
    VerdictSettings,
    plain,
)
from chunksweep.template import EXAMPLE, Template

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ALWAYS_MEASURED = (1, 3)
CLUSTERS = ("auto", "document", "question")
# Metrics in [0, 1] that every question has, and those that there are for each cut-off.
COMPARED = (
    "retrieval/answerable",
    *(f"retrieval/answerable_in_{budget}_tokens" for budget in BUDGETS),
    "retrieval/ceiling",
    "retrieval/mrr",
    "spans/precision_omega",
)
COMPARED_AT = (
    "retrieval/answerable",
    "retrieval/hit",
    "retrieval/recall",
    "retrieval/ndcg",
    "spans/recall",
    "spans/precision",
    "spans/iou",
)
RULER = ("unit", "tokenizer")
Kind = TypeVar("Kind", bound="DataclassInstance")


class ImpossibleCellError(ConfigError):
    """A combination that cannot exist: refused as a run, dropped and counted in a grid."""


def from_config(config: DictConfig | Mapping[str, Any]) -> Settings:
    """The checked, canonical settings of a composed configuration, or of the same as plain nested data.

    Raises ConfigError for a key, option or value that cannot be, ImpossibleCellError where only the combination cannot.
    """
    if not isinstance(config, DictConfig):
        return from_tree(config)
    try:
        tree = cast(dict[str, Any], OmegaConf.to_container(config, resolve=True, throw_on_missing=True))
    except OmegaConfBaseException as error:
        raise ConfigError(" ".join(str(error).split())) from error
    return from_tree(tree)


def from_tree(tree: Mapping[str, Any]) -> Settings:
    """As `from_config`, from plain nested data."""
    tree = {key: value for key, value in tree.items() if key != "hydra"}
    known = {item.name for item in fields(Settings)} - {"asked_overlap"}
    for key in tree:
        if key not in known:
            raise ConfigError(f"{key} is not a key of the configuration. Known: {', '.join(sorted(known))}.")
    chunker = _chunker(tree)
    asked = 0 if tree.get("overlap") is None else tree["overlap"]  # null where the strategy of a past run ignored it
    size, overlap = _size_and_overlap(chunker, tree.get("size"), asked)
    send, send_tokens = tree.get("send", 3), tree.get("send_tokens")
    if send is not None or send_tokens is None:
        send = _at_least_one("send", send)
    embedder, prefix = _embedder(tree), _prefix(tree)
    _require_context(embedder, prefix, chunker)
    cell = Settings(
        corpus=corpus_of(tree),
        chunker=_without_ruler(chunker) if size is None else chunker,
        size=size,
        overlap=overlap,
        asked_overlap=None if overlap is None else _number(asked),
        prefix=prefix,
        embedder=embedder,
        retriever=_choice(tree, "retriever", retrieval.find),
        send=send if send_tokens is None else None,
        send_tokens=None if send_tokens is None else _at_least_one("send_tokens", send_tokens),
        context_window=_at_least_one("context_window", tree.get("context_window", 100_000)),
        k=_cut_offs(tree.get("k", [1, 3, 5, 10])),
        tokenizer=_tokenizer(tree),
        prices=_prices(tree),
        verdict=_verdict(tree),
        tracking=_typed(TrackingSettings, _keys_of(tree, "tracking", TrackingSettings), "tracking"),
        cache=_typed(CacheSettings, _keys_of(tree, "cache", CacheSettings), "cache"),
    )
    return _with_the_model_it_uses(cell)


def corpus_of(tree: Mapping[str, Any]) -> CorpusSettings:
    """The corpus of a configuration; nothing else of it is looked at, so no strategy that it names is imported."""
    node = _node(tree, "corpus")
    corpus = _typed(CorpusSettings, node | {key: tuple(_texts(node, key)) for key in ("include", "exclude")}, "corpus")
    bundled = corpus.name in bundled_corpora()
    if bundled and (corpus.path or corpus.questions):
        raise ConfigError(
            f"corpus={corpus.name} brings its own documents and questions, so corpus.path and corpus.questions cannot "
            "be given with it. Leave out one or the other."
        )
    if not bundled and not corpus.path:
        raise ConfigError(
            f"corpus={corpus.name} needs corpus.path=FOLDER_OR_FILE (and corpus.questions=FILE). "
            f"Bundled, without a path: {', '.join(bundled_corpora())}."
        )
    return replace(corpus, path=_absolute(corpus.path), questions=_absolute(corpus.questions))


def bundled_corpora() -> list[str]:
    """The corpora that ship with chunksweep."""
    return sorted(path.name for path in CORPORA.iterdir() if (path / "docs").is_dir())


def _prefix(tree: Mapping[str, Any]) -> PrefixSettings:
    prefix = _typed(PrefixSettings, _node(tree, "prefix"), "prefix")
    if prefix.name not in group_options("prefix"):
        raise ConfigError(f"prefix={prefix.name}: known are {', '.join(group_options('prefix'))}.")
    if prefix.name == TEMPLATE:
        if not prefix.template:
            raise ConfigError(f"prefix={TEMPLATE} needs prefix.template, such as {EXAMPLE}.")
        Template.of(prefix.template)
    elif prefix.template is not None:
        raise ConfigError(f"prefix.template goes with prefix={TEMPLATE} and with no other. Leave out one of them.")
    return PrefixSettings("none", None, None) if prefix.name == "none" else prefix


def _tokenizer(tree: Mapping[str, Any]) -> TokenizerSettings:
    tokenizer = _typed(TokenizerSettings, _node(tree, "tokenizer"), "tokenizer")
    if (tokenizer.name == OWN_TOKENIZER) != (tokenizer.path is not None):
        raise ConfigError(
            f"tokenizer={tokenizer.name} with tokenizer.path={tokenizer.path}: a path to a tokenizer.json goes with "
            "tokenizer=file and with no other."
        )
    if tokenizer.path and not Path(tokenizer.path).is_file():
        raise ConfigError(f"tokenizer.path={tokenizer.path}: no such file. Give a tokenizer.json of Hugging Face's.")
    return replace(tokenizer, path=_absolute(tokenizer.path))


def _prices(tree: Mapping[str, Any]) -> Prices:
    prices = _typed(Prices, _keys_of(tree, "prices", Prices), "prices")
    for key, value in plain(prices).items():
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise ConfigError(f"prices.{key}={value}: US dollars per million tokens, at least 0, or null.")
    return prices


def _verdict(tree: Mapping[str, Any]) -> VerdictSettings:
    verdict = _typed(VerdictSettings, _keys_of(tree, "verdict", VerdictSettings), "verdict")
    cut_offs = _cut_offs(tree.get("k", [1, 3, 5, 10]))
    if verdict.metric not in {*COMPARED, *(f"{measure}_at_{k}" for measure in COMPARED_AT for k in cut_offs)}:
        raise ConfigError(
            f"verdict.metric={verdict.metric}: one of {', '.join(COMPARED)} is needed, or one of "
            f"{', '.join(COMPARED_AT)} with a cut-off of k={list(cut_offs)}, such as retrieval/recall_at_3."
        )
    if verdict.cluster not in CLUSTERS:
        raise ConfigError(f"verdict.cluster={verdict.cluster}: one of {', '.join(CLUSTERS)} is needed.")
    for key, low, high in (("margin", 0, 1), ("alpha", 0, 0.5)):
        value = getattr(verdict, key)
        if not low < value < high:
            raise ConfigError(f"verdict.{key}={value}: a number above {low} and below {high} is needed.")
    if not 0 <= verdict.holdout <= 0.5:
        raise ConfigError(f"verdict.holdout={verdict.holdout}: a share of the clusters from 0 to 0.5 is needed.")
    if verdict.seed < 0:
        raise ConfigError(f"verdict.seed={verdict.seed}: a whole number of at least 0 is needed.")
    for word in (verdict.baseline or "").split():
        if not all(word.partition("=")):
            raise ConfigError(
                f"verdict.baseline={verdict.baseline}: name a cell of the grid by its keys, such as "
                "'verdict.baseline=\"chunker=fixed size=400\"'."
            )
    return verdict


def _embedder(tree: Mapping[str, Any]) -> Choice:
    node = _node(tree, "embedder")
    return NO_EMBEDDER if node == {"name": NO_EMBEDDER.name} else _choice(tree, "embedder", embedders.find)


def _require_context(embedder: Choice, prefix: PrefixSettings, chunker: Choice) -> None:
    """Raises ImpossibleCellError where chunks are read in their document, and something else would have to be read."""
    if embedder == NO_EMBEDDER or not issubclass(embedders.find(embedder.name), ContextEmbedder):
        return
    if prefix.name != "none":
        raise ImpossibleCellError(
            f"prefix={prefix.name} with embedder={embedder.name}, which reads chunks in their document, where nothing "
            "stands before them. Give prefix=none."
        )
    if chunker.name != custom.NAME and _may_cut_by_vectors(chunker.name):
        raise ImpossibleCellError(
            f"chunker={chunker.name} with embedder={embedder.name}, which reads chunks in their document: the "
            "sentences to cut by are none yet. Choose another embedder or chunker."
        )


def _with_the_model_it_uses(cell: Settings) -> Settings:
    """The cell without its embedder where nothing of it needs one: it would be ignored."""
    sizes_by = cell.size_tokenizer
    uses = {
        f"retriever={cell.retriever.name} ranks by vectors": retrieval.find(cell.retriever.name).by_vectors,
        f"chunker={cell.chunker.name} cuts by vectors": _may_cut_by_vectors(cell.chunker.name),
        "tokens are counted as the model does": "embedder" in (cell.tokenizer.name, sizes_by and sizes_by.name),
    }
    user = next((use for use, is_so in uses.items() if is_so), None)
    if user is None:
        return replace(cell, embedder=NO_EMBEDDER)
    if cell.embedder == NO_EMBEDDER:
        raise ConfigError(
            f"embedder=none, but {user}. Choose embedder={' or '.join(embedders.known())}, or what needs none: "
            "retriever=bm25 with tokenizer=o200k."
        )
    return cell


def _may_cut_by_vectors(chunker: str) -> bool:
    """Whether a strategy may need vectors; the code of a user's own is not looked into here."""
    return chunker == custom.NAME or issubclass(chunkers.find(chunker), VectorChunker)


def _choice(tree: Mapping[str, Any], group: str, find: Callable[[str], type[Any]]) -> Choice:
    """The named member of a group with its options, their types and values checked by the member's own class."""
    node = _node(tree, group)
    name = str(node.pop("name", ""))
    return Choice(name, _options(find(name), node, group, name))


def _chunker(tree: Mapping[str, Any]) -> Choice:
    """As `_choice`; of a user's own class also where it is, with its path made absolute."""
    node = _node(tree, "chunker")
    if node["name"] != custom.NAME:
        return _choice(tree, "chunker", chunkers.find)
    name = str(node.pop("name"))
    where = {key: node.pop(key, None) for key in custom.WHERE}
    for key, value in where.items():
        if not isinstance(value, str):
            raise ConfigError(
                f"chunker={name} with chunker.{key}={value}: give chunker.path=FILE.py and chunker.class=NAME, the "
                "Python file and the class in it."
            )
    where["path"] = _absolute(where["path"])
    with custom.one_line(where["path"]):
        own = _options(chunkers.class_of(name, where), node, "chunker", name)
    return Choice(name, tuple(sorted((*own, *where.items()))))


def _options(
    member: type[DataclassInstance], node: Mapping[str, Any], group: str, name: str
) -> tuple[tuple[str, Any], ...]:
    """The options of a member of a group, sorted by name, checked by its class."""
    given = {item.name: item for item in fields(member) if item.name not in ("size", "overlap")}
    for option in node:
        if option not in given:
            allowed = ", ".join(f"{group}.{known}" for known in given) or "none"
            raise ConfigError(
                f"{group}.{option} is not an option of {group}={name}. Its options: {allowed}. Leave it out, or "
                f"choose another {group} that has it."
            )
    checked = _typed(member, node, group)
    return tuple(sorted((option, getattr(checked, option)) for option in given))


def _without_ruler(chunker: Choice) -> Choice:
    """The strategy without what measures a size, where there is none to measure: it would be ignored."""
    member = chunkers.class_of(chunker.name, dict(chunker.options))
    usual = {item.name: item.default for item in fields(member) if item.name in RULER}
    return replace(chunker, options=tuple((name, usual.get(name, value)) for name, value in chunker.options))


def _size_and_overlap(chunker: Choice, size: Any, overlap: Any) -> tuple[int | None, int | None]:
    """Size and overlap in units, None where the strategy ignores them."""
    if size is not None:
        size = _at_least_one("size", size)
    share = _number(overlap)
    if share < 0:
        raise ConfigError(f"overlap={overlap}: at least 0; below 1 a share of the size, from 1 a count.")
    if share >= 1 and share != int(share):
        raise ConfigError(f"overlap={overlap}: a share of the size below 1, or a whole number of units from 1.")
    # The size is given too: whether a strategy takes an overlap may depend on it.
    sizing = _sizing(chunker, size)
    if sizing is None:
        return None, None
    size = sizing.default if size is None else size
    if size is None or not sizing.overlap:
        return size, None
    # Through the decimal text: 0.29 of 100 is 29, though 0.29 * 100 is 28.999999999999996.
    units = int(share) if share >= 1 else int(Decimal(str(share)) * size)
    if units >= size:
        raise ImpossibleCellError(
            f"overlap={overlap} is not smaller than size={size} (chunker={chunker.name}, {sizing.unit}). Give a share "
            f"such as overlap=0.2, or fewer than {size} {sizing.unit}."
        )
    return size, units


def _sizing(chunker: Choice, size: int | None) -> Sizing | None:
    options = dict(chunker.options)
    strategy = chunkers.make(chunker.name, options, size)
    if chunker.name != custom.NAME:
        return strategy.sizing()
    with custom.one_line(options["path"]):
        return strategy.sizing()


def _number(value: Any) -> int | float:
    """A plain number; a whole one from 1, and 0, as int."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"overlap={value}: a number is needed: a share below 1 such as 0.2, or a count of units.")
    return int(value) if value == int(value) else value


def _at_least_one(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{key}={value}: a whole number of at least 1 is needed.")
    return value


def _cut_offs(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise ConfigError(f"k={value}: one list of cut-offs is needed, such as k=[1,3,5,10].")
    return tuple(sorted({*ALWAYS_MEASURED, *(_at_least_one("k", item) for item in value)}))


def _node(tree: Mapping[str, Any], group: str) -> dict[str, Any]:
    node = tree.get(group)
    if not isinstance(node, Mapping) or "name" not in node:
        raise ConfigError(f"{group}={node}: one of {', '.join(group_options(group))} is needed.")
    return dict(node)


def _keys_of(tree: Mapping[str, Any], key: str, kind: type[DataclassInstance]) -> Mapping[str, Any]:
    """The keys below `key`; none where it is missing."""
    node = tree.get(key, {})
    if not isinstance(node, Mapping):
        known = ", ".join(f"{key}.{item.name}" for item in fields(kind))
        raise ConfigError(f"{key}={node}: {key} holds keys and has no value of its own. Give {known}.")
    return node


def _texts(node: Mapping[str, Any], key: str) -> list[str]:
    value = node.get(key) or []
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise ConfigError(f"corpus.{key}={value}: globs on the path below the corpus are needed, such as ['*.md'].")
    return texts


def _typed(kind: type[Kind], node: Mapping[str, Any], group: str) -> Kind:
    """`kind(**node)`, with every value of the type that its field declares."""
    return cast(Kind, _checked(kind, group, _Node(repr(node), dict(node))))


@dataclass(frozen=True, slots=True)
class _Node:
    """Some keys with their values, compared as they are written: 1, 1.0 and true are three values here."""

    written: str
    values: dict[str, Any] = field(compare=False)


@lru_cache(maxsize=1_024)  # checking costs milliseconds, and most cells of a grid share most of their nodes
def _checked(kind: type[DataclassInstance], group: str, node: _Node) -> DataclassInstance:
    try:
        schema = OmegaConf.structured(kind)
        # Lists of texts are tuples in the frozen record; everything else is a scalar.
        merged = OmegaConf.merge(schema, node.values)
    except ConfigKeyError as error:
        allowed = ", ".join(f"{group}.{item.name}" for item in fields(kind) if item.name != "name")
        raise ConfigError(f"{group}.{error.key} is not a key of the configuration. Known: {allowed}.") from error
    except OmegaConfBaseException as error:
        given = node.values.get(str(error.key))
        raise ConfigError(f"{group}.{error.key}={given}: {str(error).splitlines()[0]}.") from error
    values = cast(dict[str, Any], OmegaConf.to_container(merged))
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def _absolute(path: str | None) -> str | None:
    return str(Path(path).expanduser().absolute()) if path else None
