"""The JSON inside a webhook's raw body, sent as JSON or as a form with `payload=`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, quote_plus

from switchboard.lib import strictjson

FORM = "application/x-www-form-urlencoded"
BEGIN = b"payload="
MASK = "***"


def read(content_type: str, raw: bytes) -> Any:
    """The JSON value that `raw` carries. Raises ValueError saying what is wrong with it."""
    if not _is_form(content_type, raw):
        return strictjson.loads(raw)
    fields = parse_qs(raw.decode("ascii"), max_num_fields=100, errors="strict")
    if len(fields.get("payload", [])) != 1:
        raise ValueError("the form has no single field named payload")
    return strictjson.loads(fields["payload"][0].encode())


def without_secrets(
    content_type: str, raw: bytes, body: Any, names: Iterable[str]
) -> tuple[bytes, Any]:
    """`raw` and the `body` read from it, with `***` for what the members `names` at its top hold.

    Both are the same as before where there is nothing to hide.
    """
    held = [name for name in names if isinstance(body, dict) and body.get(name)]
    if not held:
        return raw, body
    safe = body | dict.fromkeys(held, MASK)
    text = json.dumps(safe).encode()
    return (BEGIN + quote_plus(text).encode() if _is_form(content_type, raw) else text), safe


def _is_form(content_type: str, raw: bytes) -> bool:
    """Whether it is a form such as GitHub and Gitea send.

    The content type alone does not say: nobody signs it, and `&payload=…` in one of the texts of a
    signed JSON body must not give it another meaning. Nor is a JSON body less one because `curl -d`
    calls everything a form.
    """
    called_form = content_type.partition(";")[0].strip().lower() == FORM
    return called_form and raw.startswith(BEGIN)
