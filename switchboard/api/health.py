"""`/healthz`: the web process can read its database. `/readyz`: also the queue, and a worker is alive."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, Response, jsonify

from switchboard.access import accounts
from switchboard.api.context import plumbing
from switchboard.errors import Unavailable
from switchboard.lib import clock
from switchboard.lib.queue import last_worker_seen

bp = Blueprint("health", __name__)

WORKER_SEEN = timedelta(minutes=1)


@bp.get("/healthz")
def healthz() -> tuple[Response, int]:
    """200 while the database can be read, else 503."""
    good = _database()
    return jsonify(status="ok" if good else "failing", database=good), 200 if good else 503


@bp.get("/readyz")
def readyz() -> tuple[Response, int]:
    """200 while database, queue and a worker seen in the last minute are there, else 503."""
    database = _database()
    queue = plumbing().valkey.attempt(lambda client: bool(client.ping())) is True
    seen = plumbing().valkey.attempt(last_worker_seen) if queue else None
    worker = seen is not None and seen > clock.now() - WORKER_SEEN
    good = database and queue and worker
    body = jsonify(
        status="ok" if good else "failing", database=database, queue=queue, worker=worker
    )
    return body, 200 if good else 503


def _database() -> bool:
    try:
        accounts.exist(plumbing())
    except Unavailable:
        return False
    return True
