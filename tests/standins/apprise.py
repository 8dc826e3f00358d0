"""An Apprise API that we script; see `standins/scripted.py`. It holds one configuration.

https://github.com/caronc/apprise-api#persistent-storage-solution
"""

from tests.standins.scripted import Provider, Route, StandIn

KEY, LOGIN = "canary-apprise-key", "ana:canary-apprise-login"
APPRISE = Provider(
    name="apprise",
    routes=(
        Route("GET", rf"/json/urls/{KEY}/?", "services"),
        Route("GET", r"/json/urls/[A-Za-z0-9_-]+/?", "nothing_stored"),
        Route("POST", rf"/notify/{KEY}", "sent"),
        Route("POST", r"/notify/[A-Za-z0-9_-]+", "nothing_stored"),
    ),
    knows=lambda headers: True,
    stranger="login_needed",
    lost="not_found",
    facts={},
)


def standin() -> StandIn:
    """An Apprise API, not yet running."""
    return StandIn(APPRISE)
