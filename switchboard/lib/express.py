"""The short way to the database, for the ack path alone.

A statement is still written in SQLAlchemy Core, but compiled once and then run on the driver itself:
Core's own execution costs more than all the rest of an accepted delivery (docs/performance.md).
What is to be written is data - a list of `Write` - so one place commits it: on Postgres in one
round trip, on SQLite under the writer's turn.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Dialect, Executable, Select, Table, bindparam, insert
from sqlalchemy.orm import Session
from sqlalchemy.sql import ClauseElement
from sqlalchemy.types import TypeEngine

from switchboard.errors import Unavailable
from switchboard.lib.db import Database, means_away, storage_errors, storage_unavailable

Params = Mapping[str, Any]
Process = Callable[[Any], Any] | None
Ready = tuple[str, Any, int | None]

T = TypeVar("T")


class Lost(Exception):
    """A conditional write met another state than it needs; nothing of its list was written."""


class Prepared:
    """A Core statement, compiled on first use for each dialect. All its values are bound."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    @property
    def statement(self) -> Executable:
        """The statement itself, for running it in somebody's session."""
        return cast(Executable, self._statement)

    def on(self, dialect: Dialect) -> _Compiled:
        """The statement in the dialect's SQL."""
        found = self._compiled.get(dialect.name)
        if found is None:
            found = self._compiled[dialect.name] = _compile(self._statement, dialect)
        return found


def insert_into(table: Table) -> Prepared:
    """An insert that binds every column of the table by its name."""
    return Prepared(insert(table).values(all_columns(table)))


def all_columns(table: Table) -> dict[str, Any]:
    """A bound value for every column, by its name."""
    return {column.name: bindparam(column.name, type_=column.type) for column in table.c}


@dataclass(frozen=True)
class Write:
    """One statement with its values. `rows` says how many rows it must change, None any number."""

    statement: Prepared
    values: Params
    rows: int | None = None


@dataclass(frozen=True)
class _Compiled:
    sql: str
    names: tuple[str, ...]
    constants: Params
    positional: bool
    to_driver: tuple[Process, ...]
    from_driver: tuple[Process, ...]

    def values(self, params: Params) -> Any:
        given = {**self.constants, **params}
        ready = [
            process(given[name]) if process else given[name]
            for name, process in zip(self.names, self.to_driver, strict=True)
        ]
        return ready if self.positional else dict(zip(self.names, ready, strict=True))

    def row(self, row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            process(value) if process else value
            for value, process in zip(row, self.from_driver, strict=True)
        )


def _compile(statement: ClauseElement, dialect: Dialect) -> _Compiled:
    compiled: Any = statement.compile(dialect=dialect)
    positional = compiled.positiontup is not None
    names = tuple(compiled.positiontup if positional else compiled.binds)
    columns = statement.selected_columns if isinstance(statement, Select) else ()
    return _Compiled(
        sql=compiled.string,
        names=names,
        constants={name: bind.value for name, bind in compiled.binds.items() if not bind.required},
        positional=positional,
        to_driver=tuple(_binder(compiled.binds[name].type, dialect) for name in names),
        from_driver=tuple(_reader(column.type, dialect) for column in columns),
    )


def _binder(type_: TypeEngine[Any], dialect: Dialect) -> Process:
    return type_.dialect_impl(dialect).bind_processor(dialect)


def _reader(type_: TypeEngine[Any], dialect: Dialect) -> Process:
    return type_.dialect_impl(dialect).result_processor(dialect, None)


def run_within(session: Session, writes: Sequence[Write]) -> None:
    """The writes in a session's own transaction. Raises Lost as `Express.commit` does."""
    connection = session.connection()
    for write in writes:
        result = connection.execute(
            write.statement.statement,
            dict(write.values),
            execution_options={"preserve_rowcount": True},  # else unknown of an INSERT on Postgres
        )
        if write.rows is not None and result.rowcount != write.rows:
            raise Lost


class Express:
    """Reads one statement, or commits a list of writes, on a driver connection of the pool."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: deque[_Job] = deque()

    def rows(self, statement: Prepared, params: Params) -> list[tuple[Any, ...]]:
        """All rows of one SELECT, outside any transaction. Raises Unavailable."""
        compiled = statement.on(self._db.autocommit_engine.dialect)
        values = compiled.values(params)

        def read(connection: Any) -> list[tuple[Any, ...]]:
            return [compiled.row(row) for row in connection.execute(compiled.sql, values)]

        return self._on_connection(read)

    def commit(self, writes: Sequence[Write]) -> None:
        """All of the writes in one transaction, in order.

        Raises Unavailable, or Lost when a write changed another number of rows than it must; then
        nothing was written.
        """
        dialect = self._db.autocommit_engine.dialect
        job = _Job([_ready(write, dialect) for write in writes])
        if self._db.is_sqlite:
            self._commit_in_turn(job)
        else:
            self._on_connection(lambda connection: _run_in_pipeline(connection, job.ready))

    def _commit_in_turn(self, job: _Job) -> None:
        """Group commit: whoever gets the turn writes for all threads of this process that wait."""
        self._waiting.append(job)
        try:
            with self._db.turn(unless=lambda: job.done) as ours:
                if ours:
                    batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
                    self._write_batch(batch)
        except Unavailable:  # no turn was to be had, so nobody may write this later
            with suppress(ValueError):
                self._waiting.remove(job)
            raise
        if job.error is not None:
            raise job.error

    def _write_batch(self, batch: list[_Job]) -> None:
        try:
            self._on_connection(lambda connection: _run_batch(connection, batch))
        except BaseException as error:
            for job in batch:
                job.error = error
        finally:
            for job in batch:
                job.done = True

    def _on_connection(self, act: Callable[[Any], T]) -> T:
        """Run `act`, once more on a fresh connection if the server had hung up on this one.

        A write is safe to repeat even when the connection broke during COMMIT: what must happen once
        inserts a row by id or claims one, so its second run is refused or Lost; the rest may run twice.
        """
        try:
            return self._once(act)
        except _HungUp:
            self._db.autocommit_engine.dispose()
        try:
            return self._once(act)
        except _HungUp as error:
            raise storage_unavailable() from error
        except self._db.autocommit_engine.dialect.loaded_dbapi.IntegrityError as error:
            raise Lost from error

    def _once(self, act: Callable[[Any], T]) -> T:
        engine = self._db.autocommit_engine
        dbapi = engine.dialect.loaded_dbapi
        try:
            with storage_errors():
                pooled = engine.raw_connection()
        except dbapi.Error as error:
            raise storage_unavailable() from error
        try:
            return act(pooled.driver_connection)
        except dbapi.Error as error:
            if not means_away(error, dbapi):
                raise
            if engine.dialect.is_disconnect(error, pooled.driver_connection, None):
                pooled.invalidate()
                raise _HungUp from error
            raise storage_unavailable() from error
        finally:
            pooled.close()


class _HungUp(Exception):
    """The server closed this connection."""


@dataclass
class _Job:
    """One caller's list of writes, and what became of it."""

    ready: list[Ready]
    done: bool = False
    error: BaseException | None = None


def _ready(write: Write, dialect: Dialect) -> Ready:
    compiled = write.statement.on(dialect)
    return compiled.sql, compiled.values(write.values), write.rows


def _run_batch(connection: Any, batch: Sequence[_Job]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for job in batch:
            _run_in_savepoint(connection, job)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise


def _run_in_savepoint(connection: Any, job: _Job) -> None:
    """A caller whose writes lose or break must not take the others of its batch along."""
    job.error = None
    connection.execute("SAVEPOINT job")
    try:
        for sql, values, rows in job.ready:
            if connection.execute(sql, values).rowcount != rows and rows is not None:
                raise Lost
    except Exception as error:
        if means_away(error, sqlite3):
            raise
        connection.execute("ROLLBACK TO job")
        job.error = error
    connection.execute("RELEASE job")


def _run_in_pipeline(connection: Any, ready: Sequence[Ready]) -> None:
    # everything goes out at once and the answers are read together: one round trip, then COMMIT
    try:
        with connection.pipeline():
            connection.execute("BEGIN")
            cursors = [connection.execute(sql, values) for sql, values, _ in ready]
        if any(
            rows is not None and cursor.rowcount != rows
            for cursor, (_, _, rows) in zip(cursors, ready, strict=True)
        ):
            raise Lost
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise
