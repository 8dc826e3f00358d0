"""Changing a source: what it may do, where its work goes, its state, its secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict, Invalid
from switchboard.faults import book as faults
from switchboard.inbound import built_in, fault_codes, rules, source_checks, store
from switchboard.inbound.source_views import described
from switchboard.inbound.sources import Added, add_secret, note
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Source
from switchboard.providers import source_kind


def set_state(lib: Plumbing, operator: Operator, ref: str, state: str) -> dict[str, Any]:
    """Pause (`paused`), resume (`active`) or revoke (`revoked`) a source."""
    built_in.wanted(lib, ref)
    with lib.db.write() as session:
        source = configurable(session, operator, ref, locked=True)
        if state == "revoked" and source.transport:
            raise Conflict("A built-in source cannot be revoked. Pause it, or take its letters.")
        _set_state(session, operator, source, state)
        if state == "revoked":
            note(session, operator, "revoked", source)
        return described(lib, session, source)


def _set_state(session: Session, operator: Operator, source: Source, state: str) -> None:
    source.state, source.probe_at = state, None
    source.paused_by = "human" if state == "paused" else None
    if state != "paused":
        source.failures = 0
    # a pause of a human's ends that of its failures, whose fault says that one is let through now and then
    ended = (fault_codes.PAUSED,) if state == "paused" else fault_codes.CODES
    for code in ended:
        faults.clear_in(session, code, source.id, operator)


def edit(lib: Plumbing, operator: Operator, ref: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change `letters`, `repos`, `host`, `to`, `rules`, `red_opens_todo` or `state`.

    What is not named stays. Raises as adding one does.
    """
    if "rules" in changes:  # before the transaction: compiling takes its time
        changes = {**changes, "rules": rules.check(lib, operator, changes["rules"])}
    built_in.wanted(lib, ref)
    with lib.db.write() as session:
        source = configurable(session, operator, ref, locked=True)
        kind = source_kind(lib.settings, source.kind)
        if "letters" in changes:
            _set_letters(operator, source, changes["letters"])
        if "host" in changes:
            source.host = source_checks.host(kind, changes["host"])
        if "repos" in changes:
            source.repo_globs = source_checks.globs(kind, changes["repos"])
        if "to" in changes:
            _set_targets(session, source, changes["to"])
        if "rules" in changes:
            source.rules = changes["rules"]
        if "to" in changes or "rules" in changes:
            session.flush()
            rules.check_targets(source.rules, store.queues_routed(session, source.id))
        if "red_opens_todo" in changes:
            source.red_opens_todo = source_checks.red_opens_todo(
                kind, bool(changes["red_opens_todo"])
            )
        if "state" in changes:
            _set_state(session, operator, source, _check_state(changes["state"]))
        return described(lib, session, source)


def _set_letters(operator: Operator, source: Source, text: str) -> None:
    granted = letters.parse(text)
    # what it already has is nobody's grant now
    operator.may_grant("".join(sorted(set(granted) - set(source.letters))), "a source its letters")
    source.letters = granted


def _set_targets(session: Session, source: Source, to: list[str]) -> None:
    owner = Owner(source.owner_id, "The owner", source.owner_team_id is not None)
    targets = source_checks.targets(session, owner, to) if to else []
    store.set_routes(session, source.id, [(each.id, queue) for each, queue in targets])


def _check_state(state: str) -> str:
    if state not in ("active", "paused"):
        raise Invalid("A source is active or paused; revoking it is another call.", field="state")
    return state


def rotate(lib: Plumbing, operator: Operator, ref: str, secret: str | None = None) -> Added:
    """Give a source a new secret; the old one is accepted for ROTATION_OVERLAP_SECONDS more.

    One that an agent gave or got is known to it from then on.
    """
    lib.sealer.require()
    built_in.wanted(lib, ref)
    with lib.db.write() as session:
        source = configurable(session, operator, ref, locked=True)
        kind = source_kind(lib.settings, source.kind)
        fresh = source_checks.secret(kind, secret)
        if fresh is None:
            raise Invalid(
                f"A {source.kind} source has no secret to rotate. "
                "For a new address, add a new source and revoke this one.",
                field="kind",
            )
        overlap = lib.settings["ROTATION_OVERLAP_SECONDS"]
        store.expire_secrets(session, source.id, clock.now(), clock.ahead(overlap))
        add_secret(lib, session, source.id, fresh)
        if operator.endpoint_id is not None:
            source.secret_known_to_agent = True
        shown = described(lib, session, source)
        note(session, operator, "rotated", source, fingerprint=shown["fingerprint"])
        return Added(shown, fresh)


def configurable(session: Session, operator: Operator, ref: str, *, locked: bool = False) -> Source:
    """The source of that id or name, to those who may change it; `locked` by those who do so now.

    To an agent, those its endpoint made. Raises NotFound, Conflict, Forbidden.
    """
    found = store.sources_called(
        session, ref, operator.visible, made_by=operator.endpoint_id, locked=locked
    )
    source = owners.the_one(found, ref, "source")
    operator.may_configure(source.owner_id)
    return source
