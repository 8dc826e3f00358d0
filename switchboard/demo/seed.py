"""One of each: account, endpoint, source, connection. `python -m switchboard.demo.seed` in a fresh demo."""

from __future__ import annotations

import secrets

from switchboard.access import accounts, endpoints
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.demo import folder
from switchboard.inbound import sources
from switchboard.lib.plumbing import Plumbing
from switchboard.vault import connections

ACCOUNT = "ana"


def seed(lib: Plumbing) -> dict[str, str]:
    """Make them; returns what the player needs, secrets among it."""
    password = secrets.token_urlsafe(9)
    accounts.create(lib, accounts.NewAccount(ACCOUNT, "ana@example.org", password))
    machine = Machine()
    vended = endpoints.vend(lib, machine, "helper", owner=ACCOUNT, verbs=["drain", "reply"])
    added = sources.add(lib, machine, sources.NewSource("github", "acme-on-github", ACCOUNT))
    bot = connections.NewConnection(
        kind="github",
        name="acme-bot",
        owner=ACCOUNT,
        account_key="github.com",
        secret=f"demo-{secrets.token_urlsafe(24)}",
        targets=["acme/*"],
    )
    connections.add(lib, machine, bot)
    return {
        "account": ACCOUNT,
        "password": password,
        "credential": vended.credential,
        "ingest_url": added.source["ingest_url"],
        "secret": added.secret,
    }


def main() -> None:
    """Seed the demo's database and keep the facts in its folder."""
    settings = read_settings()
    folder.write(settings.data, seed(Plumbing(settings)))


if __name__ == "__main__":
    main()
