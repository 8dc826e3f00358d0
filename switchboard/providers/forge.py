"""What GitHub and Gitea have in common: issues and pull requests of a repository, and comments on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from switchboard.errors import Invalid
from switchboard.lib import bodykeys
from switchboard.lib.text import one_line
from switchboard.providers.base import Address, Event, Origin
from switchboard.providers.reading import (
    MAX_TITLE,
    host_of_url,
    mapping,
    object_id,
    positive,
    unmappable,
    valid_repo,
)

TARGET_HELP = (
    "Which repositories may be answered, one a line, such as owner/* or owner/name. "
    "Empty: every repository this credential reaches."
)
MAX_ACCOUNT = 255
MAX_LOGIN = 100
BODY_SECONDS = (
    86_400  # a forge signs the body but not the id: the body itself tells a repeat for a day
)
_ITEM = re.compile(
    r"(?:(?P<host>[A-Za-z0-9.:-]{1,260})/)?(?P<repo>[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)#(?P<number>[0-9]{1,15})",
    re.ASCII,
)
_LOCKED = re.compile(r"\blocked\b", re.IGNORECASE)
_ACCOUNT = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/[A-Za-z0-9._~/-]*)?",
    re.ASCII | re.IGNORECASE,
)


class Account(NamedTuple):
    """A forge's base URL in parts; `host` has its port unless that is the scheme's own."""

    scheme: str
    host: str
    path: str

    @property
    def base(self) -> str:
        """The base URL, without a slash at its end."""
        return f"{self.scheme}://{self.host}{self.path}"


def read_account(key: str, help_text: str) -> Account:
    """An account key: a host, or a base URL. Raises Invalid, saying `help_text`."""
    found = _ACCOUNT.fullmatch(key)
    if found is None or len(key) > MAX_ACCOUNT or not 0 < int(found["port"] or 1) < 65536:
        raise Invalid(help_text, field="account_key")
    scheme, host = (found["scheme"] or "https").lower(), found["host"].lower()
    port, path = int(found["port"] or 0), (found["path"] or "").rstrip("/")
    if {"", ".", ".."} & set(path.split("/")[1:]):
        raise Invalid(help_text, field="account_key")
    if port not in (0, 443 if scheme == "https" else 80):
        host = f"{host}:{port}"
    return Account(scheme, host, path)


def locked(message: object) -> str | None:
    """`locked` where only a refusal's message says that the conversation is, else None."""
    return "locked" if isinstance(message, str) and _LOCKED.search(message) else None


def body_key(event_type: str | None, body_sha256: str) -> Mapping[str, int | None]:
    """The body with its event as what tells a repeat: a captured request under a new id makes nothing."""
    return {bodykeys.key_of(body_sha256, event_type): BODY_SECONDS}


class Happening(NamedTuple):
    """A forge's event as its module reads it.

    `kind` is its name with the action; `holders` are the objects of the body of which one carries the
    number to answer at (none: it cannot be answered); `written` is the object that a person just wrote.
    """

    kind: str
    holders: Sequence[str]
    written: str | None


def understand(provider: str, happening: Happening, body: dict[str, Any], origin: Origin) -> Event:
    """The event with title, subject and reply address, all from the verified body.

    Raises Invalid `unmappable` where an answerable event carries none of its holders.
    """
    item = _item(happening.holders, body)
    repo = _repo_of(body)
    written = mapping(body.get(happening.written or ""))
    return Event(
        happening.kind,
        title=_title(happening.kind, item, repo),
        subject=_subject(item, repo),
        address=_address(provider, item, body, origin) if item else None,
        repo=repo,
        object_id=object_id(written.get("id")),
        text=written["body"] if isinstance(written.get("body"), str) else None,
        author=_person(written.get("user")),
    )


def _item(holders: Sequence[str], body: dict[str, Any]) -> dict[str, Any] | None:
    if not holders:
        return None
    for holder in holders:
        item = body.get(holder)
        if isinstance(item, dict):
            return item
    raise unmappable(holders[0])


def _address(
    provider: str, item: dict[str, Any], body: dict[str, Any], origin: Origin
) -> Address | None:
    repository = mapping(body.get("repository"))
    repo, number = repository.get("full_name"), positive(item.get("number"))
    host = host_of_url(repository.get("html_url"))
    if not valid_repo(repo) or number is None or host is None or host != origin.host:
        return None
    return _spot(provider, host, str(repo), number)


def _spot(provider: str, host: str, repo: str, number: int) -> Address:
    return Address(
        kind="forge_comment",
        provider=provider,
        fields={"host": host, "repo": repo, "number": number},
        display=f"{provider} {repo}#{number}",
        key=f"{provider}:{host}/{repo.lower()}#{number}",
    )


def work_item(reply_to: Mapping[str, Any], default_host: str) -> str:
    """`acme/rocket#7`, on another host than the default one `host/acme/rocket#7`; in lower case."""
    item = f"{reply_to['repo']}#{reply_to['number']}".lower()
    return item if reply_to["host"] == default_host else f"{reply_to['host']}/{item}"


def address_called(provider: str, item: str, default_host: str) -> Address | None:
    """The address of such a work item; None where it is none, or lacks a host and there is no default."""
    found = _ITEM.fullmatch(item)
    host = host_of_url(f"https://{(found['host'] or default_host).lower()}/") if found else None
    if found is None or host is None or not valid_repo(found["repo"]):
        return None
    number = positive(int(found["number"]))
    return None if number is None else _spot(provider, host, found["repo"], number)


def _person(user: object) -> str | None:
    """The login of a user who is no bot, as far as the forge tells."""
    login = mapping(user).get("login")
    if not isinstance(login, str) or mapping(user).get("type") == "Bot":
        return None
    return one_line(login, MAX_LOGIN) or None


def _repo_of(body: dict[str, Any]) -> str | None:
    name = mapping(body.get("repository")).get("full_name")
    return name if valid_repo(name) else None


def _title(kind: str, item: dict[str, Any] | None, repo: str | None) -> str:
    given = item.get("title") if item else None
    title = one_line(given, MAX_TITLE) if isinstance(given, str) else ""
    return title or one_line(f"{kind} in {repo}" if repo else kind, MAX_TITLE)


def _subject(item: dict[str, Any] | None, repo: str | None) -> str | None:
    number = positive(item.get("number")) if item else None
    return repo if repo is None or number is None else f"{repo}#{number}"
