"""How much of a body is taken, and in which form: checked before anything is read."""

from __future__ import annotations

import json

import pytest

from tests.world import World

CAP = 2000


def padded(world: World, size: int) -> bytes:
    """A good body of exactly `size` bytes."""
    body = world.issue(1)
    body["pad"] = ""
    body["pad"] = "x" * (size - len(json.dumps(body)))
    return json.dumps(body).encode()


@pytest.mark.setting(MAX_HOOK_BYTES=str(CAP))
def test_a_body_of_exactly_the_cap_is_taken(world: World) -> None:
    raw = padded(world, CAP)
    assert len(raw) == CAP
    assert world.deliver(raw).status_code == 202


@pytest.mark.setting(MAX_HOOK_BYTES=str(CAP))
def test_one_byte_more_is_refused_and_recorded(world: World) -> None:
    answer = world.deliver(padded(world, CAP + 1))
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")
    assert str(CAP) in answer.json["detail"]
    [row] = world.log()
    assert (row["status"], row["code"], row["http_status"]) == ("refused", "too_large", 413)
    assert row["verified"] is False


@pytest.mark.setting(MAX_HOOK_BYTES=str(CAP))
def test_a_refusal_for_size_does_not_use_up_the_senders_id(world: World) -> None:
    assert world.deliver(padded(world, CAP + 1), id="one").status_code == 413
    assert world.deliver(padded(world, CAP), id="one").status_code == 202


def test_the_default_cap_is_five_mebibytes(world: World) -> None:
    assert world.deliver(padded(world, 5 * 1024 * 1024)).status_code == 202
    assert world.claim()["payload"]["pad"].startswith("x")
    assert world.deliver(padded(world, 5 * 1024 * 1024 + 1)).status_code == 413


def test_a_compressed_body_is_never_inflated(world: World, subtests: pytest.Subtests) -> None:
    for encoding in ("gzip", "GZIP", "deflate", "br", "identity, gzip", "x" * 500):
        with subtests.test(encoding=encoding[:20]):
            answer = world.deliver(world.issue(1), headers={"Content-Encoding": encoding})
            assert (answer.status_code, answer.json["code"]) == (415, "unsupported_encoding")
            assert world.log()[0]["code"] == "unsupported_encoding"


def test_a_body_that_says_it_is_plain_is_taken(world: World) -> None:
    assert (
        world.deliver(world.issue(1), headers={"Content-Encoding": "identity"}).status_code == 202
    )


@pytest.mark.setting(MAX_HOOK_BYTES=str(CAP))
def test_an_unknown_token_learns_nothing_of_the_cap(world: World) -> None:
    answer = world.client.post("/hooks/nobody", data=b"x" * (CAP + 1))
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_source")


@pytest.mark.setting(MAX_HOOK_BYTES="1000")
def test_a_body_over_the_cap_is_recorded_with_what_came_of_it(world: World) -> None:
    assert world.deliver(b"x" * 1500).status_code == 413
    [row] = world.log()
    assert (row["bytes"], row["body_sha256"]) == (1500, None)
