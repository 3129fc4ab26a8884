"""An embeddings server on loopback that can be told to misbehave; its vectors are those of the `test` embedder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from chunksweep.embedders.test import WordInitials


@dataclass(frozen=True)
class Answer:
    """What the server sends: JSON, or text as it stands."""

    payload: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def items(texts: list[str]) -> list[dict[str, Any]]:
    """One vector a text, as OpenAI's API has it."""
    vectors = WordInitials().embed(texts, "passage").tolist()
    return [{"object": "embedding", "index": row, "embedding": vector} for row, vector in enumerate(vectors)]


def sound(texts: list[str]) -> Answer:
    """The right answer."""
    return answer_with(items(texts))


def answer_with(data: list[dict[str, Any]]) -> Answer:
    """An answer with these items."""
    return Answer(
        {"object": "list", "data": data, "model": "initials", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    )


def refusal(status: int, message: str = "as it was told", code: str | None = None, **headers: str) -> Answer:
    """An error as OpenAI's API has it; `retry_after` stands for Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": "error", "code": code}}, status, named)


@dataclass
class FaultyServer:
    """Answers by `behaviour`: (the texts, how many requests came before this one) -> Answer.

    requests  bodies in the order they came
    keys      the Authorization header of each
    """

    behaviour: Callable[[list[str], int], Answer]
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    @property
    def texts(self) -> list[str]:
        """All texts that were sent, in the order they came."""
        return [text for body in self.requests for text in body["input"]]

    def received(self, body: dict[str, Any], key: str | None) -> Answer:
        with self.lock:
            number = len(self.requests)
            self.requests.append(body)
            self.keys.append(key)
        return self.behaviour(body["input"], number)


@contextmanager
def serving(behaviour: Callable[[list[str], int], Answer] = lambda texts, _: sound(texts)) -> Iterator[FaultyServer]:
    """A server on a free port of loopback, as long as the context lasts."""
    server = FaultyServer(behaviour)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            given = server.received(body, self.headers.get("authorization"))
            payload = given.payload if isinstance(given.payload, str) else json.dumps(given.payload)
            data = payload.encode()
            try:
                self.send_response(given.status)
                for name, value in {"content-type": "application/json", **given.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the client did not wait

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

    http = Quiet(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.base_url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
