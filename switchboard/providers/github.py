"""GitHub: webhooks in, issue comments out.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
https://docs.github.com/en/rest/issues/comments
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib.http import Answer, Client
from switchboard.providers import forge
from switchboard.providers.answers import identity, refused, safe_code
from switchboard.providers.base import (
    Address,
    Asks,
    Credential,
    Event,
    Identity,
    Origin,
    Posted,
    Sample,
    ShellSignature,
    Speaks,
)
from switchboard.providers.reading import (
    event_name,
    mapping,
    missing_id,
    object_id,
    permalink,
    plain_id,
    unmappable,
)
from switchboard.providers.signing import check_any, hex_hmac, missing_signature

SIGNATURE = "X-Hub-Signature-256"
MAX_COMMENT = 65_536
ACCOUNT_HELP = "Give github.com, or the https:// base URL of an Enterprise server."

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


class GitHub:
    """github.com and, by their base URL, Enterprise servers. `api_url` replaces api.github.com."""

    kind = "github"
    label = "GitHub"
    exact_targets = False
    default_host = "github.com"
    speaks: Speaks | None = Speaks(
        "Host",
        "The server it speaks for. Empty: github.com. A body that names another host gets no reply "
        "address.",
        "github.com",
    )
    signing_help = ""
    default_letters = "n"
    signs = True
    filed = False
    pins_repos = True
    shell: ShellSignature | None = ShellSignature({SIGNATURE: "sha256=$signature"})
    secret_fields: tuple[str, ...] = ()
    asks = Asks(
        account="Account",
        account_help="github.com, or an Enterprise server's base URL.",
        example="github.com",
        credential_help="A fine-grained token that may write issues and pull requests.",
        target_help=forge.TARGET_HELP,
    )

    def __init__(self, api_url: str = "") -> None:
        self._api_url = api_url or "https://api.github.com"

    # inbound

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Check X-Hub-Signature-256; the sha1 form that GitHub also sends proves too little."""
        header = headers.get(SIGNATURE)
        if not header and headers.get("X-Hub-Signature"):
            raise Unauthenticated(
                f"Only the SHA-1 header X-Hub-Signature came; {SIGNATURE} is needed.",
                "missing_signature",
                field=SIGNATURE,
            )
        if not header:
            raise missing_signature(SIGNATURE)
        check_any(SIGNATURE, header, (f"sha256={hex_hmac(secret, raw)}" for secret in secrets))

    def hashed(self, headers: Mapping[str, str], raw: bytes, secret: str) -> tuple[bytes, bytes]:
        """The body as it is."""
        return secret.encode(), raw

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """With X-Hub-Signature-256."""
        return {**sample.headers, SIGNATURE: f"sha256={hex_hmac(secret, sample.raw)}"}

    def sample(self, host: str, delivery_id: str) -> Sample:
        """The ping that GitHub sends when a webhook is added."""
        body = {"zen": "Sent from Switchboard to see that it arrives.", "id": delivery_id}
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "ping",
            "X-GitHub-Delivery": delivery_id,
        }
        return Sample(headers, json.dumps(body).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-GitHub-Delivery."""
        given = plain_id(headers.get("X-GitHub-Delivery"))
        if given is None:
            raise missing_id("X-GitHub-Delivery")
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """The body with its event, for a day."""
        return forge.body_key(self.event_type(headers, body), body_sha256)

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-GitHub-Event and the body's action, as in `issues.opened`."""
        event = event_name(headers.get("X-GitHub-Event"))
        action = event_name(mapping(body).get("action"))
        return f"{event}.{action}" if event and action else event

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Event kind, title, subject and reply address, all from the verified body."""
        kind = self.event_type(headers, body)
        if kind is None:
            raise unmappable("X-GitHub-Event")
        if not isinstance(body, dict):
            raise unmappable("object at the top")
        name = kind.partition(".")[0]
        if name == "ping":
            return Event(kind, "GitHub ping", letter=None)
        holders = [ANSWERABLE[name]] if name in ANSWERABLE else []
        happening = forge.Happening(kind, holders, WRITTEN.get(name))
        return forge.understand(self.kind, happening, body, origin)

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

    def source_host(self, text: str) -> str:
        """`github.com`, or host[:port] of an Enterprise server."""
        return self.host_of(text)

    # outbound

    def host_of(self, account_key: str) -> str:
        """`github.com`, or host[:port] of an Enterprise server given as a host or a base URL."""
        return _account(account_key).host

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The host of the repository."""
        return str(reply_to["host"])

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """`owner/name`."""
        return str(reply_to["repo"])

    def work_item(self, reply_to: Mapping[str, Any]) -> str:
        """`owner/name#number`, on an Enterprise server with its host in front."""
        return forge.work_item(reply_to, self.default_host)

    def address_called(self, item: str) -> Address | None:
        """The issue or pull request of that name."""
        return forge.address_called(self.kind, item, self.default_host)

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
        made = mapping(answer.json())
        return Posted(
            "sent",
            object_id=object_id(made.get("id")),
            permalink=permalink(made.get("html_url"), self.host_of(credential.account_key)),
        )

    def probe(self, http: Client, credential: Credential) -> Identity:
        """GET /user."""
        answer = http.request("GET", f"{self._api(credential)}/user", headers=_headers(credential))
        login = mapping(answer.json()).get("login")
        return identity(answer, login, _error_code(answer), "not_github")

    def _api(self, credential: Credential) -> str:
        account = _account(credential.account_key)
        if account.host == self.default_host:
            return self._api_url
        return f"{account.scheme}://{account.host}/api/v3"


def _account(key: str) -> forge.Account:
    account = forge.read_account(key, ACCOUNT_HELP)
    if account.path not in ("", "/api/v3"):
        raise Invalid(ACCOUNT_HELP, field="account_key")
    return account


def _headers(credential: Credential) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {credential.secret}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "switchboard",
    }


def _error_code(answer: Answer) -> str | None:
    """GitHub's short code: `errors[0].code`, or `locked` where only the message says so."""
    body = mapping(answer.json())
    errors = body.get("errors")
    first = mapping(errors[0] if isinstance(errors, list) and errors else None)
    if isinstance(first.get("code"), str):
        return safe_code(first["code"])
    return forge.locked(body.get("message"))
