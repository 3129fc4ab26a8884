"""Processes that embed with the same model take turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from chunksweep.errors import CacheError

# Many times what a block of texts takes. A process that was stopped with Ctrl-Z keeps its turn for longer than that.
PATIENCE_S = 600.0


@dataclass(slots=True)
class Turns:
    """Turns at a file: one process has one at a time; it ends with the process, however that ends.

    Whoever had a turn and wants another at once stands behind those that wait: a second lock is the door to the first,
    and is held while waiting. Without it a process that looks for its turn now and then would never find one.

    Whoever waited in vain for `patience` seconds, at the door or behind it, goes on without: two then compute the same,
    and neither stands still.
    """

    file: Path
    patience: float = PATIENCE_S

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits for a turn and ends it with the context. Raises CacheError where the file cannot be written."""
        lock, door = FileLock(self.file), FileLock(self.file.with_suffix(".next"))
        try:
            with door.acquire(timeout=self.patience):
                lock.acquire(timeout=self.patience)
        except Timeout:
            self.patience = 0.0
        except OSError as error:
            raise CacheError(
                f"{self.file} cannot be written: {error.strerror}. "
                "Make room or allow writing there, or give another folder with cache.dir=FOLDER."
            ) from error
        try:
            yield
        finally:
            lock.release()
