"""A model behind an address that speaks OpenAI's embeddings API, by OpenAI's own client: nothing else here goes out."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from chunksweep.embedders.base import Reading, Role
from chunksweep.embedders.prompts import Prompts, prompts_of
from chunksweep.embedders.vectors import quoted, require_usable, shortened
from chunksweep.errors import ConfigError, EmbeddingError, EndpointError
from chunksweep.records import IntArray, Vectors
from chunksweep.tokens import Tokenizer, load_tokenizer

if TYPE_CHECKING:
    import openai

OPENAI_HOST = "api.openai.com"
OPENAI_KEY = "OPENAI_API_KEY"
# Some clients and servers refuse an empty key, and those that need none read none.
NO_KEY = "none"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
TRANSIENT = (408, 409, 429)
# What a server's own words in an error are cut at.
WORDS_SHOWN = 300
LITTLE_ENDIAN = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model that a server runs.

    base_url   where the API begins, most often ending in /v1
    model      as the server calls it
    api_key_env  the NAME of the environment variable with the key, which is in no record, message or file; None:
               OPENAI_API_KEY for OpenAI's own address, and no key for any other
    query_prompt, passage_prompt  what is put before questions and passages, as it stands; "" or None: nothing, except
               that None is refused for a model of a family that is trained with prompts
    dimension  so many components of each vector, scaled to length 1 again; None: all
    max_seq_length  tokens that the model reads of a text; None: unknown, so that nothing counts as truncated
    tokenizer  what counts tokens, for batches and costs: o200k, cl100k or a path to a tokenizer.json
    batch_size, batch_tokens  most texts, and most tokens, of a request; a text that alone has more is one of its own
    concurrency  most requests under way at once
    timeout_s  how long an answer may take
    retries    how often a request is repeated that the server was too busy for or failed at (429, 5xx, no answer), each
               time after as long as the server asks for, or 1, 2, 4, … seconds

    What the weights are cannot be known here: vectors are kept under address and name. Vectors have length 1.
    """

    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    query_prompt: str | None = None
    passage_prompt: str | None = None
    dimension: int | None = None
    max_seq_length: int | None = None
    tokenizer: str = "cl100k"
    batch_size: int = 32
    batch_tokens: int = 100_000
    concurrency: int = 4
    timeout_s: float = 60.0
    retries: int = 6

    def __post_init__(self) -> None:
        if not self.base_url or not self.model:
            raise ConfigError(
                "embedder=openai needs embedder.base_url and embedder.model, such as "
                "embedder.base_url=http://localhost:11434/v1 embedder.model=nomic-embed-text."
            )
        _require_address(self.base_url)
        if self.api_key_env is not None and not VARIABLE.fullmatch(self.api_key_env):
            # What was given may be a key, so it is not repeated.
            raise ConfigError(
                "embedder.api_key_env is no name of an environment variable. Put the key into a variable, and give "
                "its name here, such as embedder.api_key_env=MY_KEY."
            )
        for key, least in (("batch_size", 1), ("batch_tokens", 1), ("concurrency", 1), ("retries", 0)):
            _require_at_least(key, getattr(self, key), least)
        for key in ("dimension", "max_seq_length"):
            _require_at_least(key, getattr(self, key), 1)
        if not 0 < self.timeout_s < float("inf"):
            raise ConfigError(f"embedder.timeout_s={self.timeout_s}: a number of seconds above 0 is needed.")
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        if self.tokenizer.endswith(".json"):
            object.__setattr__(self, "tokenizer", str(Path(self.tokenizer).expanduser().absolute()))

    @property
    def address(self) -> str:
        """Where texts are sent."""
        return str(self.base_url)

    @property
    def fingerprint(self) -> str:
        """Address, name, prompts and dimension; the server may exchange the weights behind them unseen."""
        prompts = self._prompts
        return (
            f"openai:{self.base_url}:{self.model}:normalised:"
            f"prompts={[prompts.question, prompts.passage]}:dimension={self.dimension}"
        )

    @property
    def model_sha256(self) -> str:
        """sha256 of address and name, which stand for the weights."""
        return hashlib.sha256(f"{self.base_url} {self.model}".encode()).hexdigest()

    @property
    def window(self) -> int | None:
        """As `max_seq_length`."""
        return self.max_seq_length

    def count_tokens(self, texts: Sequence[str], role: Role = "passage") -> IntArray:
        """Tokens of each text after its prompt, by `tokenizer`, without special tokens; int64 (n,)."""
        return self._tokenizer.count(self._sent(texts, role))

    def read(self, texts: Sequence[str], role: Role = "passage") -> Reading:
        """All of each text after its prompt: where the server stops reading is not known."""
        return Reading(self.count_tokens(texts, role), self._sent(texts, role))

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, float32 (n, dimension).

        Raises EndpointError where the server cannot be reached, or answers with anything but a usable vector a text.
        """
        if not texts:
            return np.empty((0, self.dimension or 0), dtype=np.float32)
        vectors: dict[int, Vectors] = {}
        for rows, of_batch in self.embed_batches(texts, role):
            vectors |= zip(rows, of_batch, strict=True)
            if progress is not None:
                progress(len(rows))
        return np.stack([vectors[row] for row in range(len(texts))])

    def embed_batches(self, texts: Sequence[str], role: Role) -> Iterator[tuple[Sequence[int], Vectors]]:
        """The rows of a batch of texts and their vectors, float32 (batch, dimension), as each batch is answered.

        Raises EndpointError as `embed`, after all batches that were answered.
        """
        sent = self._sent(texts, role)
        batches = batches_of(self._tokenizer.count(sent), self.batch_size, self.batch_tokens)
        stop = Event()
        dimension: int | None = None
        changed: EndpointError | None = None
        with _client(self) as client:
            for rows, of_batch in _in_flight(
                lambda rows: self._ask(client, [sent[row] for row in rows], stop), batches, self.concurrency, stop
            ):
                dimension = dimension or of_batch.shape[1]
                if of_batch.shape[1] != dimension:
                    changed = self._strange(f"vectors of dimension {of_batch.shape[1]} after those of {dimension}")
                    stop.set()
                elif self.dimension is None:
                    yield rows, of_batch
                else:
                    yield rows, shortened(of_batch, self.dimension, lambda row, rows=rows: quoted(texts[rows[row]]))  # type: ignore[misc]
        if changed is not None:
            raise changed

    def _ask(self, client: openai.OpenAI, texts: Sequence[str], stop: Event) -> Vectors:
        """The vectors of one request, however often it has to be made.

        stop  set when there is no more use in waiting
        """
        import openai  # noqa: PLC0415

        for attempt in range(self.retries + 1):
            try:
                answer = client.embeddings.with_raw_response.create(
                    model=str(self.model), input=list(texts), encoding_format="float"
                )
                return self._vectors(answer.text, texts)
            except openai.APIStatusError as error:
                reason, delay = self._refused(error), _asked_wait(error)
            except openai.APITimeoutError:
                reason, delay = f"gave no answer within embedder.timeout_s={self.timeout_s:g} seconds", None
            except openai.APIConnectionError as error:
                reason, delay = f"could not be reached ({error.__cause__ or error})", None
            delay = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S) if delay is None else delay
            if delay > LONGEST_WAIT_S:
                raise self._fault(f"{reason} and asks to wait {delay:,.0f} seconds", texts)
            if attempt == self.retries or stop.wait(delay):
                break
        raise self._fault(f"{reason}, {attempt + 1} times", texts)

    def _refused(self, error: openai.APIStatusError) -> str:
        """What a server said that may serve the same request later; raises EndpointError where that is of no use."""
        status = error.status_code
        if status in (401, 403):
            key = self._key_variable
            have = f"the key in {key}" if key and os.environ.get(key) else "a request without a key"
            raise EndpointError(
                f"{self.address} does not accept {have} ({status}). Put the key into an environment variable and give "
                "its name with embedder.api_key_env=NAME."
            )
        if status == 404:
            raise EndpointError(
                f"{self.address} knows no model {self.model}, or no embeddings ({status}: {self._words(error)}). See "
                "which models it serves, and whether embedder.base_url has to end in /v1."
            )
        lasting = status not in TRANSIENT and status < 500
        if lasting or error.code == "insufficient_quota":
            raise EndpointError(
                f"{self.address} refused a request ({status}: {self._words(error)}). See what it allows: "
                "embedder.batch_size and embedder.batch_tokens bound a request, and `size` a text."
            )
        return f"answered {status} ({self._words(error)})"

    def _fault(self, what: str, texts: Sequence[str]) -> EndpointError:
        return EndpointError(
            f"{self.address} {what}, for {len(texts)} texts that begin with {quoted(texts[0])}. What was answered is "
            "kept: run it again, with --resume, when the server can be reached."
        )

    def _words(self, error: openai.APIStatusError) -> str:
        """The server's own words, on one line, without the key if it should repeat it."""
        words = " ".join(error.message.split())
        key = os.environ.get(self._key_variable or "")
        return (words.replace(key, "…") if key else words)[:WORDS_SHOWN]

    def _vectors(self, answer: str, texts: Sequence[str]) -> Vectors:
        """The vectors of an answer in the order of the texts, scaled to length 1: float32 (texts, dimension)."""
        count = len(texts)
        try:
            data = json.loads(answer)["data"]
            places = [item.get("index") for item in data]
            vectors = [_vector(item["embedding"]) for item in data]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            beginning = " ".join(answer[:WORDS_SHOWN].split())
            raise self._strange(f"something that holds no vectors: {beginning}") from error
        if len(data) != count:
            raise self._strange(f"{len(data)} vectors for {count} texts")
        if set(places) == {None}:  # some servers leave the index out and keep the order
            places = list(range(count))
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            raise self._strange(f"vectors with the indices {', '.join(map(str, places[:20]))} for {count} texts")
        dimensions = sorted({len(vector) for vector in vectors})
        if len(dimensions) > 1:
            raise self._strange(f"vectors of dimension {dimensions[0]} and of {dimensions[1]} in one answer")
        ordered = np.stack([vectors[row] for row in np.argsort(places)])
        try:
            require_usable(ordered, None, lambda row: quoted(texts[row]))
        except EmbeddingError as error:
            raise EndpointError(f"{self.address}: {error}") from error
        units: Vectors = (ordered / np.linalg.norm(ordered, axis=1, keepdims=True)).astype(np.float32)
        return units

    def _strange(self, what: str) -> EndpointError:
        return EndpointError(
            f"{self.address} answered {what}. Nothing of that is kept. See whether it serves {self.model} as OpenAI's "
            "embeddings API has it."
        )

    def _sent(self, texts: Sequence[str], role: Role) -> list[str]:
        prompts = self._prompts
        prompt = prompts.question if role == "question" else prompts.passage
        return [prompt + text for text in texts]

    @property
    def _prompts(self) -> Prompts:
        return prompts_of(str(self.model), {}, (), self.query_prompt, self.passage_prompt)

    @property
    def _tokenizer(self) -> Tokenizer:
        is_file = self.tokenizer.endswith(".json")
        return load_tokenizer("file", Path(self.tokenizer)) if is_file else load_tokenizer(self.tokenizer)

    @property
    def _key_variable(self) -> str | None:
        if self.api_key_env is not None:
            return self.api_key_env
        return OPENAI_KEY if urlsplit(self.address).hostname == OPENAI_HOST else None


def batches_of(tokens: IntArray, texts_at_most: int, tokens_at_most: int) -> list[list[int]]:
    """Rows in order, in batches that keep both bounds; a text that alone has more tokens is a batch of its own.

    tokens  int64 (n,)
    """
    batches: list[list[int]] = []
    room = 0
    for row, needed in enumerate(tokens.tolist()):
        if not batches or len(batches[-1]) == texts_at_most or needed > room:
            batches.append([])
            room = tokens_at_most
        batches[-1].append(row)
        room -= needed
    return batches


def _in_flight(
    ask: Callable[[Sequence[int]], Vectors], batches: Sequence[Sequence[int]], at_most: int, stop: Event
) -> Iterator[tuple[Sequence[int], Vectors]]:
    """Every batch with its answer as it comes, `at_most` under way at once.

    stop  once it is set nothing more is asked; so it is after an error, which is raised when all that was under way
          has come
    """
    left = iter(batches)
    under_way: dict[Future[Vectors], Sequence[int]] = {}
    failure: EmbeddingError | None = None
    with ThreadPoolExecutor(at_most) as pool:
        try:
            while True:
                while not stop.is_set() and len(under_way) < at_most and (rows := next(left, None)) is not None:
                    under_way[pool.submit(ask, rows)] = rows
                if not under_way:
                    break
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    rows = under_way.pop(done)
                    try:
                        vectors = done.result()
                    except EmbeddingError as error:
                        failure = failure or error
                        stop.set()
                    else:
                        yield rows, vectors
        finally:
            stop.set()  # whoever waits to ask again need not
    if failure is not None:
        raise failure


def _client(endpoint: Endpoint) -> openai.OpenAI:
    try:
        import openai  # noqa: PLC0415 - an extra, and most of a second to import
    except ImportError as error:
        raise EmbeddingError("embedder=openai needs OpenAI's client: pip install 'chunksweep[openai]'.") from error
    variable = endpoint._key_variable
    key = os.environ.get(variable) if variable else NO_KEY
    if not key:
        raise EndpointError(
            f"embedder=openai finds no key in the environment variable {variable}. Set it, or name another with "
            "embedder.api_key_env=NAME."
        )
    return openai.OpenAI(base_url=endpoint.address, api_key=key, timeout=endpoint.timeout_s, max_retries=0)


def _vector(embedding: Any) -> Vectors:
    """A list of numbers, or base64 of little-endian float32, which some servers send whatever they are asked for."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), LITTLE_ENDIAN).astype(np.float32)
    vector = np.asarray(embedding, dtype=np.float32)
    if vector.ndim != 1:
        raise ValueError(f"{vector.ndim} axes where one is expected")
    return vector


def _asked_wait(error: openai.APIStatusError) -> float | None:
    """Seconds that the server asks to wait for in Retry-After, a number or a date; None where it does not."""
    value = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _require_address(base_url: str) -> None:
    """Raises ConfigError for what is no address; a key that may stand in it is not repeated."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("embedder.base_url: an address such as http://localhost:11434/v1 is needed.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "embedder.base_url holds a user, a password or a query, which would be kept in every record. Put the key "
            "into an environment variable and give its name with embedder.api_key_env=NAME."
        )


def _require_at_least(key: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise ConfigError(f"embedder.{key}={value}: a whole number of at least {least} is needed.")
