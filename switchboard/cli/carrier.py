"""How the bridge's calls travel: whatever becomes of one, its caller is answered.

The SDK's transport takes a connection that fails for the end of everything, and says of a refusal only
that there was one. So both are made JSON-RPC errors here, which it hands on as they are.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import httpx2

from switchboard.lib.text import one_line

INTERNAL_ERROR = -32_603  # JSON-RPC 2.0
AWAY = 503
MAX_SAID = 300


class Carrier(httpx2.AsyncHTTPTransport):
    """Carries whole answers; one that never came is an answer too, and says so."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, all of it read. Raises nothing for a connection that fails."""
        try:
            answer = await super().handle_async_request(request)
            await answer.aread()
        except httpx2.TransportError as error:
            print(f"the endpoint did not answer: {type(error).__name__}", file=sys.stderr)
            return _error(AWAY, f"Switchboard did not answer ({type(error).__name__}). Try again.")
        # read, and so decoded: what is handed on says of itself no more than its type
        kind = answer.headers.get("content-type", "")
        if answer.is_error and (why := _refusal(kind, answer.content)):
            return _error(answer.status_code, why)
        return httpx2.Response(
            answer.status_code, headers={"content-type": kind}, content=answer.content
        )


def _refusal(kind: str, body: bytes) -> str | None:
    """What a refusal before the protocol says (RFC 9457); None for what is none."""
    if not kind.startswith("application/problem+json"):
        return None
    try:
        told: dict[str, Any] = json.loads(body)
        return one_line(f"{told['detail']} ({told['code']})", MAX_SAID)
    except (ValueError, KeyError, TypeError):
        return None


def _error(status: int, message: str) -> httpx2.Response:
    """An error without an id: the SDK gives it that of the call."""
    error = {"code": INTERNAL_ERROR, "message": message}
    return httpx2.Response(status, json={"jsonrpc": "2.0", "id": None, "error": error})
