"""GitHub: webhooks in, issue comments out.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
https://docs.github.com/en/rest/issues/comments
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib.http import Answer, Client
from switchboard.lib.text import one_line
from switchboard.providers.base import (
    MAX_OBJECT_ID,
    Address,
    Credential,
    Event,
    Identity,
    Origin,
    Posted,
    refused,
    safe_code,
    unmappable,
    valid_repo,
    verify_hex_hmac,
)

SIGNATURE = "X-Hub-Signature-256"
MAX_TITLE = 300
MAX_ACCOUNT = 255
MAX_COMMENT = 65_536

# Event name → the object of the body that carries the number to answer at.
ANSWERABLE = {
    "issues": "issue",
    "issue_comment": "issue",
    "pull_request": "pull_request",
    "pull_request_review": "pull_request",
    "pull_request_review_comment": "pull_request",
}
# Event name → the object that a person just wrote, for echo suppression.
WRITTEN = {"issue_comment": "comment", "pull_request_review_comment": "comment"}

_EVENT = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
_LOCKED = re.compile(r"\blocked\b", re.IGNORECASE)
_ACCOUNT = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?(?:/api/v3)?/?",
    re.ASCII | re.IGNORECASE,
)
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?", re.ASCII)


class GitHub:
    """github.com and, by their base URL, Enterprise servers. `api_url` replaces api.github.com."""

    kind = "github"
    label = "GitHub"
    default_host = "github.com"

    def __init__(self, api_url: str = "") -> None:
        self._api_url = api_url or "https://api.github.com"

    # inbound

    def verify(self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str]) -> None:
        """Check X-Hub-Signature-256; the sha1 form that GitHub also sends proves too little."""
        header = headers.get(SIGNATURE)
        if not header and headers.get("X-Hub-Signature"):
            raise Unauthenticated(
                f"Only the SHA-1 header X-Hub-Signature came; {SIGNATURE} is needed.",
                "missing_signature",
                field=SIGNATURE,
            )
        verify_hex_hmac(header, SIGNATURE, raw, secrets)

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str:
        """X-GitHub-Delivery."""
        given = headers.get("X-GitHub-Delivery", "").strip()
        if not given or len(given) > 256 or not given.isascii() or not given.isprintable():
            raise Invalid(
                "The X-GitHub-Delivery header is missing or not a plain id.",
                "missing_delivery_id",
                field="X-GitHub-Delivery",
            )
        return given

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-GitHub-Event and the body's action, as in `issues.opened`."""
        event = headers.get("X-GitHub-Event", "")
        if not _EVENT.fullmatch(event):
            return None
        action = body.get("action") if isinstance(body, dict) else None
        known = isinstance(action, str) and _EVENT.fullmatch(action)
        return f"{event}.{action}" if known else event

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Event kind, title, subject and reply address, all from the verified body."""
        kind = self.event_type(headers, body)
        if kind is None:
            raise unmappable("X-GitHub-Event")
        if not isinstance(body, dict):
            raise unmappable("object at the top")
        name = kind.partition(".")[0]
        if name == "ping":
            return Event(kind, "GitHub ping", makes_todo=False)
        item = self._item(name, body)
        repo = _repo_of(body)
        written = body.get(WRITTEN.get(name, ""))
        written = written if isinstance(written, dict) else {}
        address = self._address(item, body, origin) if item else None
        return Event(
            kind,
            title=_title(kind, item, repo),
            subject=_subject(item, repo),
            address=address,
            repo=repo,
            object_id=_object_id(written.get("id")),
            text=written.get("body") if isinstance(written.get("body"), str) else None,
        )

    def _item(self, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        holder = ANSWERABLE.get(name)
        if holder is None:
            return None
        item = body.get(holder)
        if not isinstance(item, dict):
            raise unmappable(holder)
        return item

    def _address(
        self, item: dict[str, Any], body: dict[str, Any], origin: Origin
    ) -> Address | None:
        repository = body.get("repository")
        if not isinstance(repository, dict):
            return None
        repo, number = repository.get("full_name"), _number_of(item)
        host = _host_of_url(repository.get("html_url"))
        if not valid_repo(repo) or number is None or host != origin.host:
            return None
        return Address(
            kind="forge_comment",
            provider=self.kind,
            fields={"host": host, "repo": repo, "number": number},
            display=f"github {repo}#{number}",
            key=f"github:{host}/{str(repo).lower()}#{number}",
        )

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click on GitHub."""
        return [
            "Open the repository or organisation on GitHub: Settings → Webhooks → Add webhook.",
            f"Payload URL: {ingest_url}",
            "Content type: application/json.",
            "Secret: paste the secret shown here once.",
            "Choose the events: issues, issue comments and pull requests are the ones agents answer.",
            "Add webhook. GitHub sends a ping at once; it stands in the delivery log here.",
        ]

    # outbound

    def host_of(self, account_key: str) -> str:
        """`github.com`, or host[:port] of an Enterprise server given as a host or a base URL."""
        return _account(account_key)[1]

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The host of the repository."""
        return str(reply_to["host"])

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """`owner/name`."""
        return str(reply_to["repo"])

    def check_text(self, text: str) -> None:
        """GitHub takes 65 536 characters."""
        if len(text) > MAX_COMMENT:
            raise Invalid(f"GitHub takes at most {MAX_COMMENT} characters.", field="text")

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """POST /repos/{repo}/issues/{number}/comments."""
        path = f"/repos/{reply_to['repo']}/issues/{int(reply_to['number'])}/comments"
        answer = http.request(
            "POST", self._api(credential) + path, headers=_headers(credential), json={"body": text}
        )
        if answer.status != 201:
            return refused(answer, _error_code(answer))
        made = answer.json()
        made = made if isinstance(made, dict) else {}
        return Posted(
            "sent",
            object_id=_object_id(made.get("id")),
            permalink=_permalink(made.get("html_url"), self.host_of(credential.account_key)),
        )

    def probe(self, http: Client, credential: Credential) -> Identity:
        """GET /user."""
        answer = http.request("GET", f"{self._api(credential)}/user", headers=_headers(credential))
        if answer.status == 200:
            user = answer.json()
            login = user.get("login") if isinstance(user, dict) else None
            return Identity(True, one_line(login, 64) if isinstance(login, str) else None)
        problem = refused(answer, _error_code(answer))
        return Identity(False, None, problem.error_class, problem.error_code)

    def _api(self, credential: Credential) -> str:
        scheme, host = _account(credential.account_key)
        return self._api_url if host == self.default_host else f"{scheme}://{host}/api/v3"


def _account(key: str) -> tuple[str, str]:
    """Scheme and host[:port] of an account key; the port left out where it is the scheme's own."""
    found = _ACCOUNT.fullmatch(key)
    if found is None or len(key) > MAX_ACCOUNT or not 0 < int(found["port"] or 1) < 65536:
        raise Invalid(
            "Give github.com, or the https:// base URL of an Enterprise server.",
            field="account_key",
        )
    scheme, host = (found["scheme"] or "https").lower(), found["host"].lower()
    port = int(found["port"] or 0)
    return scheme, f"{host}:{port}" if port not in (0, 443 if scheme == "https" else 80) else host


def _headers(credential: Credential) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {credential.secret}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "switchboard",
    }


def _repo_of(body: dict[str, Any]) -> str | None:
    repository = body.get("repository")
    name = repository.get("full_name") if isinstance(repository, dict) else None
    return name if valid_repo(name) else None


def _title(kind: str, item: dict[str, Any] | None, repo: str | None) -> str:
    given = item.get("title") if item else None
    title = one_line(given, MAX_TITLE) if isinstance(given, str) else ""
    return title or one_line(f"{kind} in {repo}" if repo else kind, MAX_TITLE)


def _subject(item: dict[str, Any] | None, repo: str | None) -> str | None:
    number = _number_of(item) if item else None
    return repo if repo is None or number is None else f"{repo}#{number}"


def _number_of(item: dict[str, Any]) -> int | None:
    number = item.get("number")
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 < number < 2**53 else None


def _object_id(value: object) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    text = str(value) if whole and isinstance(value, int) and value < 10**30 else ""
    return text if text and len(text) <= MAX_OBJECT_ID else None


def _host_of_url(url: object) -> str | None:
    """host[:port] of an http(s) URL, lower-case; None for anything else."""
    if not isinstance(url, str) or not url.isascii():  # lower() turns a Kelvin sign into a k
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = parts.netloc.lower()
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return None
    return host.removesuffix(":443" if parts.scheme == "https" else ":80")


def _permalink(url: object, host: str) -> str | None:
    if _host_of_url(url) != host or not isinstance(url, str) or len(url) > 1024:
        return None
    return url if url.isascii() and url.isprintable() and " " not in url else None


def _error_code(answer: Answer) -> str | None:
    """GitHub's short code: `errors[0].code`, or `locked` where only the message says so."""
    body = answer.json()
    if not isinstance(body, dict):
        return None
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    if isinstance(first, dict) and isinstance(first.get("code"), str):
        return safe_code(first["code"])
    message = body.get("message")
    return "locked" if isinstance(message, str) and _LOCKED.search(message) else None
