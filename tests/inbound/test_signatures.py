"""A delivery is believed only with the right signature; every other one is recorded with its reason."""

from __future__ import annotations

import hmac
import json

import pytest

from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from tests.servers import serve
from tests.world import World, sign

SIGNATURE = "X-Hub-Signature-256"
SHA1 = "X-Hub-Signature"

FORGED = {
    "absent": ({SIGNATURE: None}, "missing_signature"),
    "empty": ({SIGNATURE: ""}, "missing_signature"),
    "sha1 only": ({SIGNATURE: None, SHA1: "sha1=" + "0" * 40}, "missing_signature"),
    "of another secret": ({SIGNATURE: "sha256=" + "0" * 64}, "bad_signature"),
    "not hex": ({SIGNATURE: "sha256=" + "z" * 64}, "bad_signature"),
    "not latin": ({SIGNATURE: "sha256=" + "é" * 64}, "bad_signature"),
    "without its scheme": ({SIGNATURE: "0" * 64}, "bad_signature"),
    "cut short": ({SIGNATURE: "sha256="}, "bad_signature"),
    "of absurd length": ({SIGNATURE: "sha256=" + "a" * 5000}, "bad_signature"),
}


def test_a_forged_delivery_is_refused_and_recorded(world: World, subtests: pytest.Subtests) -> None:
    for how, (headers, code) in FORGED.items():
        with subtests.test(how):
            answer = world.deliver(world.issue(1), headers=headers)
            assert (answer.status_code, answer.json["code"]) == (401, code)
            assert answer.mimetype == "application/problem+json"
            row = world.log()[0]
            assert (row["status"], row["http_status"], row["code"]) == ("refused", 401, code)
            assert row["verified"] is False and row["trust"] is None
            assert row["bytes"] == len(json.dumps(world.issue(1)))
    assert len(world.log()) == len(FORGED)


def test_a_forged_body_is_not_kept(world: World) -> None:
    world.deliver(world.issue(1, "a stranger's words"), headers={SIGNATURE: None})
    [row] = world.log()
    whole = world.operator("GET", f"/deliveries/{row['id']}").json
    assert whole["body"] is None and whole["body_state"] == "unauthenticated"
    assert len(whole["body_sha256"]) == 64


def test_a_forged_delivery_does_not_use_up_the_senders_id(world: World) -> None:
    forged = world.deliver(world.issue(1), id="one", headers={SIGNATURE: "sha256=00"})
    assert forged.status_code == 401
    assert world.deliver(world.issue(1), id="one").status_code == 202


def test_a_signature_over_another_body_is_refused(world: World) -> None:
    header = sign(world.source.secret, b"{}")
    assert world.deliver(world.issue(1), headers={SIGNATURE: header}).status_code == 401


def test_the_right_sha1_form_does_not_do(world: World) -> None:
    raw = json.dumps(world.issue(1)).encode()
    sha1 = "sha1=" + hmac.new(world.source.secret.encode(), raw, "sha1").hexdigest()
    answer = world.deliver(raw, headers={SIGNATURE: None, SHA1: sha1})
    assert answer.json["code"] == "missing_signature"
    assert "SHA-1" in world.log()[0]["reason"]


def test_one_sources_secret_does_not_open_another(world: World) -> None:
    first, other = world.source, world.add_source("other", to=["fixer"])
    header = sign(first.secret, json.dumps(world.issue(1)).encode())
    answer = world.deliver(world.issue(1), source=other, headers={SIGNATURE: header})
    assert answer.json["code"] == "bad_signature"


def test_after_a_rotation_both_secrets_are_good(world: World) -> None:
    old = world.source
    new = source_changes.rotate(world.lib, Machine(), "octo")
    assert new.secret != old.secret
    assert world.deliver(world.issue(1), source=old).status_code == 202
    assert world.deliver(world.issue(2), source=new).status_code == 202


def test_the_secret_before_the_previous_one_ends_at_once(world: World) -> None:
    oldest = world.source
    previous = source_changes.rotate(world.lib, Machine(), "octo")
    source_changes.rotate(world.lib, Machine(), "octo")
    assert world.deliver(world.issue(1), source=previous).status_code == 202
    assert world.deliver(world.issue(2), source=oldest).json["code"] == "bad_signature"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_latin_1_bytes_in_the_header_are_a_clean_refusal(
    world: World, environ: dict[str, str]
) -> None:
    path = world.source.source["ingest_url"].partition("://")[2].partition("/")[2]
    with serve(environ, processes=1) as server:
        head = f"POST /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n"
        header = b"X-Hub-Signature-256: sha256=\xe9\xff\x80\r\n\r\n"
        answer = server.raw(head.encode() + header + b"{}")
    assert (answer.status, answer.json["code"]) == (401, "bad_signature")
    assert world.log()[0]["code"] == "bad_signature"


def test_an_unknown_token_is_refused_and_recorded_apart(world: World) -> None:
    answer = world.client.post("/hooks/nobody-has-this-token", json={})
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_source")
    [row] = world.log()
    assert (row["source"], row["code"], row["http_status"]) == (None, "unknown_source", 404)


def test_a_strange_token_is_just_unknown(world: World, subtests: pytest.Subtests) -> None:
    for token in ("%00", "a%00b", "%ff%fe", "é", "x" * 3000, "..", "%2e%2e"):
        with subtests.test(token=token[:9]):
            assert world.client.post(f"/hooks/{token}", json={}).status_code == 404
