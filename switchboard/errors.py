"""Every refusal and failure of the product, one closed vocabulary for API, pages, tools and tests.

    SwitchboardError
    ├── SettingsError                  the start is refused; the sentence names the setting
    └── Problem                        an answer with a status and a stable code (RFC 9457)
        ├── BadRequest             400 bad_request · malformed_ref · empty_text · session_paused
        ├── Unauthenticated        401 unauthenticated · bad_signature · missing_signature
        │                              · stale_timestamp
        ├── Forbidden              403 forbidden · missing_capability · target_not_allowed
        │                              · setup_closed · setup_required · ceiling_exceeded
        │                              · forbidden_source_type · sender_mismatch
        ├── NotFound               404 not_found · unknown_source
        ├── Conflict               409 conflict · delivery_conflict · not_claimed · lease_lost
        │                              · no_reply_address · reply_window_closed · encryption_required
        │                              · mail_not_configured · question_closed
        ├── Incomplete             408 incomplete_body
        ├── TooLarge               413 too_large
        ├── UnsupportedMedia       415 unsupported_encoding
        ├── Invalid                422 invalid_argument · invalid_json · unmappable · no_target
        │                              · missing_delivery_id · secret_detected · no_connection
        │                              · mirror_read_only · auto_reply · empty_reply
        │                              · expired_token · revoked_token · unreadable
        ├── Misdirected            421 foreign_host
        ├── Locked                 423 source_paused
        ├── RateLimited            429 rate_limited (carries retry_after)
        └── Unavailable            503 storage_unavailable · encryption_required (carry retry_after)
                                       · unreachable (the bridge's: no Switchboard answers)

A class fixes the HTTP status; the code says which refusal of that family it is. Two kinds of answer are
no refusal of ours: a bug is 500 `internal`, and what HTTP itself refuses is named by its phrase
(405 `method_not_allowed`, 400 `bad_request`).
"""

from __future__ import annotations

from typing import Any, ClassVar


class SwitchboardError(Exception):
    """Root of everything this package raises on purpose."""


class SettingsError(SwitchboardError):
    """A setting is unknown or cannot be read; the message names it and says what to do."""


class Problem(SwitchboardError):
    """A refusal with a stable code.

    `code` is stable and machine-readable, `detail` one sentence for a human with the next step,
    `field` the offending input, `letter` a missing capability, `retry_after` whole seconds.
    """

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Internal error"

    def __init__(
        self,
        detail: str,
        code: str | None = None,
        *,
        field: str | None = None,
        letter: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.default_code
        self.field = field
        self.letter = letter
        self.retry_after = retry_after

    def as_dict(self) -> dict[str, Any]:
        """The `application/problem+json` body (RFC 9457), absent members left out."""
        body: dict[str, Any] = {
            "type": f"urn:switchboard:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        for name in ("field", "letter", "retry_after"):
            if (value := getattr(self, name)) is not None:
                body[name] = value
        return body


class BadRequest(Problem):
    """What is asked of a session cannot be meant: the statuses of docs/api.md, where it has its table."""

    status, default_code, title = 400, "bad_request", "Bad request"


class Unauthenticated(Problem):
    """Nothing proves who is calling."""

    status, default_code, title = 401, "unauthenticated", "Not authenticated"


class Forbidden(Problem):
    """The caller is known and may not do this."""

    status, default_code, title = 403, "forbidden", "Not allowed"


class NotFound(Problem):
    """It does not exist, or not for this caller: both look the same."""

    status, default_code, title = 404, "not_found", "Not found"


class Conflict(Problem):
    """The thing is not in the state that the call needs."""

    status, default_code, title = 409, "conflict", "Conflict"


class Incomplete(Problem):
    """The sender stopped before the body was whole, or took too long over it."""

    status, default_code, title = 408, "incomplete_body", "Body incomplete"


class TooLarge(Problem):
    """The body is over its cap."""

    status, default_code, title = 413, "too_large", "Body too large"


class UnsupportedMedia(Problem):
    """The body's encoding or media type is not one we read."""

    status, default_code, title = 415, "unsupported_encoding", "Unsupported encoding"


class Invalid(Problem):
    """The input is understood and wrong."""

    status, default_code, title = 422, "invalid_argument", "Invalid input"


class Misdirected(Problem):
    """The request names a host that is none of ours (RFC 9110 section 15.5.20)."""

    status, default_code, title = 421, "foreign_host", "Misdirected request"


class Locked(Problem):
    """This source is paused, by a human or by its failures."""

    status, default_code, title = 423, "source_paused", "Paused"


class RateLimited(Problem):
    """Too much at once; `retry_after` says when to come back."""

    status, default_code, title = 429, "rate_limited", "Too many requests"


class Unavailable(Problem):
    """Our own storage is away; the one family that asks for another try."""

    status, default_code, title = 503, "storage_unavailable", "Temporarily unavailable"
