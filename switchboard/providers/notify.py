"""A notify service: it carries notifications to people by mail, and their answers back.

What goes there is signed as what comes back is: HMAC-SHA256 of the time, a dot and the body under the
secret that the service shows once (docs/notifications.md).
"""

from __future__ import annotations

import json
from typing import Any

from switchboard.lib import clock
from switchboard.lib.http import Answer, Client
from switchboard.providers import forge
from switchboard.providers.answers import refused
from switchboard.providers.base import Asks, Credential, Identity, Notification, Posted
from switchboard.providers.signing import hex_hmac

SIGNATURE, TIMESTAMP = "X-Notify-Signature", "X-Notify-Timestamp"
ACCOUNT_HELP = "Give the service's URL, such as https://notify.example.org/v1/notifications."


class Notify:
    """A notify service, told by the URL that takes notifications."""

    kind = "notify"
    label = "Notify service"
    default_host = ""
    personal = True
    asks = Asks(
        account="URL",
        account_help="Where the service takes notifications.",
        example="https://notify.example.org/v1/notifications",
        credential_help="The signing secret that the service shows once.",
    )

    def host_of(self, account_key: str) -> str:
        """The URL without its scheme."""
        account = forge.read_account(account_key, ACCOUNT_HELP)
        return f"{account.host}{account.path}".lower()

    def probe(self, http: Client, credential: Credential) -> Identity:
        """A signed message for nobody: only who finds the signature good says what it lacks."""
        answer = _send(http, credential, {})
        if answer.status in (400, 422):
            return Identity(True, "a service that takes our signature (nothing was sent)")
        problem = refused(answer, "not_notify" if answer.status < 400 else None)
        return Identity(False, None, problem.error_class, problem.error_code)

    def notify(self, http: Client, credential: Credential, told: Notification) -> Posted:
        """One message for one subscriber; its transaction tells the service of a repeat."""
        message = {
            "transactionId": told.transaction,
            "subscriberId": told.subscriber,
            "title": told.title,
            "text": "\n\n".join(filter(None, (told.text, told.url))),
            "reply": told.answerable,
        }
        answer = _send(http, credential, message)
        return Posted("sent") if 200 <= answer.status < 300 else refused(answer, None)


def _send(http: Client, credential: Credential, message: dict[str, Any]) -> Answer:
    account = forge.read_account(credential.account_key, ACCOUNT_HELP)
    raw = json.dumps(message, separators=(",", ":")).encode()
    now = str(int(clock.now().timestamp()))
    headers = {
        "Content-Type": "application/json",
        TIMESTAMP: now,
        SIGNATURE: "sha256=" + hex_hmac(credential.secret, f"{now}.".encode() + raw),
    }
    return http.request("POST", account.base, headers=headers, content=raw)
