"""What the contract tests of several connection kinds share: a client, and an outcome to compare."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network
from typing import NamedTuple

import pytest

from switchboard.lib.http import Client, OutboundError
from switchboard.providers.base import Posted


class Outcome(NamedTuple):
    """What a post came to; `object_id` and `permalink` say only whether there was one."""

    state: str
    error_class: str | None = None
    code: str | None = None
    object_id: bool = False
    permalink: bool = False
    retry_after: int | None = None


KEPT = Outcome("sent", object_id=True, permalink=True)
BROKEN = {"reset_after_write": "reset", "hang_after_write": "timeout"}


def client() -> Client:
    """One that may dial the stand-ins and waits for nobody."""
    return Client(allow_http=True, allow_cidrs=[ip_network("127.0.0.1/32")], timeout=0.5)


def outcome(posted: Posted) -> Outcome:
    """A post's result in a form that compares."""
    return Outcome(
        posted.state,
        posted.error_class,
        posted.error_code,
        posted.object_id is not None,
        posted.permalink is not None,
        posted.retry_after,
    )


def assert_perhaps_written(post: Callable[[], Posted], code: str) -> None:
    """The call breaks off with that code, and may have been written."""
    with pytest.raises(OutboundError) as broken:
        post()
    assert (broken.value.written, broken.value.code) == (True, code)
