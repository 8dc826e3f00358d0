"""What no sender can do: whatever the headers and the JSON, a kind answers or refuses, it never breaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.errors import Problem, Unauthenticated
from switchboard.inbound.ack_store import MOST_KEYS
from switchboard.lib import clock, strictjson
from switchboard.lib.text import clean
from switchboard.providers.base import Event, Origin
from tests.providers.kinds import (
    SECRET,
    SIGNING,
    SOURCE_KINDS,
    answer_of,
    assert_tidy,
    bodies_of,
    headers_for,
    host_of,
    signed,
    tidy,
)

every_kind = pytest.mark.parametrize("name", SOURCE_KINDS)

WORDS = [
    "action", "artifact", "author", "body", "bot_id", "challenge", "channel", "comment", "commit",
    "created_at", "event", "event_id", "full_name", "html_url", "id", "issue", "kind", "labels",
    "message", "name", "number", "ping", "pull_request", "repository", "state", "subject", "team_id",
    "text", "thread_ts", "ticket", "title", "ts", "type", "url", "user",
]  # fmt: skip
VALUES = [
    "issues", "url_verification", "event_callback", "message", "ticket", "comment", "checks", "ping",
    "artifact.created", "https://git.example.org/x", "https://[::1", "\x00", "\ud800", "a\nb", "..",
    "2026-11-02T10:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "T0AB1CD2E",
    10**30, 2**63, -1, 0, "7", "1700000000.000100",
]  # fmt: skip
leaf = (
    st.sampled_from(VALUES)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=400)
)
anything = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=9), inner, max_size=9)
    ),
    max_leaves=30,
)
some_headers = st.dictionaries(
    st.sampled_from(sorted({name for kind in SIGNING for name in signed(kind)[0]}))
    | st.sampled_from(["X-Event-Type", "X-Delivery-Id", "webhook-id", "X-GitHub-Event"])
    | st.text(max_size=20),
    st.sampled_from(["issues", "push", "ping", "pull_request", "sha256=00", "0" * 64, "1700000000"])
    | st.text(max_size=600),
    max_size=8,
)
often = settings(max_examples=60, deadline=None)


def ask_everything(name: str, headers: Mapping[str, str], body: Any) -> None:
    kind = SOURCE_KINDS[name]
    event_type = answer_of(lambda: kind.event_type(headers, body))
    assert event_type is None or tidy(event_type, 127)
    delivery_id = answer_of(lambda: kind.delivery_id(headers, body))
    assert delivery_id is None or isinstance(delivery_id, Problem) or tidy_id(delivery_id)
    keys = answer_of(lambda: kind.keys(headers, body, "0" * 64))
    assert isinstance(keys, Problem) or len(keys) < MOST_KEYS
    event = answer_of(lambda: kind.understand(headers, body, Origin(host_of(name))))
    if isinstance(event, Event):
        assert_tidy(event)
        assert event.address is None or event.address.provider == name
    else:
        assert tidy(clean(event.detail), 1000)


def tidy_id(text: str) -> bool:
    return 0 < len(text) <= 256 and text.isascii() and text.isprintable()


@every_kind
@often
@given(headers=some_headers, body=anything)
def test_no_json_makes_it_crash(name: str, headers: dict[str, str], body: Any) -> None:
    ask_everything(name, headers, body)


@every_kind
@often
@given(data=st.data())
def test_no_member_of_a_real_body_makes_it_crash(name: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(bodies_of(name)))
    body = strictjson.loads(path.read_bytes())
    holder, key = data.draw(st.sampled_from(list(members(body)) or [({}, "x")]))
    holder[key] = data.draw(anything)
    ask_everything(name, headers_for(name, path.stem), body)


def members(value: Any) -> Any:
    """Each (holder, key) in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, dict | list):
        for key, each in inner:
            yield value, key
            if isinstance(each, dict | list):
                yield from members(each)


@every_kind
@often
@given(headers=some_headers, raw=st.binary(max_size=300))
def test_no_headers_and_bytes_make_verifying_crash(
    name: str, headers: dict[str, str], raw: bytes
) -> None:
    outcome = answer_of(lambda: SOURCE_KINDS[name].verify(headers, raw, [SECRET], clock.now()))
    assert isinstance(outcome, Unauthenticated) is SOURCE_KINDS[name].signs
