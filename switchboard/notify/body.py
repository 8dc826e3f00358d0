"""What a hook is sent, and how it is signed: Standard Webhooks, as docs/hooks.md tells receivers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from switchboard.lib import clock
from switchboard.lib.text import inert
from switchboard.providers.signed_schemes import STANDARD

MAX_SUMMARY = 200


def todo_ready(
    *,
    at: datetime,
    todo: str,
    endpoint: str,
    queue: str,
    kind: str,
    source: str | None,
    reply_to: str | None,
    title: str,
) -> bytes:
    """The body of a bell: which todo, on which queue, from where; the title as a line that means nothing.

    `at` is when the bell was made, so every attempt sends the same bytes.
    """
    data = {
        "todo": todo,
        "endpoint": endpoint,
        "queue": queue,
        "kind": kind,
        "source": source,
        "reply_to": reply_to,
        "summary": inert(title, MAX_SUMMARY),
    }
    return _body("todo.ready", at, data)


def test(*, at: datetime, endpoint: str) -> bytes:
    """The body of a call that only tries the hook out."""
    return _body("hook.test", at, {"endpoint": endpoint})


def _body(type: str, at: datetime, data: dict[str, Any]) -> bytes:
    whole = {"type": type, "timestamp": clock.iso(at), "data": data}
    return json.dumps(whole, separators=(",", ":")).encode()


def headers(raw: bytes, secrets: Sequence[str], call_id: str, now: datetime) -> dict[str, str]:
    """The headers of a call, with a signature of each secret, the current one's first."""
    signed = [STANDARD.sign(raw, secret, call_id, now) for secret in secrets]
    signatures = " ".join(each[STANDARD.signature] for each in signed)
    return {"Content-Type": "application/json", **signed[0], STANDARD.signature: signatures}
