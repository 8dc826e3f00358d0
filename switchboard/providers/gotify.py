"""Gotify: a sink for notifications, reached with an application's token.

https://gotify.net/api-docs
"""

from __future__ import annotations

from switchboard.lib.http import Client
from switchboard.providers import forge
from switchboard.providers.answers import refused
from switchboard.providers.base import Asks, Credential, Identity, Notification, Posted
from switchboard.providers.reading import mapping

HEADER = "X-Gotify-Key"  # the token also goes into a query, where it would stand in logs
USUAL, URGENT = 5, 8  # Gotify's clients make a sound from 4 on, and come to the front from 8 on
ACCOUNT_HELP = "Give the server's base URL, such as https://gotify.example.org."


class Gotify:
    """A Gotify server, told by its base URL. It takes notifications and answers nobody."""

    kind = "gotify"
    label = "Gotify"
    default_host = ""
    personal = False
    asks = Asks(
        account="Base URL",
        account_help="The Gotify server's, with its path if it has one.",
        example="https://gotify.example.org",
        credential_help="An application's token (Apps → Create application), not a client's.",
    )

    def host_of(self, account_key: str) -> str:
        """The base URL without its scheme."""
        account = forge.read_account(account_key, ACCOUNT_HELP)
        return f"{account.host}{account.path}".lower()

    def probe(self, http: Client, credential: Credential) -> Identity:
        """POST /message without one, which is refused, but only after the token was looked at.

        There is no read that an application's token is good for. So 400 in Gotify's own words proves
        that the token may send, and nothing is sent.
        """
        base = forge.read_account(credential.account_key, ACCOUNT_HELP).base
        answer = http.request(
            "POST", f"{base}/message", headers={HEADER: credential.secret}, json={}
        )
        if answer.status == 400 and mapping(answer.json()).get("errorCode") == 400:
            return Identity(True, "an application that may send (nothing was sent)")
        problem = refused(answer, "not_gotify" if answer.status in (200, 400) else None)
        return Identity(False, None, problem.error_class, problem.error_code)

    def notify(self, http: Client, credential: Credential, told: Notification) -> Posted:
        """POST /message; a click on it opens the page."""
        base = forge.read_account(credential.account_key, ACCOUNT_HELP).base
        message = {
            "title": told.title,
            "message": told.text or told.title,
            "priority": URGENT if told.urgent else USUAL,
            "extras": {
                "client::display": {"contentType": "text/plain"},
                "client::notification": {"click": {"url": told.url}},
            },
        }
        answer = http.request(
            "POST", f"{base}/message", headers={HEADER: credential.secret}, json=message
        )
        made = mapping(answer.json()).get("id")
        if answer.status == 200 and isinstance(made, int):
            return Posted("sent", object_id=str(made))
        return refused(answer, "not_gotify" if answer.status == 200 else None)
