"""Apprise API: a sink for notifications, reached by the key of a configuration stored there.

Who knows the key may notify, so the key is the secret. Where the server asks for a login as well
(`APPRISE_AUTH_REQUIRED`, or a proxy in front), it stands before the key as in Apprise's own URLs.
https://github.com/caronc/apprise-api#api-details
https://appriseit.com/services/apprise_api/
"""

from __future__ import annotations

import base64
import re

from switchboard.lib.http import Answer, Client
from switchboard.providers import forge
from switchboard.providers.answers import refused
from switchboard.providers.base import Asks, Credential, Identity, Notification, Posted
from switchboard.providers.reading import mapping

ACCOUNT_HELP = "Give the server's base URL, such as https://apprise.example.org."
_SECRET = re.compile(r"(?:(?P<login>[^:]+:.*)@)?(?P<key>[A-Za-z0-9_-]{1,128})", re.ASCII)


class Apprise:
    """An Apprise API server, told by its base URL. It takes notifications and answers nobody."""

    kind = "apprise"
    label = "Apprise API"
    default_host = ""
    personal = False
    asks = Asks(
        account="Base URL",
        account_help="The Apprise API server's, with its path if it has one.",
        example="https://apprise.example.org",
        credential_help="The key of a stored configuration; with a login user:password@key.",
    )

    def host_of(self, account_key: str) -> str:
        """The base URL without its scheme."""
        account = forge.read_account(account_key, ACCOUNT_HELP)
        return f"{account.host}{account.path}".lower()

    def probe(self, http: Client, credential: Credential) -> Identity:
        """GET /json/urls/{key}: how many services the configuration has, their secrets left out."""
        found = _SECRET.fullmatch(credential.secret)
        if found is None:
            return Identity(False, None, "invalid", "not_a_key")
        base = forge.read_account(credential.account_key, ACCOUNT_HELP).base
        url = f"{base}/json/urls/{found['key']}?privacy=1"
        answer = http.request("GET", url, headers=_headers(found["login"]))
        if answer.status not in (200, 204):
            problem = refused(answer, None)
            return Identity(False, None, problem.error_class, problem.error_code)
        return _configuration(answer)

    def notify(self, http: Client, credential: Credential, told: Notification) -> Posted:
        """POST /notify/{key}: all services of the configuration, or 424 where one of them failed.

        Then some may have been told, so it is not tried again.
        """
        found = _SECRET.fullmatch(credential.secret)
        if found is None:
            return Posted("failed", error_class="invalid", error_code="not_a_key")
        base = forge.read_account(credential.account_key, ACCOUNT_HELP).base
        message = {
            "title": told.title,
            "body": "\n\n".join(filter(None, (told.text or told.title, told.url))),
            "type": "warning" if told.urgent else "info",
            "format": "text",
        }
        answer = http.request(
            "POST",
            f"{base}/notify/{found['key']}",
            headers=_headers(found["login"]),
            json=message,
        )
        if answer.status == 200:
            return Posted("sent")
        if answer.status == 204:
            return Posted("failed", error_class="not_found", error_code="no_services")
        return refused(answer, "not_all_sent" if answer.status == 424 else None)


def _headers(login: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if login:
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    return headers


def _configuration(answer: Answer) -> Identity:
    """204 is a key that nothing is stored under; a configuration without services notifies nobody."""
    urls = mapping(answer.json()).get("urls")
    if answer.status == 204 or urls == []:
        return Identity(False, None, "not_found", "no_services")
    if not isinstance(urls, list):
        return Identity(False, None, "invalid", "not_apprise")
    services = "1 service" if len(urls) == 1 else f"{len(urls)} services"
    return Identity(True, f"a configuration with {services}")
