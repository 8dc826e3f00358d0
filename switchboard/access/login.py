"""Signing in: password, operator token, and the one-time setup link."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

from itsdangerous import BadSignature, Signer
from sqlalchemy.orm import Session
from werkzeug.security import check_password_hash, generate_password_hash

from switchboard.access import store
from switchboard.access.principals import Operator
from switchboard.errors import RateLimited, Unauthenticated
from switchboard.lib import crypto
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean
from switchboard.models import Account

TRIES = (0.1, 10)  # ten at once, then one every ten seconds, per name and address
TRIES_FROM_ONE_PLACE = (1.0, 30)
PATIENCE_SECONDS = 2.0
_SETUP = "first-account"
_comparing = threading.BoundedSemaphore(2)


@cache
def _nobodys_hash() -> str:
    """Compared against when the name is unknown, so that both cases take the same time."""
    return generate_password_hash("nobody has this password")


def with_password(lib: Plumbing, name: str, password: str, remote_addr: str) -> tuple[str, int]:
    """The (account id, session epoch) to keep in the session cookie.

    Raises Unauthenticated for a wrong name or password alike, RateLimited after too many tries.
    """
    _charge(lib, name, remote_addr)
    with lib.db.read() as session:
        account = store.account_named(session, clean(name))
    known = account is not None and account.password_hash and account.disabled_at is None
    stored = account.password_hash if account and account.password_hash else _nobodys_hash()
    if not (_matches(stored, password) and known and account):
        raise Unauthenticated("The name or the password is wrong.")
    return account.id, account.session_epoch


def _charge(lib: Plumbing, name: str, remote_addr: str) -> None:
    # names are found in any case, so they are counted in one
    person = crypto.token_hash(f"{name.lower()} {remote_addr}")
    waits = (
        lib.buckets.take(f"login:{person}", TRIES),
        lib.buckets.take(f"login-from:{remote_addr}", TRIES_FROM_ONE_PLACE),
    )
    if wait := max(waits):
        raise RateLimited("Too many tries to sign in. Wait a little.", retry_after=wait)


def _matches(stored: str, password: str) -> bool:
    """Compare slowly, on purpose; so slowly that only few threads may at once."""
    if not _comparing.acquire(timeout=PATIENCE_SECONDS):
        raise RateLimited("Too many are signing in just now. Try again.", retry_after=1)
    try:
        return check_password_hash(stored, password[:1024])
    finally:
        _comparing.release()


def end_sessions(lib: Plumbing, account_id: str) -> None:
    """Sign an account out everywhere: no copy of a cookie is good any more."""
    with lib.db.write() as session:
        account = store.account_by_id(session, account_id)
        if account is not None:
            account.session_epoch += 1


def of_cookie(lib: Plumbing, kept: Mapping[str, Any]) -> Operator | None:
    """The operator of a session cookie's content; None once disabled, or its sessions ended."""
    account_id, epoch = kept.get("account"), kept.get("epoch")
    if not isinstance(account_id, str) or not isinstance(epoch, int):
        return None
    with lib.db.read() as session:
        account = store.account_by_id(session, account_id)
        if account is None or account.disabled_at or account.session_epoch != epoch:
            return None
        return of_account(session, account)


def with_token(lib: Plumbing, token: str) -> Operator:
    """The operator of an `sbp_…` token. Raises Unauthenticated."""
    with lib.db.read() as session:
        account = store.account_of_token(session, crypto.token_hash(token))
        if account is None or account.disabled_at:
            raise Unauthenticated("This operator token is not known, or was revoked.")
        return of_account(session, account)


def of_account(session: Session, account: Account) -> Operator:
    """Whoever acts as that account, of which the caller has made sure."""
    return Operator(
        account.id,
        account.name,
        account.letters,
        account.is_admin,
        store.roles_of(session, account.id),
    )


def setup_token(lib: Plumbing) -> str:
    """The setup link's token: good on every node until the first account exists."""
    return Signer(lib.settings["SECRET_KEY"], salt="setup").sign(_SETUP).decode()


def is_setup_token(lib: Plumbing, token: str) -> bool:
    """Whether `token` came from this instance's setup link."""
    try:
        return Signer(lib.settings["SECRET_KEY"], salt="setup").unsign(token) == _SETUP.encode()
    except BadSignature:
        return False
