"""Managing a hook: a human's matter, its secret shown once, every act in the event log."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import accounts
from switchboard.access.endpoints import Vended
from switchboard.access.principals import FAMILIES
from switchboard.lib import clock
from switchboard.lib.crypto import Sealer
from switchboard.models import EndpointHook
from tests.notify.bells import calls, health, ring_due, set_hook, verified, verifies
from tests.standins.receiver import HANG, Receiver
from tests.test_canary import assert_clean, stored
from tests.world import World

HOOK = "/endpoints/fixer/hook"


def age_overlap(world: World) -> None:
    """A day and a moment later, as far as a rotation goes."""
    with world.lib.db.write() as session:
        session.execute(update(EndpointHook).values(previous_until=clock.ago(1)))


@pytest.fixture
def url(world: World, receiver: Receiver) -> str:
    assert world.endpoint and world.source
    return receiver.url


def test_a_hook_is_set_shown_and_removed(world: World, url: str) -> None:
    made = world.operator("PUT", HOOK, {"url": url})
    assert made.status_code == 200
    secret = made.json.pop("secret")
    assert secret.startswith("whsec_")
    assert made.json["endpoint"] == world.endpoint.endpoint["slug"]
    assert (made.json["url"], made.json["health"], made.json["failures"]) == (url, "untested", 0)
    shown = world.operator("GET", HOOK)
    assert shown.json == {name: each for name, each in made.json.items() if name != "secret"}
    world.deliver(world.issue(1))
    assert world.operator("DELETE", HOOK).status_code == 204
    assert calls(world) == []
    assert world.operator("GET", HOOK).status_code == 404
    world.deliver(world.issue(2))
    assert calls(world) == []


def test_before_during_and_after_a_rotation_the_stock_library_verifies(
    world: World, url: str, receiver: Receiver
) -> None:
    old = world.operator("PUT", HOOK, {"url": url}).json["secret"]
    world.deliver(world.issue(1))
    ring_due(world)
    rotated = world.operator("POST", f"{HOOK}/rotate").json
    new = rotated["secret"]
    left = (clock.moment(rotated["previous_until"]) - clock.now()).total_seconds()
    assert 86_300 < left <= 86_400
    world.deliver(world.issue(2))
    ring_due(world)
    age_overlap(world)
    world.deliver(world.issue(3))
    ring_due(world)
    before, during, after = receiver.calls
    assert [verifies(before, old), verifies(before, new)] == [True, False]
    assert [verifies(during, old), verifies(during, new)] == [True, True]
    assert [verifies(after, old), verifies(after, new)] == [False, True]
    assert len(during.headers["webhook-signature"].split()) == 2
    assert health(world)["previous_until"] is None


def test_another_address_gets_another_secret(world: World, url: str, receiver: Receiver) -> None:
    old = world.operator("PUT", HOOK, {"url": url + "/old"}).json["secret"]
    world.operator("POST", f"{HOOK}/rotate")
    new = world.operator("PUT", HOOK, {"url": url + "/new"}).json["secret"]
    world.deliver(world.issue(1))
    ring_due(world)
    [call] = receiver.calls
    assert call.path == "/bell/new"
    assert (verifies(call, new), verifies(call, old)) == (True, False)
    assert len(call.headers["webhook-signature"].split()) == 1


def test_a_test_calls_once_and_tells_how_it_went(
    world: World, url: str, receiver: Receiver
) -> None:
    secret = world.operator("PUT", HOOK, {"url": url}).json["secret"]
    receiver.program([500])
    failed = world.operator("POST", f"{HOOK}/test").json
    assert (failed["ok"], failed["class"], failed["code"]) == (False, "server", "500")
    assert health(world)["health"] == "fails"
    worked = world.operator("POST", f"{HOOK}/test").json
    assert (worked["ok"], worked["class"], worked["code"]) == (True, None, None)
    assert health(world)["health"] == "works"
    body = verified(receiver.calls[1], secret)
    assert (body["type"], body["data"]) == (
        "hook.test",
        {"endpoint": world.endpoint.endpoint["slug"]},
    )
    assert receiver.calls[0].id != receiver.calls[1].id
    assert calls(world) == []


def test_tests_are_limited(world: World, url: str) -> None:
    world.operator("PUT", HOOK, {"url": url})
    answers = [world.operator("POST", f"{HOOK}/test") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429]
    assert 15 <= answers[3].json["retry_after"] <= 20


def test_a_test_of_a_receiver_that_hangs_ends_after_five_seconds(
    world: World, url: str, receiver: Receiver
) -> None:
    world.operator("PUT", HOOK, {"url": url})
    receiver.program(HANG)
    began = clock.now()
    answer = world.operator("POST", f"{HOOK}/test").json
    assert (answer["class"], answer["code"]) == ("network", "timeout")
    assert 4 < (clock.now() - began).total_seconds() < 8


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "no url",
        "ftp://example.org/",
        "https://user:pass@example.org/",
        "https://example.org/#part",
        "https://exa mple.org/",
        "https://example.org/\x00",
        "https://127.1/",
        "https://example.org/" + "x" * 1024,
        7,
        None,
    ],
)
def test_an_address_that_is_none_is_refused(world: World, url: str, wrong: Any) -> None:
    refused = world.operator("PUT", HOOK, {"url": wrong})
    assert (refused.status_code, refused.json["code"], refused.json["field"]) == (
        422, "invalid_argument", "url",
    )  # fmt: skip
    assert world.operator("GET", HOOK).status_code == 404


@pytest.mark.setting(ALLOW_HTTP="0")
def test_plain_http_needs_the_operators_consent(world: World, url: str) -> None:
    refused = world.operator("PUT", HOOK, {"url": url})
    assert (refused.status_code, refused.json["field"]) == (422, "url")
    assert "SWITCHBOARD_ALLOW_HTTP" in refused.json["detail"]
    made = world.operator("PUT", HOOK, {"url": url.replace("http:", "https:")})
    assert made.status_code == 200


def test_a_revoked_endpoint_takes_no_hook(world: World, url: str) -> None:
    endpoint = world.endpoint.endpoint["id"]
    world.operator("DELETE", f"/endpoints/{endpoint}")
    refused = world.operator("PUT", f"/endpoints/{endpoint}/hook", {"url": url})
    assert (refused.status_code, refused.json["code"]) == (409, "conflict")


def test_no_grant_of_an_agent_covers_its_hook(world: World, url: str) -> None:
    everything = world.vend("all", verbs=list(FAMILIES))
    path = f"/endpoints/{everything.endpoint['slug']}/hook"
    for method, tail in (
        ("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test"),
    ):  # fmt: skip
        answer = world.agent(method, path + tail, {"url": url}, by=everything)
        assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


def test_a_member_of_a_team_may_not_even_look(world: World, url: str) -> None:
    assert world.account
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "member")
    shared = world.vend("shared", owner="core")
    set_hook(world, url, shared)
    for method, tail in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/rotate")):
        answer = world.operator(method, f"/endpoints/shared/hook{tail}", {"url": url})
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


@pytest.mark.setting(ENCRYPTION_KEY="")
def test_without_a_key_nothing_is_stored(world: World) -> None:
    assert world.endpoint
    refused = world.operator("PUT", HOOK, {"url": "https://example.org/"})
    assert (refused.status_code, refused.json["code"]) == (409, "encryption_required")
    with world.lib.db.read() as session:
        assert session.query(EndpointHook).count() == 0


def test_a_secret_that_does_not_open_is_a_failure_that_is_told(
    world: World, url: str, receiver: Receiver
) -> None:
    set_hook(world, url)
    stranger = Sealer(b"z" * 32).seal("whsec_other", "nobody")
    with world.lib.db.write() as session:
        session.execute(update(EndpointHook).values(secret=stranger))
    world.deliver(world.issue(1))
    ring_due(world)
    row = calls(world)[0]
    assert (row.error_class, row.error_code) == ("auth", "encryption_required")
    refused = world.operator("POST", f"{HOOK}/test")
    assert (refused.status_code, refused.json["code"]) == (409, "encryption_required")
    assert receiver.calls == []


def test_every_act_stands_in_the_event_log_without_the_address(world: World, url: str) -> None:
    world.operator("PUT", HOOK, {"url": f"{url}?token=part-of-the-address"})
    world.operator("POST", f"{HOOK}/rotate")
    world.operator("POST", f"{HOOK}/test")
    world.operator("DELETE", HOOK)
    about = world.endpoint.endpoint["id"]
    events = world.operator("GET", f"/events?about={about}").json["events"]
    hooks_events = [each for each in events if each["type"].startswith("hook.")]
    assert [each["type"] for each in reversed(hooks_events)] == [
        "hook.set", "hook.rotated", "hook.tested", "hook.removed",
    ]  # fmt: skip
    assert {each["actor"] for each in hooks_events} == {"ana"}
    assert hooks_events[-1]["data"]["host"] == "127.0.0.1"
    assert "part-of-the-address" not in str(events)


def test_no_secret_stands_anywhere_but_in_its_one_answer(
    world: World, url: str, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    made = world.operator("PUT", HOOK, {"url": f"{url}?token=canary-in-the-address"}).json
    rotated = world.operator("POST", f"{HOOK}/rotate").json
    secrets = {"old": made["secret"], "new": rotated["secret"]}
    receiver.program([302, 500, 204])
    for number in range(3):
        world.deliver(world.issue(number))
        ring_due(world)
    world.operator("POST", f"{HOOK}/test")
    for path in ("/endpoints", HOOK, "/events", "/deliveries", "/todos", "/faults"):
        assert_clean(path, world.operator("GET", path).data, secrets)
    assert_clean("the log", caplog.text, secrets | {"address": "canary-in-the-address"})
    assert_clean("the database", stored(world), secrets)
    with world.lib.db.read() as session:
        row = session.query(EndpointHook).one()
        assert "enc:v1:" not in repr(row) and "canary" not in repr(row)


def test_what_holds_a_secret_does_not_show_it(world: World, url: str) -> None:
    from switchboard.notify import call_store

    set_hook(world, f"{url}?token=canary-in-the-address")
    world.deliver(world.issue(1))
    found = call_store.find_due(world.lib.express, calls(world)[0].id, clock.now())
    assert found is not None
    assert "enc:v1:" not in repr(found) and "canary" not in repr(found)


def test_a_hook_of_a_team_is_its_owners_to_set(world: World, url: str) -> None:
    assert world.account
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    shared: Vended = world.vend("shared", owner="core")
    answer = world.operator("PUT", f"/endpoints/{shared.endpoint['slug']}/hook", {"url": url})
    assert answer.status_code == 200
