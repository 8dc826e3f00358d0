"""What a measured box holds: an account, an endpoint, a source, a connection to a stand-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from switchboard.access import accounts, endpoints
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound import sources
from switchboard.lib import migrate
from switchboard.lib.plumbing import Plumbing
from switchboard.vault import connections


@dataclass(frozen=True)
class World:
    """How to reach it: the hook's path and secret, the agent's credential; and the ids of its parts."""

    path: str
    secret: str
    credential: str
    source: str
    endpoint: str
    account: str


def make(environ: Mapping[str, str]) -> World:
    """Migrate an empty database and fill it."""
    lib, who = Plumbing(read_settings(environ)), Machine()
    migrate.upgrade(lib.db)
    account = accounts.create(lib, accounts.NewAccount("bench", "bench@example.org"))
    vended = endpoints.vend(lib, who, "agent", owner="bench", verbs=["drain", "reply"])
    added = sources.add(lib, who, sources.NewSource("github", "hook", owner="bench"))
    new = connections.NewConnection("github", "hook", "github.com", "benchmark", owner="bench")
    connections.add(lib, who, new)
    lib.db.dispose()
    return World(
        path=urlsplit(added.source["ingest_url"]).path,
        secret=added.secret or "",
        credential=vended.credential,
        source=added.source["id"],
        endpoint=vended.endpoint["id"],
        account=account["id"],
    )
