"""The database: one engine a process, SQLite's pragmas, and transactions that queue fairly.

SQLite's own busy handler polls and starves; a lock of ours around the write transaction (a thread
lock, then `flock` on a side file for other processes) lets writers take turns instead.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Engine, create_engine, event, exc
from sqlalchemy.orm import Session

from switchboard.errors import Unavailable

BUSY_TIMEOUT_MS = 10_000
WAL_PAGES = (
    4_000  # 16 MB: a page that many commits touch is copied into the file once for all of them
)
RETRY_AFTER_SECONDS = 5

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # an answered 202 is on disk
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
    f"PRAGMA wal_autocheckpoint={WAL_PAGES}",
    "PRAGMA foreign_keys=ON",
)


class Database:
    """Sessions on one database. Safe across a fork: each process makes its own engine.

    `url` is an SQLAlchemy URL, `threads` how many threads of a process may hold a connection.
    """

    def __init__(self, url: str, *, threads: int = 8) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        self._threads = threads
        self._lock = threading.Lock()
        self._pid = 0
        self._engine: Engine | None = None
        self._autocommit: Engine | None = None
        self._path = url.removeprefix("sqlite:///") if self.is_sqlite else None
        self._turn = WriterTurn(Path(f"{self._path}.lock")) if self._path else None
        self.writes = 0  # sessions written by this process so far; what was read before may be old
        self._file: tuple[int, int] | None = None

    @property
    def engine(self) -> Engine:
        """This process's engine, made on first use and made anew after a fork."""
        self._of_this_process()
        assert self._engine is not None
        return self._engine

    @property
    def autocommit_engine(self) -> Engine:
        """An engine whose connections open no transaction by themselves (see lib/express.py)."""
        self._of_this_process()
        assert self._autocommit is not None
        return self._autocommit

    def _of_this_process(self) -> None:
        self._check_file()
        if self._engine is not None and self._pid == os.getpid():
            return
        with self._lock:
            if self._engine is None or self._pid != os.getpid():
                self._engine = self._connect()
                self._autocommit = self._engine if self.is_sqlite else self._connect_autocommit()
                self._pid = os.getpid()

    def _check_file(self) -> None:
        """Raise Unavailable once SQLite's file is no longer the one that was opened.

        Connections would go on writing to a file that was moved away or deleted, and promise what is
        gone with the next start.
        """
        if self._path is None:
            return
        try:
            found = os.stat(self._path)
        except OSError as error:
            if self._file is None:
                return  # not made yet, or not to be made: opening it will say so
            raise storage_unavailable() from error
        if self._file is None:
            self._file = (found.st_dev, found.st_ino)
        elif self._file != (found.st_dev, found.st_ino):
            raise storage_unavailable()

    def _connect_autocommit(self) -> Engine:
        size = self._threads
        return create_engine(
            self.url, isolation_level="AUTOCOMMIT", pool_size=size, max_overflow=size
        )

    def _connect(self) -> Engine:
        size = self._threads + 2
        if not self.is_sqlite:
            return create_engine(
                self.url, pool_size=size, max_overflow=size, pool_pre_ping=True, pool_timeout=10
            )
        engine = create_engine(
            self.url,
            pool_size=size,
            max_overflow=size,
            pool_timeout=10,
            connect_args={"check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading; nothing it does is kept. Raises Unavailable when storage is away."""
        with storage_errors(), Session(self.engine, autoflush=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one write transaction: committed at the end, rolled back on any exception.

        Raises Unavailable (503) when storage is away. On SQLite writers queue fairly. Rows loaded in it
        can be read after it.
        """
        with storage_errors():
            if self._turn is None:
                with Session(self.engine, expire_on_commit=False) as session, session.begin():
                    yield session
                self.writes += 1
                return
            engine = self.engine.execution_options(immediate=True)
            with (
                self._turn.taken(),
                Session(engine, expire_on_commit=False) as session,
                session.begin(),
            ):
                yield session
            self.writes += 1

    def dispose(self) -> None:
        """Close this process's connections."""
        if self._engine is not None and self._autocommit and self._pid == os.getpid():
            self._engine.dispose()
            self._autocommit.dispose()
        self._engine = self._autocommit = None

    @contextmanager
    def turn(self, unless: Callable[[], bool]) -> Iterator[bool]:
        """The writer's turn on SQLite; yields False without it if `unless` holds by then."""
        assert self._turn is not None
        with self._turn.taken(unless) as ours:
            yield ours


class WriterTurn:
    """One writer at a time over all threads and processes that share `path`, asleep until its turn."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._pid = 0
        self._file: IO[bytes] | None = None
        self._holder = 0

    @contextmanager
    def taken(self, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """Hold the turn; yields False without it if `unless` holds when it would be ours.

        Raises RuntimeError on a nested write, which could only deadlock.
        """
        if self._holder == threading.get_ident():
            raise RuntimeError("a write transaction inside a write transaction")
        with self._threads:
            if unless():
                yield False
                return
            with self._locked():
                self._holder = threading.get_ident()
                try:
                    yield True
                finally:
                    self._holder = 0

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The lock of all processes. Raises Unavailable when its file cannot be opened or locked."""
        try:
            file = self._own_file()
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            raise storage_unavailable() from error
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def _own_file(self) -> IO[bytes]:
        # flock belongs to the open file, so a file opened before a fork would not exclude anyone
        if self._file is None or self._pid != os.getpid():
            self._file, self._pid = open(self._path, "ab"), os.getpid()  # noqa: SIM115
        return self._file


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # we open transactions ourselves (see _begin_sqlite), so the driver must not
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Any) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def storage_errors() -> Iterator[None]:
    """Turn 'the database is away' into our own refusal; any other error stays what it is."""
    try:
        yield
    except exc.TimeoutError as error:  # no connection left in the pool
        raise storage_unavailable() from error
    except exc.DBAPIError as error:
        if not means_away(error, exc):
            raise
        raise storage_unavailable() from error


def means_away(error: Exception, errors: Any) -> bool:
    """Whether an error out of `errors` (a DB-API module, or SQLAlchemy's) says 'not there', not 'wrong'."""
    if isinstance(error, (errors.OperationalError, errors.InterfaceError)):
        return True
    return type(error) is errors.DatabaseError  # all that SQLite says of a damaged file


def storage_unavailable() -> Unavailable:
    """The refusal while the database is away."""
    return Unavailable(
        "The database cannot be reached or written right now. Try again.",
        retry_after=RETRY_AFTER_SECONDS,
    )
