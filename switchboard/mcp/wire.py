"""A message as it stands on the wire, judged before the SDK reads it."""

from __future__ import annotations

import json
import re
from typing import Any

from switchboard.lib import strictjson

PARSE_ERROR = -32_700  # JSON-RPC 2.0
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read(raw: bytes) -> Any:
    """The JSON in a body. Raises ValueError saying what is wrong with it."""
    message = strictjson.loads(raw)
    if _SURROGATE.search(raw):
        try:
            json.dumps(message, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a string holds half of a surrogate pair") from None
    return message


def parse_error(why: ValueError) -> dict[str, Any]:
    """The JSON-RPC error for a body that is no JSON."""
    error = {"code": PARSE_ERROR, "message": f"The body is not JSON: {why}."}
    return {"jsonrpc": "2.0", "id": None, "error": error}


def is_tool_call(message: Any) -> bool:
    """Whether the message is one that a tool's result answers."""
    return isinstance(message, dict) and message.get("method") == "tools/call" and "id" in message
