"""A notify service that we script; see `standins/scripted.py`. It checks signatures as it signs its own."""

import hmac
import time

from tests.standins.github import Request
from tests.standins.scripted import Provider, Route, StandIn

SECRET = "canary-notify-secret"
PATH = "/v1/notifications"
NOTIFY = Provider(
    name="notify",
    routes=(Route("POST", PATH, "accepted"),),
    knows=lambda headers: "x-notify-signature" in headers,
    stranger="bad_signature",
    lost="not_found",
    facts={},
)


def standin() -> StandIn:
    """A notify service, not yet running."""
    return StandIn(NOTIFY)


def is_signed(request: Request, raw: bytes, secret: str = SECRET) -> bool:
    """Whether a request bears a good signature of just now over these bytes."""
    at = request.headers["x-notify-timestamp"]
    wanted = hmac.new(secret.encode(), at.encode() + b"." + raw, "sha256").hexdigest()
    fresh = abs(time.time() - int(at)) < 300
    return fresh and hmac.compare_digest(request.headers["x-notify-signature"], f"sha256={wanted}")
