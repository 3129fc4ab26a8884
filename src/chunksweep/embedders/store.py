"""One SQLite file of vectors, shared by any number of processes, that never gives back what was not put in."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np

from chunksweep.errors import CacheError
from chunksweep.records import Vectors

FILE = "embeddings.sqlite"
BUSY_SECONDS = 60.0
KEYS_PER_QUERY = 500
LITTLE_ENDIAN = np.dtype("<f4")
DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# maker: a row of makers; written: seconds since 1970. Both are NULL where an earlier version wrote.
TABLES = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum BLOB NOT NULL,"
    " maker INTEGER, written INTEGER)",
    "CREATE TABLE IF NOT EXISTS makers (id INTEGER PRIMARY KEY, maker TEXT NOT NULL UNIQUE)",
)
LAYOUT = 1
EARLIER_COLUMNS = ["key", "vector", "checksum"]

Result = TypeVar("Result")
logger = logging.getLogger("chunksweep")


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What a cache holds: vectors, and bytes on disk."""

    path: Path
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Holding:
    """The vectors of one maker.

    maker  as given to `put`; None where none was given
    bytes  of keys, vectors and checksums
    first_written, last_written  seconds since 1970; None where an earlier version wrote them
    """

    maker: str | None
    vectors: int
    bytes: int
    first_written: int | None
    last_written: int | None


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Keys of 32 bytes and their vectors in `folder`/embeddings.sqlite, made when first needed.

    Every row carries a checksum over key and vector, so that a damaged, shortened or exchanged one is noticed. A file
    that SQLite cannot read is moved aside and begun anew. A connection lives as long as one call, so a store can be
    pickled and used from any process or thread.

    The methods raise CacheError where the file cannot be opened or written.
    """

    folder: Path

    @property
    def path(self) -> Path:
        """The database file."""
        return self.folder / FILE

    def get(self, keys: Sequence[bytes], dimension: int | None) -> dict[bytes, Vectors]:
        """The vectors, float32 (dimension,), of those keys whose row is there and intact.

        dimension  None: of whatever length they were put in
        """
        rows = self._run(lambda connection: list(_select(connection, keys)))
        intact = {row[0]: vector for row in rows if (vector := _intact(*row, dimension)) is not None}
        if len(intact) < len(rows):
            logger.warning(
                "%d damaged entries in the embedding cache %s are computed again", len(rows) - len(intact), self.path
            )
        return intact

    def put(self, vectors: Mapping[bytes, Vectors], maker: str | None = None) -> None:
        """Writes all the vectors or, when it fails or is killed, none; rows with these keys are replaced.

        maker  who made them, for `holdings` and `drop`
        """
        rows = [
            (key, data, _checksum(key, data))
            for key, data in ((key, vector.astype(LITTLE_ENDIAN).tobytes()) for key, vector in vectors.items())
        ]
        self._run(lambda connection: _insert(connection, rows, maker))

    def require_writable(self) -> None:
        """Raises CacheError now rather than after an hour of embedding."""
        self._run(lambda connection: _insert(connection, [], None))

    def info(self) -> CacheInfo:
        """Counts entries and bytes; makes no file."""
        if not self.path.exists():
            return CacheInfo(self.path, 0, 0)
        entries = self._run(lambda connection: int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0]))
        return CacheInfo(self.path, entries, sum(file.stat().st_size for file in self._files() if file.exists()))

    def holdings(self, before: int | None = None) -> list[Holding]:
        """What the cache holds of each maker; makes no file.

        before  only what was written before this time, in seconds since 1970, or at an unknown one
        """
        if not self.path.exists():
            return []
        return self._run(lambda connection: _holdings(connection, before))

    def drop(self, makers: Sequence[str | None], before: int | None = None) -> None:
        """Drops the vectors of these makers, as `holdings` counts them, and gives their room back."""
        self._run(lambda connection: _delete(connection, makers, before))

    def damaged(self) -> list[Path]:
        """What is left of damaged files that were moved aside."""
        return sorted(self.folder.glob(f"{FILE}.damaged*"))

    def drop_damaged(self) -> None:
        """Deletes what is left of damaged files."""
        for file in self.damaged():
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise self._refusal(error) from error

    def _files(self) -> list[Path]:
        """What SQLite keeps: the log before the database, which must never meet the log of another."""
        return [self.path.with_name(FILE + ending) for ending in ("-wal", "-shm", "")]

    def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Does `work` on a connection of its own; where the file is damaged, once more on a new one."""
        before = self._identity()
        try:
            return self._attempt(work)
        except sqlite3.DatabaseError as error:
            if _code(error) not in DAMAGED:
                raise self._refusal(error) from error
        if self._identity() == before:  # else another process has already begun a new one
            self._move_aside()
        try:
            return self._attempt(work)
        except sqlite3.Error as error:
            raise self._refusal(error) from error

    def _attempt(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._refusal(error) from error
        with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            _prepare(connection)
            return work(connection)

    def _identity(self) -> int | None:
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    def _move_aside(self) -> None:
        aside = f"{FILE}.damaged"
        for file in self._files():
            try:
                file.replace(file.with_name(file.name.replace(FILE, aside)))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise self._refusal(error) from error
        logger.warning(
            "the embedding cache %s is damaged; it was moved to %s beside it and begun anew", self.path, aside
        )

    def _refusal(self, error: Exception) -> CacheError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return CacheError(
            f"the embedding cache {self.path} cannot be used: {reason}. "
            "Make room or allow writing there, or give another folder with cache.dir=FOLDER."
        )


def _prepare(connection: sqlite3.Connection) -> None:
    """Write-ahead logging lets readers and a writer work at once; NORMAL loses no committed row when a process dies."""
    connection.execute("PRAGMA synchronous=NORMAL")
    deadline = time.monotonic() + BUSY_SECONDS
    while True:  # SQLite's own waiting does not cover the change of journal when several processes begin a file at once
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    if connection.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
        _lay_out(connection)


def _lay_out(connection: sqlite3.Connection) -> None:
    """Makes the tables; those of an earlier version keep their rows."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for table in TABLES:
            connection.execute(table)
        if [row[1] for row in connection.execute("PRAGMA table_info(vectors)")] == EARLIER_COLUMNS:
            for column in ("maker", "written"):
                connection.execute(f"ALTER TABLE vectors ADD COLUMN {column} INTEGER")
        connection.execute(f"PRAGMA user_version = {LAYOUT}")


def _select(connection: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, object, object]]:
    for first in range(0, len(keys), KEYS_PER_QUERY):
        block = keys[first : first + KEYS_PER_QUERY]
        marks = ",".join("?" * len(block))
        yield from connection.execute(f"SELECT key, vector, checksum FROM vectors WHERE key IN ({marks})", block)  # noqa: S608 - marks only


def _insert(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, bytes, bytes]], maker: str | None) -> None:
    written = int(time.time())
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        if maker is not None and rows:
            connection.execute("INSERT OR IGNORE INTO makers (maker) VALUES (?)", (maker,))
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (key, vector, checksum, maker, written)"
            " VALUES (?, ?, ?, (SELECT id FROM makers WHERE maker = ?), ?)",
            [(*row, maker, written) for row in rows],
        )


def _holdings(connection: sqlite3.Connection, before: int | None) -> list[Holding]:
    rows = connection.execute(
        "SELECT makers.maker, count(*), sum(length(key) + length(vector) + length(checksum)), min(written),"
        " max(written) FROM vectors LEFT JOIN makers ON makers.id = vectors.maker"
        " WHERE ?1 IS NULL OR written IS NULL OR written < ?1 GROUP BY vectors.maker",
        (before,),
    )
    return [Holding(*row) for row in rows]


def _delete(connection: sqlite3.Connection, makers: Sequence[str | None], before: int | None) -> None:
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.executemany(
            "DELETE FROM vectors WHERE maker IS (SELECT id FROM makers WHERE maker = ?1)"
            " AND (?2 IS NULL OR written IS NULL OR written < ?2)",
            [(maker, before) for maker in makers],
        )
        connection.execute("DELETE FROM makers WHERE id NOT IN (SELECT maker FROM vectors WHERE maker IS NOT NULL)")
    connection.execute("VACUUM")


def _intact(key: bytes, vector: object, checksum: object, dimension: int | None) -> Vectors | None:
    """The vector of a row; None where the row is damaged."""
    if not isinstance(vector, bytes) or not vector or len(vector) % LITTLE_ENDIAN.itemsize:
        return None
    if dimension is not None and len(vector) != dimension * LITTLE_ENDIAN.itemsize:
        return None
    if checksum != _checksum(key, vector):
        return None
    return np.frombuffer(vector, LITTLE_ENDIAN).astype(np.float32, copy=False)


def _checksum(key: bytes, vector: bytes) -> bytes:
    return sha256(key + vector).digest()


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, the low byte of the extended one."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
