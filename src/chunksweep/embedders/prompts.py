"""Prompts: what a model was trained to read before a question and before a passage.

Forgotten, they cost quality without a sign; so a model of a family that needs them runs only once they are known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunksweep.errors import EmbeddingError

# As sentence-transformers looks them up for queries and for documents.
DECLARED_AS = {"question": ("query",), "passage": ("document", "passage", "corpus")}


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is put before texts of each role, as it stands, a blank at its end included."""

    question: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Models that were trained with prompts, recognised by their names; the prompts are those of their model cards."""

    name: str
    pattern: str
    prompts: Prompts


SEARCH = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
FAMILIES = (
    Family("e5 instruct", r"\be5-[\w-]*instruct", Prompts(INSTRUCT)),
    Family("e5", r"\be5-(small|base|large)", Prompts("query: ", "passage: ")),
    Family("bge (English)", r"\bbge-(small|base|large)-en", Prompts(SEARCH)),
    Family("bge (Chinese)", r"\bbge-(small|base|large)-zh", Prompts("为这个句子生成表示以用于检索相关文章：")),
    Family("nomic-embed-text", r"\bnomic-embed-text", Prompts("search_query: ", "search_document: ")),
    Family("mxbai-embed", r"\bmxbai-embed", Prompts(SEARCH)),
    Family("snowflake-arctic-embed", r"\bsnowflake-arctic-embed", Prompts(SEARCH)),
)


def prompts_of(
    model: str, declared: Mapping[str, str], names: Sequence[str], question: str | None, passage: str | None
) -> Prompts:
    """The prompts that a model is run with: those given, else those that it declares.

    model     as it was configured
    declared  name -> prompt, none of them empty
    names     what the model may be known by, beside `model`
    question, passage  as given; "" for none, None for what the model declares

    Raises EmbeddingError where the model was trained with a prompt and which is not known.
    """
    known = {
        role: given if given is not None else next((declared[name] for name in names_of if name in declared), None)
        for (role, names_of), given in zip(DECLARED_AS.items(), (question, passage), strict=True)
    }
    if declared and set(known.values()) == {None}:
        raise EmbeddingError(
            f"embedder.model={model} declares the prompts {', '.join(declared)}, none of them for queries or "
            "documents. Give embedder.query_prompt and embedder.passage_prompt; '' stands for none."
        )
    family = next((family for family in FAMILIES if any(_is_of(family, name) for name in (model, *names))), None)
    if family is not None and any(prompt is None and getattr(family.prompts, role) for role, prompt in known.items()):
        usual = [json.dumps(prompt, ensure_ascii=False) for prompt in (family.prompts.question, family.prompts.passage)]
        raise EmbeddingError(
            f"embedder.model={model} does not declare the prompts that models such as {family.name} are trained with. "
            f"Give embedder.query_prompt and embedder.passage_prompt, for such a model {usual[0]} and {usual[1]}; "
            "'' stands for none."
        )
    return Prompts(known["question"] or "", known["passage"] or "")


def _is_of(family: Family, name: str) -> bool:
    return re.search(family.pattern, name.lower().replace("_", "-")) is not None
