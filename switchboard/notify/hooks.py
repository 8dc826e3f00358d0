"""Managing hooks: set, look, rotate, test, remove. A human's matter: no grant of an agent covers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import endpoints
from switchboard.access.principals import Operator
from switchboard.errors import Conflict, Invalid, NotFound, RateLimited
from switchboard.events import log as events
from switchboard.faults import book as faults
from switchboard.lib import clock, crypto, ids
from switchboard.lib.http import Blocked
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.ratelimit import SIX_A_MINUTE
from switchboard.models import Endpoint, EndpointHook
from switchboard.models.hooks import MAX_URL
from switchboard.notify import body, call_store, ringing, store
from switchboard.notify.health import FAILING
from switchboard.notify.sealing import seal, signing_secrets

OVERLAP_SECONDS = 86_400


@dataclass(frozen=True)
class Made:
    """A hook set or rotated: the one time its secret exists in clear."""

    hook: dict[str, Any]
    secret: str


def put(lib: Plumbing, operator: Operator, ref: str, url: str) -> Made:
    """Give an endpoint its hook, in place of any it has: another address never shares a secret.

    Raises Invalid for a URL that is none, Conflict for an endpoint that is over and
    `encryption_required`, NotFound, Forbidden.
    """
    lib.sealer.require()
    host = _check_url(lib, url)
    secret = crypto.new_webhook_secret()
    with lib.db.write() as session:
        endpoint = endpoints.configurable(session, operator, ref)
        if endpoint.revoked_at:
            raise Conflict("This endpoint is revoked, so it takes no hook.")
        if earlier := store.hook_of(session, endpoint.id, locked=True):
            session.delete(earlier)
            session.flush()
            faults.clear_in(session, FAILING, endpoint.id, operator)
        hook = EndpointHook(
            endpoint_id=endpoint.id,
            url=url,
            secret=seal(lib, endpoint.id, secret),
            secret_fingerprint=crypto.fingerprint(secret),
            created_at=clock.now(),
            failures=0,
        )
        session.add(hook)
        try:
            session.flush()
        except IntegrityError:
            raise Conflict("Somebody set a hook of this endpoint just now.") from None
        _note(session, operator, "set", endpoint, host=host, fingerprint=hook.secret_fingerprint)
        return Made(_describe(hook, endpoint), secret)


def _check_url(lib: Plumbing, url: str) -> str:
    """The host of a URL that can be called. Raises Invalid."""
    try:
        if len(url) <= MAX_URL:
            return lib.http.check(url)
    except Blocked as error:
        if error.code == "plain_http":
            raise Invalid(
                "Plain HTTP is off. Use https://, or set SWITCHBOARD_ALLOW_HTTP=1.", field="url"
            ) from None
    raise Invalid(
        f"Give an https URL of up to {MAX_URL} plain characters, without user or fragment.",
        field="url",
    )


def get(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """The hook of an endpoint, without its secret. Raises NotFound, Forbidden."""
    with lib.db.read() as session:
        endpoint, hook = _hook(session, operator, ref)
        return _describe(hook, endpoint)


def in_view(lib: Plumbing, operator: Operator) -> dict[str, dict[str, Any] | None]:
    """Endpoint id → its hook, None for none, of those that the operator may change and nobody revoked."""
    with lib.db.read() as session:
        found = store.endpoints_with_hooks(session, operator.configurable)
        return {
            endpoint.id: _describe(hook, endpoint) if hook else None for endpoint, hook in found
        }


def rotate(lib: Plumbing, operator: Operator, ref: str) -> Made:
    """Give a hook a new secret; the one before signs beside it for a day."""
    lib.sealer.require()
    secret = crypto.new_webhook_secret()
    with lib.db.write() as session:
        endpoint, hook = _hook(session, operator, ref, locked=True)
        hook.previous_secret, hook.previous_until = hook.secret, clock.ahead(OVERLAP_SECONDS)
        hook.secret = seal(lib, endpoint.id, secret)
        hook.secret_fingerprint = crypto.fingerprint(secret)
        hook.rotated_at = clock.now()
        _note(session, operator, "rotated", endpoint, fingerprint=hook.secret_fingerprint)
        return Made(_describe(hook, endpoint), secret)


def remove(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Forget a hook, its secret, and the calls that were not made."""
    with lib.db.write() as session:
        endpoint, hook = _hook(session, operator, ref, locked=True)
        gone = _describe(hook, endpoint)
        store.forget_pending(session, endpoint.id)
        session.delete(hook)
        faults.clear_in(session, FAILING, endpoint.id, operator)
        _note(session, operator, "removed", endpoint, fingerprint=hook.secret_fingerprint)
        return gone


def test(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Call a hook once: `{at, ok, class, code}`, which counts for its health as any call does.

    Raises RateLimited beyond six a minute, Conflict `encryption_required`, NotFound, Forbidden.
    """
    with lib.db.read() as session:
        endpoint, hook = _hook(session, operator, ref)
        session.expunge_all()
    if wait := lib.buckets.take(f"hooktest:{endpoint.id}", SIX_A_MINUTE):
        raise RateLimited("This hook was tested often just now.", retry_after=wait)
    secrets = signing_secrets(
        lib, endpoint.id, hook.secret, hook.previous_secret, hook.previous_until
    )
    raw = body.test(at=clock.now(), endpoint=endpoint.slug)
    failure = ringing.post(lib, hook.url, raw, secrets, ids.new("hook_call"))
    at, (error_class, code) = clock.now(), failure or (None, None)
    lib.express.commit([call_store.health_write(endpoint.id, hook.secret_fingerprint, failure, at)])
    with lib.db.write() as session:
        said = {"ok": failure is None, "class": error_class, "code": code}
        if failure is None:
            faults.clear_in(session, FAILING, endpoint.id, operator)
        _note(session, operator, "tested", endpoint, **said)
    return {"at": clock.iso(at), **said}


def _hook(
    session: Session, operator: Operator, ref: str, *, locked: bool = False
) -> tuple[Endpoint, EndpointHook]:
    """The endpoint of that id, slug or name, and its hook, to those who may change them."""
    endpoint = endpoints.configurable(session, operator, ref)
    hook = store.hook_of(session, endpoint.id, locked=locked)
    if hook is None:
        raise NotFound("This endpoint has no hook.")
    return endpoint, hook


def _note(session: Session, operator: Operator, verb: str, endpoint: Endpoint, **data: Any) -> None:
    """Write what was done into the event log; of the address only the host, as the rest may be a secret."""
    about = f"endpoint {endpoint.name}"
    happened = events.Happened(f"hook.{verb}", endpoint.owner_id, endpoint.id, about, data)
    events.append(session, operator.actor, happened)


def _describe(hook: EndpointHook, endpoint: Endpoint) -> dict[str, Any]:
    overlaps = hook.previous_until is not None and hook.previous_until > clock.now()
    failed = {
        "at": clock.iso(hook.last_failure_at),
        "class": hook.last_failure_class,
        "code": hook.last_failure_code,
    }
    return {
        "endpoint": endpoint.slug,
        "url": hook.url,
        "fingerprint": hook.secret_fingerprint,
        "previous_until": clock.iso(hook.previous_until) if overlaps else None,
        "created_at": clock.iso(hook.created_at),
        "rotated_at": clock.iso(hook.rotated_at),
        "health": _health(hook),
        "last_success_at": clock.iso(hook.last_success_at),
        "last_failure": failed if hook.last_failure_at else None,
        "failures": hook.failures,
    }


def _health(hook: EndpointHook) -> str:
    """`untested`, `works` or `fails`, by its last call."""
    if hook.failures:
        return "fails"
    return "works" if hook.last_success_at else "untested"
