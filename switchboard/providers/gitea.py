"""Gitea and Forgejo: webhooks in, issue comments out.

Both send each header under several names: Forgejo under its own and Gitea's, and both also GitHub's.
https://docs.gitea.com/usage/repository/webhooks
https://forgejo.org/docs/latest/user/webhooks/
https://docs.gitea.com/api/#tag/issue/operation/issueCreateComment
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.lib.http import Answer, Client
from switchboard.providers import forge
from switchboard.providers.answers import identity, refused
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
    header,
    mapping,
    missing_id,
    object_id,
    permalink,
    plain_id,
    unmappable,
)
from switchboard.providers.signing import check_any, hex_hmac, missing_signature

SIGNATURE, DELIVERY, EVENT = "X-Gitea-Signature", "X-Gitea-Delivery", "X-Gitea-Event"
SIGNATURES = ("X-Forgejo-Signature", SIGNATURE)
DELIVERIES = ("X-Forgejo-Delivery", DELIVERY)
# Event-Type says more than Event: a comment on a pull request is `pull_request_comment` in the one and
# `issue_comment` in the other. Servers before 2022 send Event alone.
EVENTS = ("X-Forgejo-Event-Type", "X-Gitea-Event-Type", "X-Forgejo-Event", EVENT)
ACCOUNT_HELP = "Give the server's base URL, such as https://git.example.org."
API = "/api/v1"

_SCOPE = re.compile(r"\brequired scope", re.IGNORECASE)


class Gitea:
    """A Gitea or Forgejo server, told by the base URL given when the source is added."""

    kind = "gitea"
    label = "Gitea or Forgejo"
    exact_targets = False
    default_host = ""
    speaks: Speaks | None = Speaks(
        "Base URL",
        "The Gitea or Forgejo server it speaks for. A body that names another gets no reply address.",
        "https://git.example.org",
    )
    signing_help = ""
    default_letters = "n"
    signs = True
    filed = False
    pins_repos = True
    shell: ShellSignature | None = ShellSignature({SIGNATURE: "$signature"})
    secret_fields: tuple[str, ...] = ("secret",)  # which servers before 1.14 put into the body
    asks = Asks(
        account="Base URL",
        account_help="The Gitea or Forgejo server's, with its path if it has one.",
        example="https://git.example.org",
        credential_help="An access token with the scopes write:issue, and read:user for the test.",
        target_help=forge.TARGET_HELP,
    )

    # inbound

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Check the bare hex HMAC-SHA256 in X-Forgejo-Signature and X-Gitea-Signature.

        One will do; when both came both must be right, as no server sends two that differ. A webhook
        without a secret sends the header empty, which counts as missing.
        """
        given = {name: headers[name] for name in SIGNATURES if headers.get(name)}
        if not given:
            raise missing_signature(SIGNATURE)
        wanted = [hex_hmac(secret, raw) for secret in secrets]
        for name, signature in given.items():
            check_any(name, signature, wanted)

    def hashed(self, headers: Mapping[str, str], raw: bytes, secret: str) -> tuple[bytes, bytes]:
        """The body as it is."""
        return secret.encode(), raw

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """With X-Gitea-Signature."""
        return {**sample.headers, SIGNATURE: hex_hmac(secret, sample.raw)}

    def sample(self, host: str, delivery_id: str) -> Sample:
        """A ping. Neither server sends one: their own test is a push of the latest commit."""
        body = {"zen": "Sent from Switchboard to see that it arrives.", "id": delivery_id}
        headers = {"Content-Type": "application/json", EVENT: "ping", DELIVERY: delivery_id}
        return Sample(headers, json.dumps(body).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-Forgejo-Delivery or X-Gitea-Delivery."""
        given = plain_id(header(headers, *DELIVERIES))
        if given is None:
            raise missing_id(DELIVERY)
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """The body with its event, for a day."""
        return forge.body_key(self.event_type(headers, body), body_sha256)

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The event and the body's action, as in `pull_request_comment.created`."""
        event = event_name(header(headers, *EVENTS))
        action = event_name(mapping(body).get("action"))
        return f"{event}.{action}" if event and action else event

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Event kind, title, subject and reply address, all from the verified body."""
        kind = self.event_type(headers, body)
        if kind is None:
            raise unmappable(EVENT)
        if not isinstance(body, dict):
            raise unmappable("object at the top")
        name = kind.partition(".")[0]
        if name == "ping":
            return Event(kind, "Gitea ping", letter=None)
        written = "comment" if name.endswith("_comment") else None
        happening = forge.Happening(kind, _holders(name), written)
        return forge.understand(self.kind, happening, body, origin)

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click on Gitea and Forgejo."""
        return [
            "Open the repository, organisation or site administration: Settings → Webhooks → "
            "Add webhook → Gitea (on Forgejo: Forgejo).",
            f"Target URL: {ingest_url}",
            "HTTP method: POST. POST content type: application/json.",
            "Secret: paste the secret shown here once.",
            "Trigger on: Custom events, with issues, issue comments, pull requests, their comments "
            "and reviews: these are the ones agents answer.",
            "Add webhook. Its Test delivery button sends the latest push, which becomes a todo here.",
            "If the delivery fails at once, the server may not call addresses inside your network: "
            "its administrator allows that with ALLOWED_HOST_LIST under [webhook] in app.ini.",
        ]

    def source_host(self, text: str) -> str:
        """host[:port] of a base URL, which may have a path, or of a host."""
        return forge.read_account(text, ACCOUNT_HELP).host

    # outbound

    def host_of(self, account_key: str) -> str:
        """host[:port] of the base URL."""
        return forge.read_account(account_key, ACCOUNT_HELP).host

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The host of the repository."""
        return str(reply_to["host"])

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """`owner/name`."""
        return str(reply_to["repo"])

    def work_item(self, reply_to: Mapping[str, Any]) -> str:
        """`owner/name#number`, with the host in front."""
        return forge.work_item(reply_to, self.default_host)

    def address_called(self, item: str) -> Address | None:
        """The issue or pull request of that name."""
        return forge.address_called(self.kind, item, self.default_host)

    def check_text(self, text: str) -> None:
        """Neither server has a limit below our own."""

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """POST /repos/{repo}/issues/{number}/comments, for pull requests as well."""
        path = f"/repos/{reply_to['repo']}/issues/{int(reply_to['number'])}/comments"
        answer = _call(http, credential, "POST", path, json={"body": text})
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
        answer = _call(http, credential, "GET", "/user")
        login = mapping(answer.json()).get("login")
        return identity(answer, login, _error_code(answer), "not_gitea")


def _call(http: Client, credential: Credential, method: str, path: str, **body: Any) -> Answer:
    """One call of the API below the base URL, which may name the API already."""
    base = forge.read_account(credential.account_key, ACCOUNT_HELP).base.removesuffix(API)
    headers = {"Authorization": f"token {credential.secret}", "Accept": "application/json"}
    return http.request(method, f"{base}{API}{path}", headers=headers, **body)


def _error_code(answer: Answer) -> str | None:
    """A short code for what only the message says, or the status."""
    if answer.status == 423:
        return "archived"
    message = mapping(answer.json()).get("message")
    if isinstance(message, str) and _SCOPE.search(message):
        return "missing_scope"
    return forge.locked(message)


def _holders(name: str) -> tuple[str, ...]:
    """The objects of which one carries the number to answer at, by the event's name.

    A comment on a pull request comes with its issue, on newer servers with both.
    """
    if name == "issues" or name.startswith("issue_"):
        return ("issue",)
    if name == "pull_request" or name.startswith("pull_request_"):
        return ("pull_request", "issue")
    return ()
