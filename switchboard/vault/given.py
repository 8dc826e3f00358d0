"""What people give for a connection, checked and tidied, with the bounds it is held to."""

from __future__ import annotations

from collections.abc import Sequence

from switchboard.errors import Invalid
from switchboard.lib.plumbing import Plumbing

MAX_SECRET = 4096
MAX_LIST = 100
MAX_TARGET = 255
MAX_SIGNATURE = 200
MAX_REPLIES_PER_TODO = 100


def check_key(lib: Plumbing, account_key: str) -> str:
    """The account key. Raises Invalid for plain HTTP unless the setting allows it."""
    if account_key.lower().startswith("http://") and not lib.settings["ALLOW_HTTP"]:
        raise Invalid(
            "Plain HTTP is off. Use https://, or set SWITCHBOARD_ALLOW_HTTP=1.",
            field="account_key",
        )
    return account_key


def check_secret(secret: str) -> str:
    """The credential without outer white space. Raises Invalid for what can be none."""
    tidy = secret.strip()
    if not tidy or len(tidy) > MAX_SECRET or not tidy.isascii() or not tidy.isprintable():
        raise Invalid(f"Give a token of up to {MAX_SECRET} plain characters.", field="secret")
    return tidy


def check_targets(targets: Sequence[str]) -> list[str]:
    """The globs without outer white space. Raises Invalid for too many, too long, a blank one."""
    tidy = [target.strip() for target in targets]
    if len(tidy) > MAX_LIST or any(len(t) > MAX_TARGET or not t.isprintable() for t in tidy):
        raise Invalid(f"Give up to {MAX_LIST} targets such as owner/*.", field="targets")
    if not all(tidy):
        raise blank("targets")
    return tidy


def blank(field: str) -> Invalid:
    """An entry that is blank by mistake must not open the connection to all."""
    return Invalid("An entry is blank. To admit all, give none.", field=field)


def check_signature(signature: str | None) -> str | None:
    """The line, None for an empty one. Raises Invalid for more than a line."""
    tidy = (signature or "").strip()
    if len(tidy) > MAX_SIGNATURE or not tidy.isprintable():
        raise Invalid(
            f"A signature is one line of up to {MAX_SIGNATURE} characters.", field="signature"
        )
    return tidy or None


def check_cap(replies_per_todo: int | None) -> int | None:
    """How many answers a todo takes. Raises Invalid beyond the bounds."""
    if replies_per_todo is not None and not 1 <= replies_per_todo <= MAX_REPLIES_PER_TODO:
        raise Invalid(
            f"A todo takes 1 to {MAX_REPLIES_PER_TODO} answers.", field="replies_per_todo"
        )
    return replies_per_todo
