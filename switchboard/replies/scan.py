"""The secret scan: no reply leaves with something in it that looks like a credential.

detect-secrets' specific detectors (its entropy ones fire on any sentence), and rules of our own for forms
it does not know or whose pattern of its own takes quadratic time: whoever writes the text is not trusted.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from switchboard.errors import Invalid

_DETECTORS = (
    AWSKeyDetector,
    AzureStorageKeyDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    MailchimpDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    SquareOAuthDetector,
    StripeDetector,
    TelegramBotTokenDetector,
    TwilioKeyDetector,
)
# Each is linear: what repeats is bounded, or can begin only where a run of its characters begins.
_OWN = {
    "switchboard-credential": r"(?<![A-Za-z0-9])(?:sbk_|sbp_|whsec_)[A-Za-z0-9_\-+/]{20}",
    "github-fine-grained-token": r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20}",
    "npm-token": r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30}",
    "npm-auth-token": r":_authToken[ \t]{0,8}=[ \t]{0,8}[^\s${]{8}",
    "json-web-token": r"(?<![\w-])eyJ[\w-]+\.eyJ[\w-]+",
    "openai-key": r"(?<![\w-])sk-(?:[\w-]{20,200}T3BlbkFJ|(?:proj|svcacct|admin)-[\w-]{20})",
    "anthropic-key": r"(?<![\w-])sk-ant-[\w-]{20}",
    "google-api-key": r"(?<![\w-])AIza[\w-]{35}",
    "slack-app-token": r"xapp-[0-9]-[A-Z0-9]{8}",
    "private-key": r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY",
    "aws-secret-key": r"(?i:secret_?(?:access_?)?key)[\"']?[ \t]{0,8}[=:][ \t]{0,8}[\"']?[\w/+]{40}",
}
_PATTERNS = {rule: re.compile(pattern, re.ASCII) for rule, pattern in _OWN.items()}


def refuse_secrets(text: str) -> None:
    """Raise Invalid `secret_detected` with the rule's id, never the value."""
    rule = find(text)
    if rule is not None:
        raise Invalid(
            f"The text holds what looks like a credential (rule {rule}). Take it out and try again.",
            "secret_detected",
            field="text",
        )


def find(text: str) -> str | None:
    """The id of the first rule that fires on `text`, else None.

    What nobody sees (zero-width and other format characters) hides nothing.
    """
    text = "".join(each for each in text if unicodedata.category(each) != "Cf")
    for rule, pattern in _PATTERNS.items():
        if pattern.search(text):
            return rule
    for line in text.splitlines():
        for detector in _detectors():
            if any(True for _ in detector.analyze_string(line)):
                return str(detector.secret_type).lower().replace(" ", "-")
    return None


@cache
def _detectors() -> tuple[Any, ...]:
    return tuple(detector() for detector in _DETECTORS)
