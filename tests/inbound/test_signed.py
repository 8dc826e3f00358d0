"""A signed source through the whole box: either scheme is let in, once, and told what it needs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook
from werkzeug.test import TestResponse

from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.inbound.sources import Added
from switchboard.providers.signed_schemes import OWN, SCHEMES
from tests.world import World, payload

NUMBERS = count(1)
either = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.fixture
def source(world: World) -> Added:
    assert world.endpoint
    return world.add_source("ci", "signed", repo="rocket", letters="nck")


def said(kind: str = "ticket", **changed: Any) -> dict[str, Any]:
    return payload(f"signed/{kind}") | changed


def sign(
    source: Added, raw: bytes, *, scheme: str = "own", id: str = "", late: int = 0, secret: str = ""
) -> dict[str, str]:
    """Headers signed `late` seconds ago."""
    at = datetime.now(UTC) - timedelta(seconds=late)
    id = id or f"build-{next(NUMBERS)}"
    signed = SCHEMES[scheme].sign(raw, secret or source.secret or "", id, at)
    return {"Content-Type": "application/json", **signed}


def deliver(world: World, source: Added, body: Any, **how: Any) -> TestResponse:
    raw = json.dumps(body).encode()
    return world.send(source, raw, sign(source, raw, **how))


def refusal(answer: TestResponse) -> tuple[int, str, str | None]:
    return answer.status_code, answer.json["code"], answer.json.get("field")


def artifacts(answer: TestResponse) -> list[str]:
    return [each["type"] for each in answer.json["artifacts"]]


def test_it_is_addressed_by_its_repo_and_name(source: Added) -> None:
    assert source.source["ingest_url"].endswith("/api/v1/r/rocket/inbound/ci")


# ── what it becomes ──────────────────────────────────────────────────────────────────────────────


@either
def test_a_ticket_is_opened_with_its_todo(world: World, source: Added, scheme: str) -> None:
    answer = deliver(world, source, said(), scheme=scheme)
    assert (answer.status_code, artifacts(answer)) == (202, ["ticket", "todo"])
    todo = world.claim()
    assert (todo["title"], todo["reply_to"]) == ("Nightly run failed", None)


@either
def test_a_comment_and_a_verdict_are_kept(world: World, source: Added, scheme: str) -> None:
    deliver(world, source, said())
    comment = deliver(world, source, said("comment"), scheme=scheme)
    check = deliver(world, source, said("checks", state="success"), scheme=scheme)
    assert (artifacts(comment), artifacts(check)) == (["comment"], ["verdict"])


def test_a_ping_is_recorded_and_makes_nothing(world: World, source: Added) -> None:
    answer = deliver(world, source, said("ping"))
    assert (answer.status_code, answer.json["artifacts"]) == (202, [])
    assert world.log()[0]["event_type"] == "ping"


def test_a_comment_on_a_ticket_that_is_not_there_is_refused_by_its_field(
    world: World, source: Added
) -> None:
    answer = deliver(world, source, said("comment", ticket=99))
    assert refusal(answer) == (422, "unmappable", "ticket")


@pytest.mark.parametrize(("kind", "letter"), [("ticket", "n"), ("comment", "c"), ("checks", "k")])
def test_a_source_has_no_letter_until_somebody_chooses(
    world: World, kind: str, letter: str
) -> None:
    assert world.endpoint
    source = world.add_source("mute", "signed", repo="rocket")
    answer = deliver(world, source, said(kind))
    assert (answer.status_code, answer.json["code"], answer.json["letter"]) == (
        403, "missing_capability", letter,
    )  # fmt: skip
    assert world.log()[0]["code"] == "missing_capability"


def test_a_ping_needs_no_letter(world: World) -> None:
    assert world.endpoint
    source = world.add_source("mute", "signed", repo="rocket")
    assert deliver(world, source, said("ping")).status_code == 202


# ── the stock library ────────────────────────────────────────────────────────────────────────────


def stock(secret: str, raw: bytes, id: str) -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(id, now, raw.decode()),
    }


def test_the_stock_library_signs_and_is_accepted(world: World, source: Added) -> None:
    raw = json.dumps(said()).encode()
    answer = world.send(source, raw, stock(source.secret or "", raw, "msg_1"))
    assert (answer.status_code, artifacts(answer)) == (202, ["ticket", "todo"])
    assert world.log()[0]["delivery_id"] == "msg_1"


def test_a_stock_sender_that_rotates_is_accepted(world: World, source: Added) -> None:
    raw = json.dumps(said()).encode()
    other = "whsec_QW5vdGhlciBzZWNyZXQsIGtub3duIHRvIG5vYm9keSBlbHNlIQ=="
    headers = stock(source.secret or "", raw, "msg_1")
    headers["webhook-signature"] = (
        f"{stock(other, raw, 'msg_1')['webhook-signature']} {headers['webhook-signature']}"
    )
    assert world.send(source, raw, headers).status_code == 202


def test_a_secret_brought_along_that_is_no_key_is_said_to_be_none(world: World) -> None:
    assert world.endpoint
    source = world.add_source("old", "signed", repo="rocket", secret="a plain secret", letters="n")
    raw = json.dumps(said()).encode()
    answer = world.send(source, raw, stock("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", raw, "msg_1"))
    assert refusal(answer) == (401, "bad_signature", "webhook-signature")
    assert "whsec_" in answer.json["detail"] and "a plain secret" not in answer.text
    assert deliver(world, source, said()).status_code == 202


# ── time, repeats, rotation ──────────────────────────────────────────────────────────────────────


@either
@pytest.mark.parametrize("late", [400, -400])
def test_a_stale_or_future_time_is_refused(
    world: World, source: Added, scheme: str, late: int
) -> None:
    answer = deliver(world, source, said(), scheme=scheme, late=late)
    assert refusal(answer) == (401, "stale_timestamp", SCHEMES[scheme].timestamp)


@either
def test_the_same_delivery_again_is_answered_with_its_outcome(
    world: World, source: Added, scheme: str
) -> None:
    first = deliver(world, source, said(), scheme=scheme, id="build-of-old", late=30)
    again = deliver(world, source, said(), scheme=scheme, id="build-of-old")
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json == {**first.json, "duplicate": True}


def test_a_captured_request_under_a_new_id_makes_nothing(world: World, source: Added) -> None:
    raw = json.dumps(said()).encode()
    headers = sign(source, raw)
    first = world.send(source, raw, headers)
    replayed = world.send(source, raw, {**headers, OWN.id: "another"})
    assert (replayed.status_code, replayed.json) == (200, {**first.json, "duplicate": True})


def test_a_captured_standard_request_under_a_new_id_is_a_bad_signature(
    world: World, source: Added
) -> None:
    raw = json.dumps(said()).encode()
    headers = sign(source, raw, scheme="standard")
    assert world.send(source, raw, headers).status_code == 202
    replayed = world.send(source, raw, {**headers, "webhook-id": "another"})
    assert refusal(replayed) == (401, "bad_signature", "webhook-signature")


@either
def test_one_id_with_another_body_is_a_conflict(world: World, source: Added, scheme: str) -> None:
    deliver(world, source, said(), scheme=scheme, id="build-of-old")
    other = deliver(world, source, said(title="Other"), scheme=scheme, id="build-of-old")
    assert (other.status_code, other.json["code"]) == (409, "delivery_conflict")


@either
def test_after_a_rotation_both_secrets_are_good(world: World, source: Added, scheme: str) -> None:
    rotated = source_changes.rotate(world.lib, Machine(), "ci")
    for secret in (source.secret or "", rotated.secret or ""):
        assert deliver(world, source, said(), scheme=scheme, secret=secret).status_code == 202


@either
@pytest.mark.setting(ROTATION_OVERLAP_SECONDS="0")
def test_after_the_overlap_the_old_secret_is_none(world: World, source: Added, scheme: str) -> None:
    rotated = source_changes.rotate(world.lib, Machine(), "ci")
    old = deliver(world, source, said(), scheme=scheme)
    new = deliver(world, source, said(), scheme=scheme, secret=rotated.secret or "")
    assert (old.status_code, old.json["code"], new.status_code) == (401, "bad_signature", 202)


def test_without_an_id_it_is_refused(world: World, source: Added) -> None:
    raw = json.dumps(said()).encode()
    headers = {**sign(source, raw), OWN.id: ""}
    assert refusal(world.send(source, raw, headers)) == (422, "missing_delivery_id", OWN.id)


def test_signatures_stand_in_no_record(world: World, source: Added) -> None:
    raw = json.dumps(said()).encode()
    headers = sign(source, raw) | stock(source.secret or "", raw, "msg_1")
    world.send(source, raw, headers)
    [row] = world.log()
    whole = world.operator("GET", f"/deliveries/{row['id']}").text
    assert headers[OWN.id] in whole
    assert headers[OWN.signature] not in whole and headers["webhook-signature"] not in whole


def test_another_kinds_source_has_no_such_address(world: World, source: Added) -> None:
    world.add_source("octo")
    raw = json.dumps(said()).encode()
    answer = world.client.post("/api/v1/r/rocket/inbound/octo", data=raw, headers=sign(source, raw))
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_source")


def test_a_red_verdict_without_an_endpoint_is_kept_and_makes_no_todo(world: World) -> None:
    ci = world.add_source(
        "lonely", "signed", repo="acme/moon", letters="k", to=[], red_opens_todo=True
    )
    answer = deliver(world, ci, said("checks", state="failure"))
    assert (answer.status_code, artifacts(answer)) == (202, ["verdict"])


@pytest.mark.parametrize("scheme", ["own", "standard"])
def test_a_time_in_milliseconds_is_told_as_such(world: World, source: Added, scheme: str) -> None:
    raw = json.dumps(said()).encode()
    headers = sign(source, raw, scheme=scheme)
    name = next(name for name in headers if name.lower().endswith("timestamp"))
    answer = world.send(source, raw, headers | {name: headers[name] + "000"})
    assert answer.status_code == 401
    assert "whole unix seconds" in answer.json["detail"]
