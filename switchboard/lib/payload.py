"""The JSON inside a webhook's raw body, sent as JSON or as a form with `payload=`."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from switchboard.lib import strictjson

FORM = "application/x-www-form-urlencoded"


def read(content_type: str, raw: bytes) -> Any:
    """The JSON value that `raw` carries. Raises ValueError saying what is wrong with it."""
    if content_type.partition(";")[0].strip().lower() != FORM:
        return strictjson.loads(raw)
    fields = parse_qs(raw.decode("ascii"), max_num_fields=100, errors="strict")
    if len(fields.get("payload", [])) != 1:
        raise ValueError("the form has no single field named payload")
    return strictjson.loads(fields["payload"][0].encode())
