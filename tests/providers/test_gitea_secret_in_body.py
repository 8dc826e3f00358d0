"""Gitea before 1.14 wrote the webhook's secret into each body: it is kept and shown nowhere."""

from __future__ import annotations

import hmac
import json
import zlib
from urllib.parse import quote, urlencode, urlsplit

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from switchboard.access.principals import Machine
from switchboard.inbound import sources
from switchboard.inbound.sources import Added, NewSource
from switchboard.models import DeliveryBody
from tests.world import World, payload

SECRET = 'canary <secret> & "more"'
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def source(world: World) -> Added:
    assert world.endpoint
    new = NewSource(
        "gitea",
        "forge",
        owner=world.account["name"],
        host="https://git.example.org",
        secret=SECRET,
    )
    return sources.add(world.lib, Machine(), new)


def deliver(world: World, source: Added, raw: bytes, content_type: str, id: str) -> TestResponse:
    headers = {
        "Content-Type": content_type,
        "X-Gitea-Event": "issues",
        "X-Gitea-Delivery": id,
        "X-Gitea-Signature": hmac.new(SECRET.encode(), raw, "sha256").hexdigest(),
    }
    return world.client.post(urlsplit(source.source["ingest_url"]).path, data=raw, headers=headers)


def old_body() -> dict[str, object]:
    return {"secret": SECRET} | payload("gitea/issues.opened")


def forms_of(secret: str) -> set[bytes]:
    """The secret as text, as JSON holds it and as a form does."""
    return {form.encode() for form in (secret, json.dumps(secret)[1:-1], quote(secret), "canary")}


BODIES = {
    "JSON": ("application/json", json.dumps(old_body()).encode()),
    "a form": (FORM, urlencode({"payload": json.dumps(old_body())}).encode()),
    "a refused body": (
        "application/json",
        json.dumps({"secret": SECRET, "action": "opened"}).encode(),
    ),
}


@pytest.mark.parametrize("how", BODIES)
def test_the_secret_is_neither_stored_nor_shown(world: World, source: Added, how: str) -> None:
    content_type, raw = BODIES[how]
    answer = deliver(world, source, raw, content_type, "one")
    assert answer.status_code == (422 if how == "a refused body" else 202)
    with world.lib.db.read() as session:
        [kept] = [zlib.decompress(each) for each in session.scalars(select(DeliveryBody.body))]
    [row] = world.log()
    shown = world.operator("GET", f"/deliveries/{row['id']}").data
    for text in (kept, shown, answer.data):
        assert not [form for form in forms_of(SECRET) if form in text]
    assert row["body_sha256"] and row["bytes"] == len(raw)


@pytest.mark.parametrize("how", ["JSON", "a form"])
def test_the_agent_gets_all_but_the_secret(world: World, source: Added, how: str) -> None:
    content_type, raw = BODIES[how]
    deliver(world, source, raw, content_type, "one")
    assert world.claim()["payload"] == old_body() | {"secret": "***"}


def test_a_repeat_is_still_told_by_the_body_as_it_was_sent(world: World, source: Added) -> None:
    content_type, raw = BODIES["JSON"]
    assert deliver(world, source, raw, content_type, "one").status_code == 202
    assert deliver(world, source, raw, content_type, "one").json["duplicate"] is True
    assert deliver(world, source, raw, content_type, "two").json["duplicate"] is True


def test_a_body_without_a_secret_is_kept_to_the_byte(world: World, source: Added) -> None:
    raw = json.dumps(payload("gitea/issues.opened") | {"secret": ""}, indent=3).encode()
    assert deliver(world, source, raw, "application/json", "one").status_code == 202
    with world.lib.db.read() as session:
        [kept] = session.scalars(select(DeliveryBody.body))
    assert zlib.decompress(kept) == raw
