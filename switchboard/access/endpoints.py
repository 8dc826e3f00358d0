"""Endpoints: vend, list, revoke, and recognise an agent by its credential."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import ceilings, oauth_store, owners, store
from switchboard.access.ceilings import Ceiling
from switchboard.access.principals import (
    BASIC_FAMILIES,
    CONFIGURING_ROLES,
    FAMILIES,
    Agent,
    Operator,
)
from switchboard.errors import Conflict, Forbidden, Invalid, RateLimited, Unauthenticated
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Account, Endpoint, EndpointToken

CREDENTIAL_PREFIX = "sbk_"
DEFAULT_QUEUE = "default"
MAX_QUEUES = 32
MAX_EXPIRY_SECONDS = 10 * 365 * 86_400
SEEN_EVERY = timedelta(minutes=1)
GROUPS = {"basic": BASIC_FAMILIES, "all": FAMILIES}
_QUEUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True)
class Vended:
    """A new endpoint with its credential, which exists in clear only here."""

    endpoint: dict[str, Any]
    credential: str


def vend(
    lib: Plumbing,
    operator: Operator,
    name: str,
    *,
    owner: Mapping[str, Any] | str | None = None,
    verbs: Sequence[str] = ("drain",),
    queues: Sequence[str] = (),
    expires_in: int | None = None,
    ceiling: Mapping[str, Any] | None = None,
) -> Vended:
    """Vend an endpoint; `expires_in` is in seconds, None never.

    `verbs` are families, `basic` or `all`; `ceiling` is as `ceilings.check` takes it. Raises Invalid for
    unknown verbs, queues or kinds, Forbidden for `reply` without the letter `x` and for `webhook` without
    those of its webhooks, Conflict for a taken name.
    """
    credential = crypto.new_credential(CREDENTIAL_PREFIX)
    granted = _check_verbs(verbs)
    if "reply" in granted:
        operator.may_grant("x", "the reply verb")
    worked = _check_queues(queues)
    under = ceilings.check(lib.settings, ceiling or {}, wanted="webhook" in granted, queues=worked)
    if under and under.webhooks:
        operator.may_grant(ceilings.usual_letters(lib.settings, under.kinds), "the webhook verbs")
    with lib.db.write() as session:
        whose = owners.resolve(session, operator, owner)
        endpoint = Endpoint(
            id=ids.new("endpoint"),
            slug=_slug(owners.check_name(name)),
            name=name,
            **whose.columns,
            credential_hash=crypto.token_hash(credential),
            verbs=granted,
            queues=worked,
            ceiling=under.columns if under else None,
            vended_by_account_id=operator.creator_id,
            created_at=clock.now(),
            expires_at=_expiry(expires_in),
        )
        session.add(endpoint)
        try:
            session.flush()
        except IntegrityError:
            raise Conflict(f"{whose.name} has an endpoint named {name}.", field="name") from None
        return Vended(describe(lib, endpoint, whose.label), credential)


def _check_verbs(verbs: Sequence[str]) -> list[str]:
    wanted = {family for verb in verbs for family in GROUPS.get(verb, (verb,))}
    if not wanted or not wanted <= set(FAMILIES):
        raise Invalid(
            f"Verbs are one or more of {', '.join(FAMILIES)}, or basic, or all.", field="verbs"
        )
    return [family for family in FAMILIES if family in wanted]


def _check_queues(queues: Sequence[str]) -> list[str]:
    wanted = list(dict.fromkeys(queues)) or [DEFAULT_QUEUE]
    if len(wanted) > MAX_QUEUES or not all(_QUEUE.fullmatch(queue) for queue in wanted):
        raise Invalid(
            f"Use up to {MAX_QUEUES} queue names of letters, digits, dots, dashes, underscores.",
            field="queues",
        )
    return wanted


def _expiry(seconds: int | None) -> datetime | None:
    if seconds is None:
        return None
    if not 1 <= seconds <= MAX_EXPIRY_SECONDS:
        raise Invalid(
            f"An endpoint expires in 1 to {MAX_EXPIRY_SECONDS} seconds.", field="expires_in"
        )
    return clock.ahead(seconds)


def _slug(name: str) -> str:
    return f"{name.lower()[:48]}-{secrets.token_hex(4)}"


def describe(lib: Plumbing, endpoint: Endpoint, owner: Mapping[str, str] | None) -> dict[str, Any]:
    """The endpoint as JSON; its credential is not in it."""
    state = "revoked" if endpoint.revoked_at else "active"
    if state == "active" and endpoint.expires_at and endpoint.expires_at <= clock.now():
        state = "expired"
    return {
        "id": endpoint.id,
        "name": endpoint.name,
        "slug": endpoint.slug,
        "owner": owner,
        "state": state,
        "mcp_url": f"{lib.settings.base_url}/mcp/{endpoint.slug}",
        "verbs": list(endpoint.verbs),
        "queues": list(endpoint.queues),
        "ceiling": endpoint.ceiling,
        "created_at": clock.iso(endpoint.created_at),
        "expires_at": clock.iso(endpoint.expires_at),
        "last_seen_at": clock.iso(endpoint.last_seen_at),
    }


def in_view(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The endpoints the operator may see, oldest first."""
    with lib.db.read() as session:
        rows = store.endpoints_in(session, operator.visible)
    labels = owners.labels(lib, [row.owner_account_id or row.owner_team_id or "" for row in rows])
    return [
        describe(lib, row, labels.get(row.owner_account_id or row.owner_team_id or ""))
        for row in rows
    ]


def revoke(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """End an endpoint, by id, slug or name, for good: its credential stops at once.

    Raises NotFound, Forbidden, Conflict for a name that several owners use.
    """
    with lib.db.write() as session:
        endpoint = configurable(session, operator, ref)
        endpoint.revoked_at = endpoint.revoked_at or clock.now()
        return describe(lib, endpoint, owners.label_of(session, endpoint.owner_id))


def configurable(session: Session, operator: Operator, ref: str) -> Endpoint:
    """The endpoint of that id, slug or name, to those who may change it.

    Raises NotFound, Forbidden, Conflict for a name that several owners use.
    """
    called = store.endpoints_called(session, ref, operator.visible)
    endpoint = owners.the_one(called, ref, "endpoint")
    operator.may_configure(endpoint.owner_id)
    return endpoint


def names(session: Session, endpoint_ids: Collection[str]) -> dict[str, str]:
    """Endpoint id → name, of ended ones too."""
    return store.endpoint_names(session, endpoint_ids)


def has_ended(session: Session, endpoint_id: str) -> bool:
    """Whether an endpoint was revoked or has expired: no agent comes through it any more."""
    found = store.endpoint_by_id(session, endpoint_id)
    now = clock.now()
    return found is None or bool(found.revoked_at or (found.expires_at and found.expires_at <= now))


def recognise(lib: Plumbing, credential: str) -> Agent:
    """The agent of an `sbk_…` credential; the door charges the call.

    Raises Unauthenticated when it is unknown, revoked or expired, Forbidden when whoever vended it
    may no longer.
    """
    now = clock.now()
    with lib.db.read() as session:
        found = _found(session, crypto.token_hash(credential))
        if found is None or found.ended:
            raise Unauthenticated("This credential is not known, or was revoked.")
        if found.expires_at and found.expires_at <= now:
            raise Unauthenticated("This credential has expired; a human can vend a new endpoint.")
        for account in found.vouchers:
            roles = store.roles_of(session, account.id) if found.endpoint.owner_team_id else {}
            _check_voucher(found.endpoint, account, roles)
        agent = _agent(found)
    if found.seen is None or found.seen < now - SEEN_EVERY:
        with lib.db.write() as session:
            store.touch_endpoint(session, agent.endpoint_id, now)
            if found.token is not None:
                oauth_store.touch(session, found.token.id, now)
    return agent


@dataclass(frozen=True)
class _Found:
    """A credential's endpoint, the token if it is a program's, and the humans behind it."""

    endpoint: Endpoint
    token: EndpointToken | None
    vouchers: tuple[Account, ...]

    @property
    def ended(self) -> bool:
        return bool(self.endpoint.revoked_at or (self.token and self.token.revoked_at))

    @property
    def expires_at(self) -> datetime | None:
        ends = (self.endpoint.expires_at, self.token.expires_at if self.token else None)
        return min((end for end in ends if end), default=None)

    @property
    def seen(self) -> datetime | None:
        return self.token.last_seen_at if self.token else self.endpoint.last_seen_at


def _found(session: Session, credential_hash: str) -> _Found | None:
    own = store.endpoint_of_credential(session, credential_hash)
    if own is not None:
        return _Found(own[0], None, () if own[1] is None else (own[1],))
    programs = oauth_store.token(session, credential_hash)
    if programs is None:
        return None
    token, endpoint, voucher, granter = programs
    return _Found(endpoint, token, (granter,) if voucher is None else (voucher, granter))


def _check_voucher(endpoint: Endpoint, voucher: Account, roles: Mapping[str, str]) -> None:
    team = endpoint.owner_team_id
    if voucher.disabled_at or (team and roles.get(team) not in CONFIGURING_ROLES):
        raise Forbidden("Whoever vended this endpoint may no longer; an owner can vend a new one.")


def _agent(found: _Found) -> Agent:
    """The bearer: a program has the verbs it was granted, and all the letters that all behind it hold."""
    endpoint, token = found.endpoint, found.token
    verbs = [verb for verb in endpoint.verbs if token is None or verb in token.verbs]
    held = [set(account.letters) for account in found.vouchers]
    return Agent(
        endpoint_id=endpoint.id,
        slug=endpoint.slug,
        name=endpoint.name,
        owner_id=endpoint.owner_account_id or endpoint.owner_team_id or "",
        verbs=tuple(verbs),
        queues=tuple(endpoint.queues),
        expires_at=found.expires_at,
        letters="".join(sorted(set.intersection(*held))) if held else None,
        ceiling=Ceiling(**endpoint.ceiling) if endpoint.ceiling else ceilings.NONE,
    )


def charge(lib: Plumbing, agent: Agent) -> None:
    """Charge one call. Raises RateLimited over the endpoint's rate."""
    wait = lib.buckets.take(f"endpoint:{agent.endpoint_id}", lib.settings["ENDPOINT_RATE"])
    if wait:
        raise RateLimited("This endpoint calls too often.", retry_after=wait)
