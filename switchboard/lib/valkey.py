"""Valkey (or Redis): a doorbell that may be away at any moment.

Nothing depends on it for correctness, so every use says what happens without it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

T = TypeVar("T")

CONNECT_SECONDS = 0.5
ANSWER_SECONDS = 0.5
PAUSE_SECONDS = 1.0


def connect(url: str) -> Redis:
    """A client for `url` that gives up fast and does not retry by itself."""
    return Redis.from_url(
        url,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,  # else each connection looks up the library's version, and tells it
    )


class Valkey:
    """A client a process, made anew after a fork.

    After a failure nobody asks for a second, and then one caller alone tries: a Valkey that hangs
    must not cost every thread its patience.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._pid = 0
        self._client: Redis | None = None
        self._silent_until = 0.0
        self._failing = False
        self._lock = threading.Lock()

    @property
    def client(self) -> Redis:
        """This process's client."""
        if self._client is None or self._pid != os.getpid():
            self._client, self._pid = connect(self.url), os.getpid()
        return self._client

    def attempt(self, act: Callable[[Redis], T]) -> T | None:
        """What `act` returns, or None when Valkey is away (logged once a pause)."""
        if not self._may_ask():
            return None
        try:
            found = act(self.client)
        except RedisError as error:
            self._failing = True
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            log.warning("valkey is away: %s", type(error).__name__)
            return None
        self._failing = False
        return found

    def _may_ask(self) -> bool:
        if not self._failing:
            return True
        with self._lock:
            now = time.monotonic()
            if now < self._silent_until:
                return False
            self._silent_until = now + PAUSE_SECONDS  # the others go on waiting for this one
            return True
