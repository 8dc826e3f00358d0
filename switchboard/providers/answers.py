"""A provider's answer in our closed vocabulary of error classes."""

from __future__ import annotations

import re
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from switchboard.lib import clock
from switchboard.lib.http import Answer
from switchboard.lib.text import one_line
from switchboard.providers.base import Credential, Identity, Posted

Told = TypeVar("Told", Posted, Identity)

MAX_CODE = 64
MAX_RETRY_AFTER_SECONDS = 3600
UNSAID_SECONDS = 60  # how long a 429 that does not say so is meant, as GitHub's documentation asks
PIECE, SHORTEST = 12, 6  # characters of a secret in a row that are no accident, and of a short one
THEIRS = ("object_id", "permalink", "error_code", "identity", "bot_id")
CLASSES = {401: "auth", 403: "forbidden", 404: "not_found", 410: "not_found", 423: "forbidden"}
_SAFE_CODE = re.compile(r"[^A-Za-z0-9_.-]+")


def refused(answer: Answer, code: str | None) -> Posted:
    """An answer that is not a success.

    `code` is the provider's own short code, None when it gave none. 5xx leaves it open whether the
    post was made, so it is `unknown`.
    """
    if answer.status >= 500:
        return Posted("unknown", error_class="server", error_code=safe_code(str(answer.status)))
    pause = _pause(answer)
    error_class = CLASSES.get(answer.status, "invalid")
    if answer.status == 429 or (answer.status == 403 and pause is not None):
        error_class, pause = "rate_limited", UNSAID_SECONDS if pause is None else pause
    if 300 <= answer.status < 400:
        code = "redirect"
    return Posted(
        "failed",
        error_class=error_class,
        error_code=safe_code(code or str(answer.status)),
        retry_after=pause if error_class == "rate_limited" else None,
    )


def identity(answer: Answer, name: object, code: str | None, otherwise: str) -> Identity:
    """Whose credential a read with status 200 says it is.

    `name` is what the answer calls him, `code` the provider's short code of a refusal, `otherwise` the
    code for a 200 that names nobody: a page of the server, or of another one.
    """
    if answer.status == 200 and isinstance(name, str):
        return Identity(True, one_line(name, 64) or None)
    if answer.status == 200:
        return Identity(False, None, "invalid", otherwise)
    problem = refused(answer, code)
    return Identity(False, None, problem.error_class, problem.error_code)


def without_secret(credential: Credential, told: Told) -> Told:
    """What a provider told, without whatever holds a piece of the credential it was told with.

    It shows what it likes in names, links and codes; a page, a log or an agent may see those.
    """
    theirs = {name: value for name in THEIRS if isinstance(value := getattr(told, name, None), str)}
    hidden: dict[str, Any] = {
        name: None for name, value in theirs.items() if _holds(value, credential.secret)
    }
    return replace(told, **hidden)


def _holds(value: str, secret: str) -> bool:
    pieces = (secret[at : at + PIECE] for at in range(max(1, len(secret) - PIECE + 1)))
    return any(
        len(piece) >= SHORTEST and (piece in value or safe_code(piece) in value) for piece in pieces
    )


def safe_code(code: str) -> str:
    """A provider's code cut to 64 characters of `[A-Za-z0-9_.-]`."""
    return _SAFE_CODE.sub("_", code)[:MAX_CODE]


def _pause(answer: Answer) -> int | None:
    """After how many seconds the provider will listen again, where it says so."""
    said = retry_after(answer)
    return until_reset(answer) if said is None else said


def retry_after(answer: Answer) -> int | None:
    """Seconds of a Retry-After header in either form of RFC 9110, counted up to an hour; else None."""
    raw = answer.headers.get("Retry-After", "").strip()
    if raw.isascii() and raw.isdigit():
        return min(int(raw[:9]), MAX_RETRY_AFTER_SECONDS)
    try:
        moment = parsedate_to_datetime(raw[:64])
    except ValueError:
        return None
    return _seconds_to(int(moment.timestamp()))


def until_reset(answer: Answer) -> int | None:
    """Seconds until the hour's requests are given anew, where an answer says that none is left.

    GitHub's primary limit (docs.github.com, "Rate limits for the REST API"): `X-RateLimit-Remaining: 0`
    and a reset time in epoch seconds. Up to an hour.
    """
    remaining, reset = (
        answer.headers.get(f"X-RateLimit-{name}", "").strip() for name in ("Remaining", "Reset")
    )
    if remaining != "0" or not (reset.isascii() and reset.isdigit()):
        return None
    return _seconds_to(int(reset[:12]))


def _seconds_to(epoch: int) -> int:
    return max(1, min(epoch - int(clock.now().timestamp()), MAX_RETRY_AFTER_SECONDS))
