"""The five webhook verbs an agent may be granted: it lets providers write in, onto its own queues and
under its endpoint's ceiling, and manages the sources it made and nobody else's.

Each raises Forbidden without the grant, else as the function of `sources` or `source_changes` it stands
for. Whoever made or was shown a secret could sign as the provider: so no answer to such a source's todos
is posted but through a connection whose targets allowlist is not empty (`replies/resolve.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.access import owners
from switchboard.access.principals import Agent, Deputy
from switchboard.inbound import source_changes, source_views, sources, store
from switchboard.inbound.sources import Added, NewSource
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import addable_kind

FAMILY = "webhook"


@dataclass(frozen=True)
class NewWebhook:
    """What a webhook needs; without `queue` its work goes onto the first that the ceiling admits.

    Its letters are those usual for its kind, and whoever vended the endpoint must hold them.
    """

    kind: str
    name: str
    queue: str | None = None
    host: str = ""
    repos: Sequence[str] = ()
    secret: str | None = None


def list_webhooks(lib: Plumbing, agent: Agent) -> list[dict[str, Any]]:
    """Those this endpoint made, oldest first."""
    return source_views.in_view(lib, _deputy(agent))


def create_webhook(lib: Plumbing, agent: Agent, new: NewWebhook) -> Added:
    """Add a source that gives work to this endpoint only.

    Raises Forbidden `forbidden_source_type` and `ceiling_exceeded` beyond the ceiling.
    """
    deputy = _deputy(agent)
    addable_kind(lib.settings, new.kind)
    queue = new.queue or (agent.ceiling.queues or ("",))[0]
    agent.ceiling.admit(new.kind, queue)
    owner = owners.labels(lib, [agent.owner_id])[agent.owner_id]
    source = NewSource(
        new.kind,
        new.name,
        owner,
        host=new.host,
        repos=new.repos,
        secret=new.secret,
        to=[f"{agent.endpoint_id}:{queue}"],
    )
    with lib.db.write() as session:
        agent.ceiling.admit_one_more(store.count_made_by(session, agent.endpoint_id))
        return sources.add_in(lib, session, deputy, source)


def rotate_webhook(lib: Plumbing, agent: Agent, ref: str) -> Added:
    """Give it a fresh secret, which stands in this answer only."""
    return source_changes.rotate(lib, _deputy(agent), ref)


def set_webhook_secret(lib: Plumbing, agent: Agent, ref: str, secret: str) -> dict[str, Any]:
    """Give it the secret that the provider issued."""
    return source_changes.rotate(lib, _deputy(agent), ref, secret).source


def delete_webhook(lib: Plumbing, agent: Agent, ref: str) -> dict[str, Any]:
    """End it for good; there is room for another then."""
    return source_changes.set_state(lib, _deputy(agent), ref, "revoked")


def _deputy(agent: Agent) -> Deputy:
    agent.require(FAMILY)
    return agent.deputy()
