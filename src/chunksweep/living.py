"""Which sweeps live: each holds a file of its own locked for as long as its process lives.

The operating system lets go of the lock when the process ends, however it ends, and of no other. A process id could
not tell: it is given again to another process, and means nothing in a container or on another machine that shares the
folder. A sweep whose file is not here, since it runs on another machine, is neither alive nor dead to us.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from chunksweep.errors import TrackingError

ENDING = ".lock"


@dataclass(frozen=True, slots=True)
class Living:
    """The sweeps of one tracking store that run on this machine, a file each in `folder`."""

    folder: Path

    @contextmanager
    def hold(self, sweep_id: str) -> Iterator[None]:
        """Says that the sweep lives, as long as the context lasts.

        Raises TrackingError where another process is running it, or the folder cannot be written.
        """
        lock = FileLock(self._file(sweep_id))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout as error:
            raise TrackingError(
                f"sweep {sweep_id} is still running in another process. Wait for its end, or stop it."
            ) from error
        except OSError as error:
            raise TrackingError(
                f"the folder {self.folder} cannot be written: {error.strerror}. "
                "Make room or allow writing there, or work in another folder."
            ) from error
        try:
            yield
        finally:
            self._file(sweep_id).unlink(missing_ok=True)
            lock.release()

    def dead(self) -> Iterator[str]:
        """The sweeps whose process ended without a word; each is forgotten when the next is asked for."""
        for file in sorted(self.folder.glob(f"*{ENDING}")):
            lock = FileLock(file)
            try:
                lock.acquire(timeout=0)
            except (Timeout, OSError):
                continue
            try:
                yield file.name.removesuffix(ENDING)
                file.unlink(missing_ok=True)
            finally:
                lock.release()

    def _file(self, sweep_id: str) -> Path:
        return self.folder / f"{sweep_id}{ENDING}"
