"""What holds for every kind of source: a new one brings samples and is tested by these."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from switchboard.access import letters
from switchboard.errors import Invalid, Problem, Unauthenticated
from switchboard.lib import clock, strictjson
from switchboard.models import DeliveryKey
from switchboard.providers.base import Origin
from switchboard.providers.signing import WINDOW
from tests.providers.kinds import (
    OTHER_SECRET,
    SECRET,
    SIGNING,
    SOURCE_KINDS,
    answer_of,
    assert_tidy,
    bodies_of,
    headers_for,
    host_of,
    sample_of,
    signed,
    understand,
)

TIMED = {"slack", "signed", "cairn"}  # the others sign no time, and none is made up for them
BODIES = [(name, path) for name in SOURCE_KINDS for path in bodies_of(name)]

every_kind = pytest.mark.parametrize("name", SOURCE_KINDS)
every_signing_kind = pytest.mark.parametrize("name", SIGNING)
every_body = pytest.mark.parametrize(
    ("name", "path"), BODIES, ids=[f"{name}/{path.stem}" for name, path in BODIES]
)


def verify(name: str, headers: Mapping[str, str], raw: bytes, *secrets: str, late: int = 0) -> None:
    now = clock.now() + timedelta(seconds=late)
    SOURCE_KINDS[name].verify(headers, raw, secrets or [SECRET], now)


def refusal(name: str, headers: Mapping[str, str], raw: bytes, *secrets: str, late: int = 0) -> str:
    with pytest.raises(Unauthenticated) as refused:
        verify(name, headers, raw, *secrets, late=late)
    return refused.value.code


# ── what proves the sender ───────────────────────────────────────────────────────────────────────


@every_kind
def test_its_own_test_message_verifies(name: str) -> None:
    verify(name, *signed(name))


@every_kind
def test_after_a_rotation_old_and_new_secret_verify(name: str) -> None:
    for secret in (SECRET, OTHER_SECRET):
        verify(name, *signed(name, secret), OTHER_SECRET, SECRET)


@every_signing_kind
def test_another_secret_is_a_bad_signature(name: str) -> None:
    assert refusal(name, *signed(name, OTHER_SECRET)) == "bad_signature"


@every_signing_kind
def test_no_secret_at_all_lets_nobody_in(name: str) -> None:
    headers, raw = signed(name)
    with pytest.raises(Unauthenticated):
        SOURCE_KINDS[name].verify(headers, raw, [], clock.now())


@every_signing_kind
def test_any_byte_changed_is_a_bad_signature(name: str) -> None:
    headers, raw = signed(name)
    for place in range(len(raw)):
        changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        assert refusal(name, headers, changed) == "bad_signature"


@every_signing_kind
def test_a_byte_more_or_less_is_a_bad_signature(name: str) -> None:
    headers, raw = signed(name)
    for changed in (raw + b"\n", raw[:-1], b"", b" " + raw):
        assert refusal(name, headers, changed) == "bad_signature"


@every_signing_kind
def test_each_header_that_signing_adds_is_needed(name: str) -> None:
    headers, raw = signed(name)
    added = set(headers) - set(sample_of(name).headers)
    assert added
    for header in added:
        assert refusal(name, {**headers, header: ""}, raw) == "missing_signature"
        assert refusal(name, without(headers, header), raw) == "missing_signature"


def without(headers: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key != name}


@every_signing_kind
@pytest.mark.parametrize("other", SIGNING)
def test_another_kinds_signature_is_none(name: str, other: str) -> None:
    if name == other:
        return
    assert refusal(name, *signed(other)) == "missing_signature"


@every_signing_kind
def test_a_signature_in_strange_letters_is_a_bad_one(name: str) -> None:
    headers, raw = signed(name)
    for header in set(headers) - set(sample_of(name).headers):
        for value in (
            "é",
            "\ud800",
            "ÿ" * 64,
            "sha256=" + "\u0660" * 64,
            "a" * 5000,
            "=",
            "v1,",
            ",",
        ):
            code = refusal(name, {**headers, header: value}, raw)
            assert code in ("bad_signature", "stale_timestamp", "missing_signature")


@every_kind
def test_a_signed_time_holds_for_five_minutes_either_way(name: str) -> None:
    headers, raw = signed(name)
    for late in (WINDOW.seconds - 5, 5 - WINDOW.seconds):
        verify(name, headers, raw, late=late)
    for late in (WINDOW.seconds + 5, -WINDOW.seconds - 5):
        if name in TIMED:
            assert refusal(name, headers, raw, late=late) == "stale_timestamp"
        else:
            verify(name, headers, raw, late=late)


@every_signing_kind
def test_a_secret_stays_out_of_every_refusal(name: str) -> None:
    headers, raw = signed(name, OTHER_SECRET)
    with pytest.raises(Unauthenticated) as refused:
        verify(name, headers, raw)
    assert SECRET not in json.dumps(refused.value.as_dict()) + repr(refused.value)


# ── what a test message makes ────────────────────────────────────────────────────────────────────


@every_kind
def test_its_own_test_message_makes_nothing(name: str) -> None:
    headers, raw = signed(name)
    event = SOURCE_KINDS[name].understand(headers, strictjson.loads(raw), Origin(host_of(name)))
    assert (event.letter, event.address, event.artifact) == (None, None, None)


@every_kind
def test_two_test_messages_are_no_repeats_of_each_other(name: str) -> None:
    kind = SOURCE_KINDS[name]
    held = []
    for id in ("one", "two"):
        sample = kind.sample(host_of(name), id)
        headers, body = kind.sign(sample, SECRET, clock.now()), strictjson.loads(sample.raw)
        sha256 = hashlib.sha256(sample.raw).hexdigest()
        given = kind.delivery_id(headers, body)
        held.append({*kind.keys(headers, body, sha256), *([given] if given else [])})
    assert not held[0] & held[1]


@every_kind
def test_it_says_how_to_set_it_up(name: str) -> None:
    url = "https://switchboard.example.org/hooks/token"
    steps = SOURCE_KINDS[name].steps(url)
    assert sum(url in step for step in steps) == 1
    assert all(step == " ".join(step.split()) for step in steps)


@every_kind
def test_its_letters_are_letters(name: str) -> None:
    assert letters.parse(SOURCE_KINDS[name].default_letters) == SOURCE_KINDS[name].default_letters


# ── what its bodies say ──────────────────────────────────────────────────────────────────────────


def test_every_kind_has_bodies() -> None:
    assert set(SOURCE_KINDS) == {name for name, _ in BODIES}


@every_body
def test_a_recorded_body_is_understood_or_clearly_refused(name: str, path: Path) -> None:
    event = answer_of(lambda: understand(name, path))
    if isinstance(event, Problem):
        assert (event.code, event.field is not None) == ("unmappable", True)
    else:
        assert_tidy(event)


@every_body
def test_only_a_kind_that_signs_has_addresses(name: str, path: Path) -> None:
    with suppress(Invalid):
        event = understand(name, path)
        assert event.address is None or SOURCE_KINDS[name].signs


@every_body
def test_another_host_than_the_pinned_means_no_address(name: str, path: Path) -> None:
    headers, body = headers_for(name, path.stem), strictjson.loads(path.read_bytes())
    for host in ("evil.example", "", "T0000EVIL"):
        with suppress(Invalid):
            assert SOURCE_KINDS[name].understand(headers, body, Origin(host)).address is None


@every_kind
def test_a_body_that_is_no_json_is_left_to_be_refused_for_that(name: str) -> None:
    """The pipeline says `invalid_json`; a kind that knows its delivery's id only from it says nothing."""
    kind, refused = SOURCE_KINDS[name], Invalid("It is not JSON.", "invalid_json")
    headers, _ = signed(name)
    kind.delivery_id(headers, refused)
    kind.event_type(headers, refused)
    assert kind.keys(headers, refused, "0" * 64) is not None


@every_kind
def test_a_key_fits_the_place_where_it_is_kept(name: str) -> None:
    headers, raw = signed(name)
    keys = SOURCE_KINDS[name].keys(headers, strictjson.loads(raw), "0" * 64)
    limit = DeliveryKey.__table__.c.key.type.length
    assert max((len(key) for key in keys), default=0) <= limit
    assert all(seconds is None or 60 <= seconds <= 86_400 for seconds in keys.values())
