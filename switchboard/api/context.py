"""What a JSON route works with: the plumbing, the caller, and a checked body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from flask import Response, current_app, g, jsonify, request
from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from switchboard.access import endpoints, login
from switchboard.access.principals import Agent, Operator
from switchboard.api import cookie
from switchboard.errors import Invalid, NotFound, Unauthenticated
from switchboard.events.log import Actor
from switchboard.lib import bodies, strictjson
from switchboard.lib.deadlines import ReadDeadlines
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.replies.accept import Waiting

BODY_BYTES = 256 * 1024  # the longest reply, every character of it an escaped emoji
MAX_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Caller:
    """Who a call turned out to be (`g.caller`): as the event log names them, and whose log it is."""

    actor: Actor
    owner_id: str | None


NOBODY = Caller(Actor("nobody", None), None)


def refuse_nul() -> None:
    """Raise NotFound or Invalid for a NUL in the URL: no name holds one, and no database takes it."""
    if "\x00" in request.path:
        raise NotFound("There is nothing at this address.")
    if b"%00" in request.query_string:
        raise Invalid("The query holds a NUL character.")


def plumbing() -> Plumbing:
    """The application's plumbing."""
    return cast(Plumbing, current_app.extensions["switchboard"])


def waiting() -> Waiting:
    """The places for waiting threads of this process."""
    return cast(Waiting, current_app.extensions["switchboard.waiting"])


def agent() -> Agent:
    """The calling agent, by its `sbk_…` bearer. Raises Unauthenticated, Forbidden, RateLimited."""
    lib = plumbing()
    who = endpoints.recognise(lib, _bearer("sbk_"))
    g.caller = Caller(Actor(f"agent {who.name}", who.endpoint_id), who.owner_id)
    endpoints.charge(lib, who)
    return who


def agent_with(family: str) -> Agent:
    """The calling agent, if it has those verbs: who has not is told so before anything it sent is read.

    Raises as `agent`, and Forbidden.
    """
    who = agent()
    who.require(family)
    return who


def operator() -> Operator:
    """The calling operator, by an `sbp_…` bearer or as a page of ours. Raises Unauthenticated."""
    lib = plumbing()
    who = cookie.operator(lib) if cookie.is_used() else login.with_token(lib, _bearer("sbp_"))
    g.caller = Caller(who.actor, who.account_id)
    return who


def by_agent() -> bool:
    """Whether an agent calls, where anybody else is taken for an operator."""
    return _token().startswith("sbk_")


def by_operator() -> bool:
    """Whether an operator calls, where anybody else is taken for an agent."""
    return cookie.is_used() or _token().startswith("sbp_")


def _bearer(prefix: str) -> str:
    if not _token().startswith(prefix):
        raise Unauthenticated(
            f"Send Authorization: Bearer {prefix}… with a credential of that kind."
        )
    return _token()


def _token() -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class Whole(fields.Integer):
    """A whole number from `least` to what a column holds, or null; JSON's `true` is none.

    Not given it loads as `absent`.
    """

    def __init__(self, least: int = 1, *, absent: Any = None) -> None:
        fits = validate.Range(least, MAX_INTEGER)
        super().__init__(strict=True, load_default=absent, allow_none=True, validate=fits)

    def _validated(self, value: Any) -> int:
        if isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class Seconds(fields.Float):
    """A number of seconds, 0 or more, or null; neither text nor JSON's `true` is one."""

    def __init__(self) -> None:
        from_zero = validate.Range(min=0)
        super().__init__(load_default=None, allow_none=True, allow_nan=False, validate=from_zero)

    def _validated(self, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


def raw_body(limit: int) -> bytes:
    """The request's body, read in time. Raises TooLarge, UnsupportedMedia, Incomplete."""
    return bodies.read(request, limit, _deadlines())


def taken_body(limit: int) -> bodies.Taken:
    """The request's body as far as it came in time."""
    return bodies.take(request, limit, _deadlines())


def _deadlines() -> ReadDeadlines:
    return cast(ReadDeadlines, current_app.extensions["switchboard.deadlines"])


def json_body(schema: Schema) -> dict[str, Any]:
    """The request's JSON body checked by `schema`; no body at all reads as `{}`.

    Raises Invalid naming the first field that is wrong, and as `raw_body` does.
    """
    raw = raw_body(BODY_BYTES)
    try:
        given = strictjson.loads(raw) if raw.strip() else {}
    except ValueError as error:
        raise Invalid(f"The body is not JSON: {error}.", "invalid_json") from None
    try:
        return cast(dict[str, Any], schema.load(given, unknown=EXCLUDE))
    except ValidationError as error:
        raise _first(error) from None


def _first(error: ValidationError) -> Invalid:
    messages: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]
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


def whole_list(noun: str, rows: list[dict[str, Any]]) -> Response:
    """A list, by id, that one owner keeps short by hand, paged all the same."""
    after, limit = page_arguments()
    left = [row for row in rows if after is None or row["id"] > after]
    shown = left[:limit]
    return jsonify({noun: shown, "next": shown[-1]["id"] if len(left) > limit else None})
