"""A Gotify that we script; see `standins/scripted.py`. It knows one application's and one client's token.

Its order is Gotify's: first the token, then the message. https://gotify.net/api-docs
"""

from tests.standins.scripted import Provider, Route, StandIn

APPLICATION, CLIENT = "Acanary.0123456", "Ccanary.0123456"
GOTIFY = Provider(
    name="gotify",
    routes=(
        Route("POST", r"/message", "message_is_required"),
        Route("GET", r"/version", "version"),
    ),
    knows=lambda headers: headers.get("x-gotify-key") == APPLICATION,
    stranger="unauthorized",
    lost="not_found",
    facts={},
)


def standin() -> StandIn:
    """A Gotify, not yet running."""
    return StandIn(GOTIFY)
