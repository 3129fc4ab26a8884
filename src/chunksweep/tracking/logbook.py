"""Runs on their way into a store, written by a thread of its own while the sweep goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from uuid import uuid4

from chunksweep.tracking.runs import CellRun

# Few, since each holds the artifacts of a cell; enough that writing many costs little more than writing one.
WAITING = 16


class Logbook:
    """Takes runs, and writes all that wait at once. When it is left as a context, every run that it took is written.

    write  writes runs, each with its id, in order; what it raises is raised by the next `add`, or on leaving
    """

    def __init__(self, write: Callable[[Sequence[tuple[str, CellRun]]], None]) -> None:
        self._write = write
        self._waiting: Queue[tuple[str, CellRun] | None] = Queue(WAITING)
        self._error: BaseException | None = None
        self._thread = Thread(target=self._write_all, daemon=True)

    def __enter__(self) -> Logbook:
        self._thread.start()
        return self

    def add(self, cell: CellRun) -> str:
        """The id that the run will have; waits while too many are to be written."""
        if self._error is not None:
            raise self._error
        run_id = uuid4().hex
        self._waiting.put((run_id, cell))
        return run_id

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._waiting.put(None)
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def _write_all(self) -> None:
        while (first := self._waiting.get()) is not None:
            runs, ended = [first], False
            while not ended:
                try:
                    following = self._waiting.get_nowait()
                except Empty:
                    break
                ended = following is None
                runs += [] if following is None else [following]
            try:
                if self._error is None:
                    self._write(runs)
            except BaseException as error:  # noqa: BLE001 - raised where the runs come from; what waits is let go
                self._error = error
            if ended:
                return
