"""The exposure guard: before anybody has an account, nothing but setup is open to other machines."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from flask import request

from switchboard.access import accounts
from switchboard.api.context import plumbing
from switchboard.errors import Forbidden

OPEN = {"pages.setup", "assets.asset", "health.healthz", "health.readyz"}


class Owned:
    """Whether this process knows that somebody has an account; there is no way back."""

    yet = False


def guard() -> None:
    """Raise Forbidden `setup_required` while nobody has an account and other machines can reach us."""
    owned = plumbing().own(Owned)
    if owned.yet or request.endpoint in OPEN or not _exposed():
        return
    owned.yet = accounts.exist(plumbing())
    if not owned.yet:
        raise Forbidden(
            "Nothing is served to other machines until the first account exists. "
            "Open the setup link printed on the console.",
            "setup_required",
        )


def _exposed() -> bool:
    """Whether we listen, or were reached, on an address that is not this machine's own."""
    connection = request.environ.get("gunicorn.socket")
    reached = connection.getsockname() if connection else None
    at = [reached[0]] if isinstance(reached, tuple) else []  # a socket in a folder has a path
    return not all(map(_is_loopback, [plumbing().settings["HOST"], *at]))


@lru_cache(maxsize=16)
def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
