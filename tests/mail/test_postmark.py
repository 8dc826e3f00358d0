"""Postmark's inbound webhook: its own body shape, its basic authentication, the raw mail inside."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from werkzeug.test import TestResponse

from tests.mail.post import PostOffice

SHAPE = Path(__file__).parents[1] / "payloads" / "postmark" / "inbound.json"
PATH = "/api/v1/inbound/email/postmark"


def send(post: PostOffice, body: Any, secret: str, user: str = "switchboard") -> TestResponse:
    basic = base64.b64encode(f"{user}:{secret}".encode()).decode()
    return post.world.client.post(PATH, json=body, headers={"Authorization": f"Basic {basic}"})


def inbound(post: PostOffice, **changed: Any) -> dict[str, Any]:
    """A mail of ana's as Postmark posts it."""
    address = post.address()
    mail = post.write(to=address)
    body = json.loads(SHAPE.read_text())
    return {**body, "OriginalRecipient": address, "RawEmail": mail.as_string(), **changed}


def test_a_reply_through_postmark_becomes_a_comment(post: PostOffice) -> None:
    answer = send(post, inbound(post), post.secret("postmark"))
    assert answer.status_code == 202, answer.json
    post.work()
    assert post.said() == ["Take fuse B."]


def test_it_is_let_in_by_the_password_of_its_url_alone(post: PostOffice) -> None:
    assert post.secret("postmark")
    wrong = send(post, inbound(post), "guessed")
    assert (wrong.status_code, wrong.json["code"]) == (401, "bad_signature")
    bare = post.world.client.post(PATH, json=inbound(post))
    assert (bare.status_code, bare.json["code"]) == (401, "missing_signature")


def test_without_the_raw_mail_it_is_told_what_to_tick(post: PostOffice) -> None:
    answer = send(post, inbound(post, RawEmail=None), post.secret("postmark"))
    assert (answer.status_code, answer.json["field"]) == (422, "RawEmail")
    assert "Include raw email" in answer.json["detail"]


def test_a_raw_mail_that_is_no_text_is_read_as_far_as_it_goes(post: PostOffice) -> None:
    given = inbound(post)
    given["RawEmail"] = given["RawEmail"].replace("fuse B", "fuse \ud800B\0")
    assert send(post, given, post.secret("postmark")).status_code == 202
    post.work()
    assert post.said() == ["Take fuse ?B."]
