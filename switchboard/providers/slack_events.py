"""What Slack says: the envelopes of the Events API, and the messages inside them.

https://docs.slack.dev/apis/events-api and https://docs.slack.dev/reference/events/message

Two envelopes make nothing: the challenge (`url_verification`) and Slack's word that it holds events back
(`app_rate_limited`), which is recorded. Every other known one is an `event_callback`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from switchboard.lib.text import one_line
from switchboard.providers.base import Address, Event, Origin
from switchboard.providers.reading import MAX_TITLE, event_name, mapping, unmappable
from switchboard.providers.slack_text import plain

CALLBACK, CHALLENGE, HELD_BACK = "event_callback", "url_verification", "app_rate_limited"
MAX_CHALLENGE = 1024
WORDS = (
    "message",
    "app_mention",
)  # what tells of a message; both tell of one that mentions the app
_ID = re.compile(r"[A-Z0-9]{1,64}", re.ASCII)
_TS = re.compile(r"[0-9]{1,20}\.[0-9]{1,20}", re.ASCII)


class Spot(NamedTuple):
    """One message's place; `thread_ts` is its thread's, which its own `ts` starts if there is none."""

    team: str
    channel: str
    ts: str
    thread_ts: str

    @property
    def thread(self) -> str:
        """The thread as the glossary refers to it: `TEAM/CHANNEL/ts`."""
        return f"{self.team}/{self.channel}/{self.thread_ts}"


def kind_of(body: Any) -> str | None:
    """`message`, `message.thread_broadcast`, `app_mention` and so on; None where nothing says it."""
    envelope = mapping(body)
    if envelope.get("type") != CALLBACK:
        return event_name(envelope.get("type"))
    inner = mapping(envelope.get("event"))
    name, subtype = event_name(inner.get("type")), event_name(inner.get("subtype"))
    return f"{name}.{subtype}" if name and subtype else name


def message_key(body: Any) -> str | None:
    """The key by which one message is known under whatever event; an edit has a time of its own."""
    envelope = mapping(body)
    inner = mapping(envelope.get("event"))
    spot = _spot(envelope.get("team_id"), inner, inner)
    if spot is None or inner.get("type") not in WORDS:
        return None
    return f"message:{spot.team}/{spot.channel}/{spot.ts}"


def understand(body: Any, origin: Origin) -> Event:
    """The event with title, text and reply address. Raises Invalid `unmappable`."""
    if not isinstance(body, dict):
        raise unmappable("object at the top")
    if body.get("type") == CHALLENGE:
        return _challenge(body)
    kind = kind_of(body)
    if body.get("type") == HELD_BACK:
        return Event(HELD_BACK, "Slack is holding events back: this app gets too many", letter=None)
    if body.get("type") != CALLBACK:
        raise unmappable("type")
    if not isinstance(body.get("event"), dict):
        raise unmappable("event")
    if kind is None:
        raise unmappable("event.type")
    return _callback(kind, body, origin)


def _challenge(body: Mapping[str, Any]) -> Event:
    """https://docs.slack.dev/reference/events/url_verification"""
    said = body.get("challenge")
    plain_text = isinstance(said, str) and said.isascii() and said.isprintable()
    if not plain_text or not 0 < len(str(said)) <= MAX_CHALLENGE:
        raise unmappable("challenge")
    return Event(CHALLENGE, "Slack checks the address", letter=None, answer={"challenge": said})


def _callback(kind: str, body: Mapping[str, Any], origin: Origin) -> Event:
    inner = body["event"]
    message = _message_in(inner)
    spot = _spot(body.get("team_id"), inner, message)
    said = message.get("text")
    text = plain(said) if isinstance(said, str) else None
    bot_id, person = message.get("bot_id"), message.get("user")
    return Event(
        kind,
        title=one_line(text or "", MAX_TITLE) or _untitled(kind, inner),
        subject=spot.thread if spot else None,
        address=_address(spot, origin),
        object_id=f"{spot.channel}:{spot.ts}" if spot else None,
        text=text,
        author=person if bot_id is None and _is(_ID, person) else None,
        bot_id=bot_id if _is(_ID, bot_id) else None,
    )


def _message_in(inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message an event is about.

    An edit (`message_changed`) has it inside and is stamped with the edit's own time, at which there is
    no thread; a deleted one can be answered in the thread it stood in, and starts none.
    """
    if inner.get("subtype") == "message_deleted":
        gone = mapping(inner.get("previous_message"))
        return {**gone, "ts": gone.get("thread_ts"), "text": None}
    nested = inner.get("message")
    return nested if isinstance(nested, dict) else inner


def _spot(team: object, inner: Mapping[str, Any], message: Mapping[str, Any]) -> Spot | None:
    """Where the message stands, or None when any part is in doubt: nothing is mended."""
    channel, ts = inner.get("channel"), message.get("ts")
    thread_ts = ts if message.get("thread_ts") is None else message["thread_ts"]
    if not (_is(_ID, team) and _is(_ID, channel) and _is(_TS, ts) and _is(_TS, thread_ts)):
        return None
    return Spot(str(team), str(channel), str(ts), str(thread_ts))


def _is(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _address(spot: Spot | None, origin: Origin) -> Address | None:
    return None if spot is None or spot.team != origin.host else _address_of(spot)


def spot_of(reply_to: Mapping[str, Any]) -> Spot:
    """The thread that a reply address names."""
    team, channel, thread_ts = (reply_to[name] for name in ("team_id", "channel", "thread_ts"))
    return Spot(team, channel, thread_ts, thread_ts)


def address_called(item: str) -> Address | None:
    """The address of the thread `TEAM/CHANNEL/ts`; None where that is none."""
    parts = item.split("/")
    if len(parts) != 3 or not all(map(_is, (_ID, _ID, _TS), parts)):
        return None
    team, channel, ts = parts
    return _address_of(Spot(team, channel, ts, ts))


def _address_of(spot: Spot) -> Address:
    return Address(
        kind="slack_thread",
        provider="slack",
        fields={"team_id": spot.team, "channel": spot.channel, "thread_ts": spot.thread_ts},
        display=f"slack {spot.thread}",
        key=f"slack:{spot.thread}",
    )


def _untitled(kind: str, inner: Mapping[str, Any]) -> str:
    place = inner.get("channel") or mapping(inner.get("item")).get("channel")
    return one_line(f"{kind} in {place}" if _is(_ID, place) else kind, MAX_TITLE)
