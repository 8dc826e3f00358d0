"""Slack: events in, messages in their threads out.

https://docs.slack.dev/authentication/verifying-requests-from-slack
https://docs.slack.dev/reference/methods/chat.postMessage
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.errors import Invalid
from switchboard.lib.http import Answer, Client
from switchboard.lib.text import one_line
from switchboard.providers import slack_events
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
from switchboard.providers.reading import mapping, plain_id
from switchboard.providers.signing import (
    SEEN_SECONDS,
    check_any,
    check_time,
    hex_hmac,
    missing_signature,
    unix_time,
    unreadable_time,
)
from switchboard.providers.slack_answers import is_ok, refused
from switchboard.providers.slack_text import MAX_ESCAPED, escaped

SIGNATURE, TIMESTAMP = "X-Slack-Signature", "X-Slack-Request-Timestamp"
API = "https://slack.com/api"
TEAM_HELP = (
    "Give the workspace's team id, such as T0123ABCD: it stands in the address of Slack's web app."
)

_TEAM = re.compile(r"[TE][A-Z0-9]{1,31}", re.ASCII)
_POSTED_ID = re.compile(r"[A-Z0-9]{1,64}:[0-9]{1,20}\.[0-9]{1,20}", re.ASCII)
_BOT = re.compile(r"[A-Z0-9]{1,64}", re.ASCII)


class Slack:
    """A workspace, known by its team id. `api_url` replaces https://slack.com/api."""

    kind = "slack"
    label = "Slack"
    exact_targets = True
    default_host = ""
    speaks: Speaks | None = Speaks(
        "Team id",
        "The Slack workspace it speaks for; it begins with T. Another one's events get no reply "
        "address.",
        "T0123ABCD",
    )
    signing_help = "The app's signing secret: Basic Information → App Credentials in Slack."
    default_letters = "n"
    signs = True
    filed = False
    pins_repos = False
    shell: ShellSignature | None = ShellSignature(
        {TIMESTAMP: "$now", SIGNATURE: "v0=$signature"}, before="v0:$now:"
    )
    secret_fields: tuple[str, ...] = (
        "token",
    )  # the old proof of who sends, which apps still share
    asks = Asks(
        account="Team id",
        account_help="The workspace's id; it stands in the address of Slack's web app.",
        example="T0123ABCD",
        credential_help="The app's Bot User OAuth Token (xoxb-…), with the scope chat:write.",
        target_help="Which channels may be answered, by their ids, one a line, such as C0123ABCD. "
        "Empty: every channel the app is in.",
    )

    def __init__(self, api_url: str = "") -> None:
        self._api_url = api_url or API

    # inbound

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Check X-Slack-Signature over version, time and body."""
        given, said = headers.get(SIGNATURE), headers.get(TIMESTAMP)
        if not given or not said:
            raise missing_signature(TIMESTAMP if given else SIGNATURE)
        moment = unix_time(said)
        if moment is None:
            raise unreadable_time(TIMESTAMP)
        check_any(SIGNATURE, given, (_signature(secret, said, raw) for secret in secrets))
        check_time(TIMESTAMP, moment, now)

    def hashed(self, headers: Mapping[str, str], raw: bytes, secret: str) -> tuple[bytes, bytes]:
        """Version, time and body."""
        return secret.encode(), _text(headers.get(TIMESTAMP, ""), raw)

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """With X-Slack-Signature and its timestamp."""
        said = str(int(now.timestamp()))
        return {
            **sample.headers,
            TIMESTAMP: said,
            SIGNATURE: _signature(secret, said, sample.raw),
        }

    def sample(self, host: str, delivery_id: str) -> Sample:
        """The challenge that Slack sends when the Request URL is entered; it carries no id of its own."""
        body = {"type": slack_events.CHALLENGE, "challenge": delivery_id}
        return Sample({"Content-Type": "application/json"}, json.dumps(body).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The signed body's event_id; the envelopes that carry no event have none."""
        envelope = mapping(body)
        if envelope.get("type") != slack_events.CALLBACK:
            return None
        given = plain_id(envelope.get("event_id"))
        if given is None:
            raise Invalid("The body has no event_id.", "missing_delivery_id", field="event_id")
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """The signature while its time is good, and the message itself as long as the record.

        A challenge is answered each time.
        """
        if mapping(body).get("type") == slack_events.CHALLENGE:
            return {}
        found: dict[str, int | None] = {f"signature:{headers.get(SIGNATURE)}": SEEN_SECONDS}
        message = slack_events.message_key(body)
        return found | {message: None} if message else found

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The inner event's type and subtype, as in `message.thread_broadcast`."""
        return slack_events.kind_of(body)

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Event kind, title, subject and reply address, all from the verified body."""
        return slack_events.understand(body, origin)

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click at Slack."""
        return [
            "Open https://api.slack.com/apps and your app (or Create New App → From scratch).",
            "Basic Information → App Credentials: copy the Signing Secret. Slack makes it, so it is given "
            "here as the source's secret; the one shown here once does not fit.",
            f"Event Subscriptions → Enable Events → Request URL: {ingest_url}. "
            "Slack sends a challenge at once and says Verified.",
            "Subscribe to bot events: app_mention for what names the app, message.channels for all of a "
            "channel. Save Changes.",
            "Install App to the workspace, then /invite the app into the channels it is to hear.",
            "To answer, add a slack connection with the Bot User OAuth Token (xoxb-…) of OAuth & "
            "Permissions; it needs the scope chat:write. Test it, so that its own posts are known.",
        ]

    def source_host(self, text: str) -> str:
        """The team id."""
        return _team(text, "host")

    # outbound

    def host_of(self, account_key: str) -> str:
        """The team id."""
        return _team(account_key, "account_key")

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The team id."""
        return str(reply_to["team_id"])

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """The channel's id."""
        return str(reply_to["channel"])

    def work_item(self, reply_to: Mapping[str, Any]) -> str:
        """`TEAM/CHANNEL/ts` of the thread."""
        return slack_events.spot_of(reply_to).thread

    def address_called(self, item: str) -> Address | None:
        """The thread of that name."""
        return slack_events.address_called(item)

    def check_text(self, text: str) -> None:
        """Slack takes 40 000 characters, counted as they are posted."""
        if len(escaped(text)) > MAX_ESCAPED:
            raise Invalid(
                f"Slack takes at most {MAX_ESCAPED} characters, of which & counts 5, < and > 4.",
                field="text",
            )

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """chat.postMessage into the thread. Its answer has no permalink, and one call is all we make."""
        words = escaped(text)
        if len(words) > MAX_ESCAPED:  # the signature line came on top; Slack would cut it silently
            return Posted("failed", error_class="invalid", error_code="msg_too_long")
        message = {
            "channel": reply_to["channel"],
            "thread_ts": reply_to["thread_ts"],
            "text": words,
            "link_names": False,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        answer = self._call(http, credential, "chat.postMessage", message)
        return Posted("sent", object_id=_posted_id(answer)) if is_ok(answer) else refused(answer)

    def probe(self, http: Client, credential: Credential) -> Identity:
        """auth.test; the token has to be of the workspace that the connection is for."""
        answer = self._call(http, credential, "auth.test", {})
        if not is_ok(answer):
            problem = refused(answer)
            return Identity(False, None, problem.error_class, problem.error_code)
        found = mapping(answer.json())
        name = found.get("user") or found.get("user_id")
        identity = one_line(name, 64) if isinstance(name, str) else None
        if found.get("team_id") != self.host_of(credential.account_key):
            return Identity(False, identity, "forbidden", "team_mismatch")
        bot_id = found.get("bot_id")
        good = isinstance(bot_id, str) and _BOT.fullmatch(bot_id)
        return Identity(True, identity, bot_id=bot_id if good else None)

    def _call(
        self, http: Client, credential: Credential, method: str, arguments: Mapping[str, Any]
    ) -> Answer:
        return http.request(
            "POST",
            f"{self._api_url}/{method}",
            headers={
                "Authorization": f"Bearer {credential.secret}",
                "Content-Type": "application/json; charset=utf-8",
            },
            json=arguments,
        )


def _signature(secret: str, timestamp: str, raw: bytes) -> str:
    return "v0=" + hex_hmac(secret, _text(timestamp, raw))


def _text(timestamp: str, raw: bytes) -> bytes:
    return b"v0:" + timestamp.encode("utf-8", "replace") + b":" + raw


def _team(text: str, field: str) -> str:
    if not _TEAM.fullmatch(text):
        raise Invalid(TEAM_HELP, field=field)
    return text


def _posted_id(answer: Answer) -> str | None:
    made = mapping(answer.json())
    name = f"{made.get('channel')}:{made.get('ts')}"
    return name if _POSTED_ID.fullmatch(name) else None
