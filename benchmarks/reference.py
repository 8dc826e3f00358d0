"""What the ack path is compared with: a bare Flask view that does the least that could be called
the same - HMAC and three raw-SQL inserts in one commit, under the same writer lock.

`BENCH_DATABASE` is a path (SQLite) or a `postgresql://` address, `BENCH_SECRET` the signing secret.
"""

from __future__ import annotations

import hmac
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import psycopg
from flask import Flask, jsonify, request
from ulid import ULID

from switchboard.lib.db import WriterTurn

_TABLES = (
    "CREATE TABLE deliveries (id text primary key, sender_id text unique, received_at text)",
    "CREATE TABLE bodies (delivery_id text primary key, body {blob})",
    "CREATE TABLE todos (id text primary key, delivery_id text, title text, state text)",
)
_INSERTS = (
    "INSERT INTO deliveries VALUES (?, ?, CURRENT_TIMESTAMP)",
    "INSERT INTO bodies VALUES (?, ?)",
    "INSERT INTO todos VALUES (?, ?, ?, 'pending')",
)

Write = Callable[[list[tuple[object, ...]]], None]


def create_tables(database: str) -> None:
    """Make the three tables in an empty database."""
    if database.startswith("postgresql://"):
        with psycopg.connect(database) as connection:
            for table in _TABLES:
                connection.execute(table.format(blob="bytea"))
        return
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        for table in _TABLES:
            connection.execute(table.format(blob="blob"))


def _sqlite_writer(path: str) -> Write:
    local, turn = threading.local(), WriterTurn(Path(path + ".lock"))

    def write(rows: list[tuple[object, ...]]) -> None:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(path, isolation_level=None)
            local.connection.execute("PRAGMA synchronous=FULL")
        with turn.taken():
            local.connection.execute("BEGIN IMMEDIATE")
            for statement, row in zip(_INSERTS, rows, strict=True):
                local.connection.execute(statement, row)
            local.connection.execute("COMMIT")

    return write


def _postgres_writer(url: str) -> Write:
    local = threading.local()
    statements = [
        statement.replace("?", "%s").replace("CURRENT_TIMESTAMP", "now()::text")
        for statement in _INSERTS
    ]

    def write(rows: list[tuple[object, ...]]) -> None:
        if not hasattr(local, "connection"):
            local.connection = psycopg.connect(url)
        for statement, row in zip(statements, rows, strict=True):
            local.connection.execute(statement, row)
        local.connection.commit()

    return write


def create_app() -> Flask:
    """The bare application."""
    app = Flask(__name__)
    database, secret = os.environ["BENCH_DATABASE"], os.environ["BENCH_SECRET"].encode()
    postgres = database.startswith("postgresql://")
    write = _postgres_writer(database) if postgres else _sqlite_writer(database)

    @app.post("/hooks/bench")
    def deliver() -> object:
        raw = request.get_data()
        expected = "sha256=" + hmac.new(secret, raw, "sha256").hexdigest()
        if not hmac.compare_digest(expected, request.headers["X-Hub-Signature-256"]):
            return jsonify(code="bad_signature"), 401
        delivery, todo = str(ULID()), str(ULID())
        write(
            [
                (delivery, request.headers["X-GitHub-Delivery"]),
                (delivery, zlib.compress(raw, 1)),
                (todo, delivery, request.get_json()["issue"]["title"]),
            ]
        )
        return jsonify(delivery=delivery, todo=todo), 202

    return app
