"""OAuth for MCP clients that insist on it: what a human lets a program have, and its token.

The protocol's own rules (parameters, PKCE, redirect URIs) are the SDK's (`switchboard/mcp/oauth.py`);
here is what they work on. A token is a second credential of an endpoint that exists: it is for one program,
for some of the endpoint's verbs, and ends with the endpoint. There are no refresh tokens: a token lasts
until it expires or somebody revokes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from itsdangerous import BadData, URLSafeTimedSerializer

from switchboard.access import oauth_store as store
from switchboard.access import owners
from switchboard.access import store as access_store
from switchboard.access.endpoints import CREDENTIAL_PREFIX
from switchboard.access.principals import FAMILIES, Operator
from switchboard.errors import Invalid, NotFound
from switchboard.events import log as events
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Endpoint, EndpointToken, OAuthCode

CODE_SECONDS = 60
ASKING_SECONDS = 600  # from being sent to the consent screen to the answer
FORGET_CODES_SECONDS = 86_400
_S256 = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)  # RFC 7636 section 4.2


@dataclass(frozen=True)
class Asking:
    """What a program asks for; it travels through the browser, signed, until a human answers."""

    client_id: str
    redirect_uri: str
    redirect_uri_given: bool
    challenge: str
    state: str | None
    resource: str | None


@dataclass(frozen=True)
class Granted:
    """A code that was made, with what its exchange must be checked against."""

    code: str = field(repr=False)
    client_id: str
    verbs: tuple[str, ...]
    redirect_uri: str
    redirect_uri_given: bool
    challenge: str
    resource: str | None
    expires_at: datetime


def seal(lib: Plumbing, asking: Asking) -> str:
    """What is asked, signed, to travel through the browser."""
    return str(_signer(lib).dumps(vars(asking)))


def consent_url(lib: Plumbing, asking: Asking) -> str:
    """Where a human is asked. Raises Invalid for a challenge that no verifier could ever meet."""
    if not _S256.fullmatch(asking.challenge):
        raise Invalid(
            "code_challenge is the SHA-256 of the verifier, in base64url without padding."
        )
    return f"{lib.settings.base_url}/authorize/consent?{urlencode({'request': seal(lib, asking)})}"


def opened(lib: Plumbing, sealed: str) -> Asking:
    """What `seal` made. Raises Invalid for anything else, and after ten minutes."""
    try:
        given = _signer(lib).loads(sealed, max_age=ASKING_SECONDS)
        return Asking(**given)
    except BadData:
        raise Invalid("This request has expired. Start again in the program.") from None


def _signer(lib: Plumbing) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(lib.settings["SECRET_KEY"], salt="oauth-asking")


def offered(lib: Plumbing, operator: Operator, asking: Asking) -> Endpoint:
    """The endpoint that the program wants to work as, which the operator may configure.

    Raises NotFound for one that is not there, ended, or somebody else's.
    """
    with lib.db.read() as session:
        slug = _slug(lib, asking.resource or "")
        found = access_store.endpoint_of_slug(session, slug) if slug else None
        if found is None or found.revoked_at or not operator.configures(_owner(found)):
            raise NotFound("You have no such endpoint. Vend one, and give the program its MCP URL.")
        if found.expires_at and found.expires_at <= clock.now():
            raise NotFound("This endpoint has expired. Vend a new one.")
        return found


def _slug(lib: Plumbing, resource: str) -> str | None:
    """The slug in an endpoint's MCP URL, None for another; neither host nor slug has upper case."""
    base, _, slug = resource.lower().removesuffix("/").rpartition("/")
    ours = base == f"{lib.settings.base_url}/mcp".lower() and owners.NAME.fullmatch(slug)
    return slug if ours else None


def grant(
    lib: Plumbing,
    operator: Operator,
    asking: Asking,
    verbs: Sequence[str],
    expires_in: int | None = None,
) -> str:
    """Let the program work as the endpoint with these verbs; the code to send it back with.

    Raises NotFound, Invalid for verbs the endpoint has not, Forbidden `missing_capability`.
    """
    endpoint = offered(lib, operator, asking)
    granted = [family for family in FAMILIES if family in verbs]
    if not granted or not set(verbs) <= set(endpoint.verbs):
        raise Invalid("Tick one or more of the endpoint's verbs.", field="verbs")
    if "reply" in granted:
        operator.may_grant("x", "the reply verb")
    code = crypto.new_credential("sbc_")
    with lib.db.write() as session:
        known = store.client(session, asking.client_id)
        if known is None:
            raise NotFound("This program is not registered any more. Start again in it.")
        known.used_at = known.used_at or clock.now()
        store.forget_codes(session, clock.ago(FORGET_CODES_SECONDS))
        session.add(
            OAuthCode(
                hash=crypto.token_hash(code),
                client_id=known.id,
                endpoint_id=endpoint.id,
                verbs=granted,
                redirect_uri=asking.redirect_uri,
                redirect_uri_given=asking.redirect_uri_given,
                challenge=asking.challenge,
                resource=asking.resource,
                granted_by_account_id=operator.account_id,
                token_expires_at=clock.ahead(expires_in) if expires_in else None,
                expires_at=clock.ahead(CODE_SECONDS),
            )
        )
        data = {"program": known.name, "verbs": granted}
        happened = events.Happened(
            "endpoint.program_let_in", _owner(endpoint), endpoint.id, endpoint.name, data
        )
        events.append(session, operator.actor, happened)
    return code


def code(lib: Plumbing, client_id: str, given: str) -> Granted | None:
    """A code of that program which was made and not spent; one spent before ends its token too."""
    with lib.db.write() as session:
        found = store.code(session, crypto.token_hash(given))
        if found is None or found.client_id != client_id:
            return None
        if found.spent_at is not None:
            # RFC 6749 section 4.1.2: a code that comes twice was stolen
            store.end_token_of_code(session, found.hash, clock.now())
            return None
        return Granted(
            given,
            client_id,
            tuple(found.verbs),
            found.redirect_uri,
            found.redirect_uri_given,
            found.challenge,
            found.resource,
            found.expires_at,
        )


def exchange(lib: Plumbing, client_id: str, given: str) -> tuple[str, EndpointToken] | None:
    """Spend a code of that program; the token in clear, which exists only here, and its row.

    None when the code is unknown, spent or over.
    """
    token = crypto.new_credential(CREDENTIAL_PREFIX)
    with lib.db.write() as session:
        hashed = crypto.token_hash(given)
        found = store.code(session, hashed)
        if found is None or found.client_id != client_id:
            return None
        if not store.spend(session, hashed, clock.now()):
            store.end_token_of_code(session, hashed, clock.now())
            return None
        known = store.client(session, client_id)
        row = EndpointToken(
            id=ids.new("endpoint_token"),
            endpoint_id=found.endpoint_id,
            hash=crypto.token_hash(token),
            code_hash=hashed,
            client_id=client_id,
            client_name=known.name if known else "",
            verbs=found.verbs,
            granted_by_account_id=found.granted_by_account_id,
            created_at=clock.now(),
            expires_at=found.token_expires_at,
        )
        session.add(row)
        session.flush()
        session.expunge(row)
        return token, row


def client_of_token(lib: Plumbing, token: str) -> str | None:
    """The program that a live token was made for."""
    with lib.db.read() as session:
        found = store.token(session, crypto.token_hash(token))
        return None if found is None or found[0].revoked_at else found[0].client_id


def revoke(lib: Plumbing, token: str) -> None:
    """End a token, by the program that holds it; an unknown one is none."""
    with lib.db.write() as session:
        store.end_token(session, crypto.token_hash(token), clock.now())


def programs(lib: Plumbing, operator: Operator) -> dict[str, list[dict[str, Any]]]:
    """Endpoint id → the programs that may work as it, oldest first, of the endpoints he may change."""
    found: dict[str, list[dict[str, Any]]] = {}
    with lib.db.read() as session:
        for token in store.tokens_in(session, operator.configurable, clock.now()):
            found.setdefault(token.endpoint_id, []).append(_describe(token))
    return found


def _describe(token: EndpointToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "program": token.client_name,
        "verbs": list(token.verbs),
        "created_at": clock.iso(token.created_at),
        "expires_at": clock.iso(token.expires_at),
        "last_seen_at": clock.iso(token.last_seen_at),
    }


def shut_out(lib: Plumbing, operator: Operator, endpoint_id: str, token_id: str) -> None:
    """End a program's token, by a human. Raises NotFound for one that he may not end."""
    with lib.db.write() as session:
        live = store.tokens_in(session, operator.configurable, clock.now())
        token = next((t for t in live if (t.id, t.endpoint_id) == (token_id, endpoint_id)), None)
        endpoint = access_store.endpoint_by_id(session, endpoint_id)
        if endpoint is None or token is None:
            raise NotFound("There is no such program.")
        store.end_token(session, token.hash, clock.now())
        data = {"program": token.client_name}
        happened = events.Happened(
            "endpoint.program_shut_out", _owner(endpoint), endpoint.id, endpoint.name, data
        )
        events.append(session, operator.actor, happened)


def _owner(endpoint: Endpoint) -> str:
    return endpoint.owner_account_id or endpoint.owner_team_id or ""
