"""The programs that may ask to be let in: they register themselves (RFC 7591), most are never let in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from switchboard.access import oauth_store as store
from switchboard.errors import Invalid, RateLimited
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean_json, one_line
from switchboard.models import OAuthClient

UNUSED_SECONDS = 86_400
REGISTRATIONS = (0.1, 20)  # anybody may register: twenty at once, then one every ten seconds
MOST_UNUSED = 1000  # at that pace the oldest of so many has waited for hours
MAX_REDIRECTS, MAX_URI = 10, 2000
_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_PRIVATE_SCHEME = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)*", re.ASCII)
_NETLOC = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_NEVER = {"javascript", "data", "file", "vbscript", "blob", "about", "ftp", "ws", "wss"}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True)
class Client:
    """A registered program. `details` is what it said of itself, `secret` what it signs in with, if so."""

    id: str
    name: str
    details: Mapping[str, Any]
    secret: str | None = field(repr=False)


def possible(lib: Plumbing) -> bool:
    """Whether the base URL can be an issuer: HTTPS, or this machine (RFC 8414 and the SDK)."""
    base = urlsplit(lib.settings.base_url)
    return base.scheme == "https" or base.hostname in ("localhost", "127.0.0.1")


def charge_registration(lib: Plumbing) -> None:
    """Take one from what all programs together may register. Raises RateLimited."""
    if wait := lib.buckets.take("oauth-register", REGISTRATIONS):
        raise RateLimited("Too many programs register just now.", retry_after=wait)


def register(lib: Plumbing, client_id: str, details: Mapping[str, Any], secret: str | None) -> None:
    """Keep a program that registered itself.

    `details` is JSON with `redirect_uris`. Raises Invalid for a redirect that is none. Of those that nobody
    let in the oldest makes room, so that a stranger who registers many keeps nobody out.
    """
    uris = [str(uri) for uri in details.get("redirect_uris") or ()]
    if not 1 <= len(uris) <= MAX_REDIRECTS or not all(map(_is_redirect, uris)):
        raise Invalid(
            "Redirects are https, http on loopback, or a program's own scheme.",
            field="redirect_uris",
        )
    name = one_line(str(details.get("client_name") or "a program without a name"), 100)
    with lib.db.write() as session:
        store.forget_unused(session, clock.ago(UNUSED_SECONDS), MOST_UNUSED - 1)
        session.add(
            OAuthClient(
                id=client_id,
                name=name,
                details=clean_json(dict(details)),
                secret_sealed=lib.sealer.seal(secret, client_id) if secret else None,
                created_at=clock.now(),
            )
        )


def _is_redirect(uri: str) -> bool:
    """RFC 8252: https, http to this machine, or a private-use scheme; no fragment (RFC 6749 3.1.2)."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return False
    if len(uri) > MAX_URI or not uri.isascii() or not uri.isprintable() or "#" in uri:
        return False
    if parts.scheme in ("http", "https"):
        # nothing in it that could mean more in a header than a host and a port
        plain = _NETLOC.fullmatch(parts.netloc) is not None
        return plain and (parts.scheme == "https" or host in _LOOPBACK)
    return _PRIVATE_SCHEME.fullmatch(parts.scheme) is not None and parts.scheme not in _NEVER


def client(lib: Plumbing, client_id: str) -> Client | None:
    """A registered program, or None."""
    if not _ID.fullmatch(client_id):  # no database takes a NUL
        return None
    with lib.db.read() as session:
        found = store.client(session, client_id)
        if found is None:
            return None
        secret = lib.sealer.open(found.secret_sealed, found.id) if found.secret_sealed else None
        return Client(found.id, found.name, found.details, secret)
