"""A notify service's stream: its `email.reply` becomes a comment, once, or is refused for good."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from switchboard.access import accounts
from tests.inbound.test_storage_away import gone
from tests.mail.post import PostOffice

__all__ = ["gone"]


@pytest.fixture
def secret(post: PostOffice) -> str:
    return post.secret("notify")


def reply(post: PostOffice, **changed: Any) -> dict[str, Any]:
    """An answer of ana's to what was told of her ticket."""
    return {
        "type": "email.reply",
        "subscriberId": "ana",
        "transactionId": f"ticket-comment:{post.ticket['id']}:ana",
        "text": "Take fuse B.\n\nOn Tue, 3 Mar 2026 at 10:12, Notify <n@example.org> wrote:\n> Which?",
        "messageId": "m-1",
        **changed,
    }


def test_an_answer_becomes_a_comment_with_what_was_typed(post: PostOffice, secret: str) -> None:
    answer = post.event(reply(post), secret=secret)
    assert answer.status_code == 202, answer.json
    post.work()
    [said] = post.comments()
    assert (said["body"], said["author"]) == ("Take fuse B.", {"account": "ana"})
    assert (post.last()["trust"], post.last()["code"]) == ("signed", "accepted")


def test_a_repeated_message_is_answered_from_the_record(post: PostOffice, secret: str) -> None:
    first = post.event(reply(post), secret=secret)
    again = post.event(reply(post), secret=secret, at=int(time.time()) - 1)
    assert again.status_code == 200 and again.json["delivery"] == first.json["delivery"]
    post.work()
    assert post.said() == ["Take fuse B."]


def test_an_answer_to_a_comment_goes_to_its_thread(post: PostOffice, secret: str) -> None:
    path = f"/threads/{post.ticket['id']}/comments"
    comment = post.world.operator("POST", path, {"body": "Which fuse?"}).json
    transaction = f"ticket-comment:{comment['id']}:ana"
    post.event(reply(post, transactionId=transaction), secret=secret)
    post.work()
    assert post.said() == ["Which fuse?", "Take fuse B."]


@pytest.mark.parametrize(
    ("changed", "status", "code", "field"),
    [
        ({"subscriberId": "eve"}, 403, "sender_mismatch", "subscriberId"),
        ({"transactionId": "forum-reply:th_0:ana"}, 422, "unmappable", None),
        ({"transactionId": "nonsense"}, 422, "unmappable", "transactionId"),
        ({"transactionId": "ticket-comment:x:nobody"}, 422, "unmappable", "transactionId"),
        ({"messageId": None}, 422, "unmappable", "messageId"),
        ({"text": "  "}, 422, "unmappable", "text"),
    ],
)
def test_what_cannot_be_mapped_is_refused_for_good(
    post: PostOffice,
    secret: str,
    changed: dict[str, Any],
    status: int,
    code: str,
    field: str | None,
) -> None:
    answer = post.event(reply(post, **changed), secret=secret)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.json.get("field") == field
    assert (post.last()["http_status"], post.last()["code"]) == (status, code)
    assert post.event(reply(post, **changed), secret=secret).status_code == status
    assert post.work() == 0


def test_a_missing_letter_is_named(post: PostOffice, secret: str) -> None:
    assert post.ticket
    accounts.set_letters(post.world.lib, "ana", "nf")
    answer = post.event(reply(post), secret=secret)
    assert (answer.status_code, answer.json["letter"]) == (403, "c")


def test_forged_stale_and_unsigned_events_are_refused(post: PostOffice, secret: str) -> None:
    forged = post.event(reply(post), secret="whsec_forged")
    assert (forged.status_code, forged.json["code"]) == (401, "bad_signature")
    stale = post.event(reply(post), secret=secret, at=int(time.time()) - 400)
    assert (stale.status_code, stale.json["code"]) == (401, "stale_timestamp")
    bare = post.world.client.post("/api/v1/notify/events", json=reply(post))
    assert (bare.status_code, bare.json["code"]) == (401, "missing_signature")
    assert post.work() == 0


def test_without_a_secret_on_file_everything_is_refused(post: PostOffice) -> None:
    assert post.ticket
    assert post.event(reply(post), secret="").status_code == 401


def test_other_events_of_the_stream_are_recorded_and_make_nothing(
    post: PostOffice, secret: str
) -> None:
    answer = post.event({"type": "email.delivered", "messageId": "m-2"}, secret=secret)
    assert (answer.status_code, answer.json["cause"]) == (202, "other_event")
    assert (post.last()["event_type"], post.work()) == ("email.delivered", 0)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"type": 1}', b'{"type": "a", "type": "b"}'])
def test_a_body_that_is_none_is_a_clean_refusal(post: PostOffice, secret: str, raw: bytes) -> None:
    assert post.event(raw, secret=secret).status_code == 422


def test_while_the_database_is_away_the_service_is_asked_to_come_back(
    post: PostOffice, secret: str, gone: Callable[[], Any]
) -> None:
    body = reply(post)
    with gone():
        away = post.event(body, secret=secret)
        assert (away.status_code, away.json["code"]) == (503, "storage_unavailable")
        assert away.headers["Retry-After"]
    assert post.event(body, secret=secret).status_code == 202
    post.work()
    assert post.said() == ["Take fuse B."]


def test_text_that_no_database_takes_is_an_answer_all_the_same(
    post: PostOffice, secret: str
) -> None:
    hostile = reply(post, text="Take \0fuse \ud800B.", messageId="m-\0")
    assert post.event(hostile, secret=secret).status_code == 202
    post.work()
    assert post.said() == ["Take fuse ?B."]
    assert post.event({"type": "read\0\ud800"}, secret=secret).status_code == 202
    assert (post.last()["code"], post.last()["event_type"]) == ("other_event", "read?")
    unknown = post.event(reply(post, transactionId="question:\0:ana"), secret=secret)
    assert (unknown.status_code, unknown.json["code"]) == (422, "unmappable")
