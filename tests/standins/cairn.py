"""A Cairn that we script, below whatever path it is mounted at; see `standins/scripted.py`.

All that is known of its API stands in `switchboard/providers/cairn.py`: comments on artifacts, and who
the token belongs to.
"""

from tests.standins.scripted import Provider, Route, StandIn

CAIRN = Provider(
    name="cairn",
    routes=(
        Route("POST", r"/v1/artifacts/(?P<artifact>[\w-]+)/comments", "created"),
        Route("GET", r"/v1/me", "me"),
    ),
    knows=lambda headers: headers.get("authorization", "").startswith("Bearer "),
    stranger="unauthorized",
    lost="not_found",
    facts={},
)


def standin() -> StandIn:
    """A Cairn, not yet running."""
    return StandIn(CAIRN)
