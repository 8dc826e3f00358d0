"""A source as JSON, for those who manage it and those who only look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import endpoints, owners
from switchboard.access.principals import Operator
from switchboard.errors import Conflict
from switchboard.inbound import built_in, store
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Source
from switchboard.providers import source_kind
from switchboard.providers.email import TRANSPORTS
from switchboard.threads import repos


def in_view(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The sources the operator may see, an agent those its endpoint made; oldest first.

    `ingest_url` and `steps` are None and [] where the operator may only look.
    """
    built_in.wanted(lib)
    with lib.db.read() as session:
        rows = store.sources_in(session, operator.visible, made_by=operator.endpoint_id)
        return [
            _describe(lib, row, about, configurable=operator.configures(row.owner_id))
            for row, about in zip(rows, _about(session, rows), strict=True)
        ]


def one(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """The source of that id or name, in the same form. Raises NotFound, and Conflict for a shared name."""
    with lib.db.read() as session:
        row = owners.the_one(store.sources_called(session, ref, operator.visible), ref, "source")
        about = _about(session, [row])[0]
        return _describe(lib, row, about, configurable=operator.configures(row.owner_id))


def described(lib: Plumbing, session: Session, source: Source) -> dict[str, Any]:
    """A source as whoever just changed it sees it."""
    session.flush()
    return _describe(lib, source, _about(session, [source])[0], configurable=True)


def _about(session: Session, rows: list[Source]) -> list[dict[str, Any]]:
    """What other tables know of each."""
    ids = [row.id for row in rows]
    routes, fingerprints = store.routes_of(session, ids), store.fingerprints_of(session, ids)
    labels_of_repos = repos.names(session, {row.repo_id for row in rows if row.repo_id})
    labels = owners.labels_of(session, {row.owner_id for row in rows})
    makers = endpoints.names(session, {row.made_by_endpoint_id or "" for row in rows})
    return [
        {
            "owner": labels.get(row.owner_id),
            "repo": labels_of_repos.get(row.repo_id or ""),
            "to": [f"{name}:{queue}" for name, queue in routes.get(row.id, [])],
            "fingerprint": fingerprints.get(row.id),
            "made_by": makers.get(row.made_by_endpoint_id or ""),
        }
        for row in rows
    ]


def _describe(
    lib: Plumbing, source: Source, about: Mapping[str, Any], *, configurable: bool
) -> dict[str, Any]:
    # whoever has the address may post to it, so those who only look are not shown it
    ingest_url = _ingest_url(lib, source, about["repo"]) if configurable else None
    kind = source_kind(lib.settings, source.kind)
    return {
        "id": source.id,
        "name": source.name,
        "kind": source.kind,
        "state": source.state,
        "letters": source.letters,
        "host": source.host,
        "repos": list(source.repo_globs),
        **about,
        "rules": list(source.rules),
        "red_opens_todo": source.red_opens_todo,
        "failures": source.failures,
        "pause_after": lib.settings["PAUSE_AFTER"],
        "paused_by": source.paused_by,
        "probe_at": clock.iso(source.probe_at),
        "signs": kind.signs,
        "secret_known_to_agent": source.secret_known_to_agent,
        "configurable": configurable,
        "ingest_url": ingest_url,
        "steps": kind.steps(ingest_url) if ingest_url else [],
        "created_at": clock.iso(source.created_at),
    }


def _ingest_url(lib: Plumbing, source: Source, repo: str | None) -> str | None:
    """The address to post to, for mail by SMTP our own; None while the key that opens it is missing."""
    if source.transport is not None:
        return f"{lib.settings.base_url}{TRANSPORTS[source.transport].path}"
    if repo is not None:
        return f"{lib.settings.base_url}/api/v1/r/{repo}/inbound/{source.name}"
    try:
        token = lib.sealer.open(source.token_sealed, source.id)
    except Conflict:
        return None
    return f"{lib.settings.base_url}/hooks/{token}"
