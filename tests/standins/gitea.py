"""A Gitea (or Forgejo) that we script, below whatever path it is mounted at; see `standins/scripted.py`.

Its answers are written from Gitea's API documentation; `providers/test_gitea_client.py` holds them and our
calls against a client that was generated from Gitea's own OpenAPI document.
https://docs.gitea.com/api/
"""

from tests.standins.scripted import Provider, Route, StandIn

TOKEN = "gta_canary0123456789abcdef0123456789abcdef"
REPO = r"/repos/(?P<owner>[\w.-]+)/(?P<repo>[\w.-]+)"
GITEA = Provider(
    name="gitea",
    routes=(
        Route("POST", rf"/api/v1{REPO}/issues/(?P<number>\d+)/comments", "created"),
        Route("GET", r"/api/v1/user", "user"),
    ),
    knows=lambda headers: headers.get("authorization", "").startswith("token "),
    stranger="token_is_required",
    lost="not_found",
    facts={},
)


def standin() -> StandIn:
    """A Gitea, not yet running."""
    return StandIn(GITEA)
