"""What a JSON route works with: the plumbing, the caller, and a checked body."""

from __future__ import annotations

from typing import Any, cast

from flask import current_app, request
from marshmallow import EXCLUDE, Schema, ValidationError

from switchboard.access import endpoints, login
from switchboard.access.principals import Agent, Operator
from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib import strictjson
from switchboard.lib.plumbing import Plumbing
from switchboard.replies.accept import Waiting

BODY_BYTES = 128 * 1024
MAX_LIMIT = 200


def plumbing() -> Plumbing:
    """The application's plumbing."""
    return cast(Plumbing, current_app.extensions["switchboard"])


def waiting() -> Waiting:
    """The places for waiting threads of this process."""
    return cast(Waiting, current_app.extensions["switchboard.waiting"])


def agent() -> Agent:
    """The calling agent, by its `sbk_…` bearer. Raises Unauthenticated, Forbidden, RateLimited."""
    return endpoints.authenticate(plumbing(), _bearer("sbk_"))


def operator() -> Operator:
    """The calling operator, by an `sbp_…` bearer. Raises Unauthenticated."""
    return login.with_token(plumbing(), _bearer("sbp_"))


def bearer_is(prefix: str) -> bool:
    """Whether the caller's bearer is of that kind, so that one route can serve both."""
    return request.headers.get("Authorization", "").startswith(f"Bearer {prefix}")


def _bearer(prefix: str) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip().startswith(prefix):
        raise Unauthenticated(
            f"Send Authorization: Bearer {prefix}… with a credential of that kind."
        )
    return token.strip()


def json_body(schema: Schema) -> dict[str, Any]:
    """The request's JSON body checked by `schema`; no body at all reads as `{}`.

    Raises Invalid naming the first field that is wrong.
    """
    raw = request.stream.read(BODY_BYTES + 1)
    if len(raw) > BODY_BYTES:
        raise Invalid(f"The body has more than {BODY_BYTES} bytes.")
    try:
        given = strictjson.loads(raw) if raw.strip() else {}
    except ValueError as error:
        raise Invalid(f"The body is not JSON: {error}.", "invalid_json") from None
    try:
        return cast(dict[str, Any], schema.load(given, unknown=EXCLUDE))
    except ValidationError as error:
        raise _first(error) from None


def _first(error: ValidationError) -> Invalid:
    messages = error.normalized_messages()
    name = next(iter(messages), "_schema")
    why = messages[name]
    while isinstance(why, dict):
        why = next(iter(why.values()))
    said = why[0] if isinstance(why, list) else why
    field = None if name == "_schema" else str(name)
    return Invalid(f"{field or 'The body'}: {said}", field=field)


def page_arguments() -> tuple[str | None, int]:
    """`after` and `limit` of a list call. Raises Invalid for a limit that is no number."""
    raw = request.args.get("limit", "50")
    if not (raw.isascii() and raw.isdigit() and len(raw) < 7 and int(raw) > 0):
        raise Invalid(f"limit is a whole number from 1 to {MAX_LIMIT}.", field="limit")
    return request.args.get("after") or None, min(int(raw), MAX_LIMIT)
