"""A provider's answer in our closed vocabulary of error classes."""

from __future__ import annotations

import re

from switchboard.lib import clock
from switchboard.lib.http import Answer
from switchboard.lib.text import one_line
from switchboard.providers.base import Identity, Posted

MAX_CODE = 64
MAX_RETRY_AFTER_SECONDS = 3600
CLASSES = {401: "auth", 403: "forbidden", 404: "not_found", 410: "not_found", 423: "forbidden"}
_SAFE_CODE = re.compile(r"[^A-Za-z0-9_.-]+")


def refused(answer: Answer, code: str | None) -> Posted:
    """An answer that is not a success.

    `code` is the provider's own short code, None when it gave none. 5xx leaves it open whether the
    post was made, so it is `unknown`.
    """
    if answer.status >= 500:
        return Posted("unknown", error_class="server", error_code=safe_code(str(answer.status)))
    pause = retry_after(answer) or until_reset(answer)
    error_class = CLASSES.get(answer.status, "invalid")
    if answer.status == 429 or (answer.status == 403 and pause is not None):
        error_class = "rate_limited"
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


def safe_code(code: str) -> str:
    """A provider's code cut to 64 characters of `[A-Za-z0-9_.-]`."""
    return _SAFE_CODE.sub("_", code)[:MAX_CODE]


def retry_after(answer: Answer) -> int | None:
    """Seconds of a Retry-After header (RFC 9110, delta form), counted up to an hour; else None."""
    raw = answer.headers.get("Retry-After", "").strip()
    if not (raw.isascii() and raw.isdigit()):
        return None
    return min(int(raw[:9]), MAX_RETRY_AFTER_SECONDS)


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
    seconds = int(reset[:12]) - int(clock.now().timestamp())
    return max(1, min(seconds, MAX_RETRY_AFTER_SECONDS))
