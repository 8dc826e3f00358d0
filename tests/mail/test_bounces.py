"""With bounces on, a person whose answer could not be used is told so, once a day; a machine never."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from switchboard.lib import clock
from switchboard.mail import bounces
from switchboard.models import MailBounce
from tests.mail.post import ANA, PostOffice
from tests.standins.mail import MailServer


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def environ(environ: dict[str, str], server: MailServer) -> dict[str, str]:
    return environ | {"SWITCHBOARD_MAIL_BOUNCES": "1", "SWITCHBOARD_SMTP_URL": server.url}


def send_all(post: PostOffice) -> None:
    """What the workers' jobs do, twice."""
    with post.world.lib.db.read() as session:
        found = list(session.scalars(select(MailBounce.id)))
    for bounce_id in found * 2:
        bounces.send(post.world.lib, bounce_id)


def test_a_person_with_an_expired_token_gets_one_mail_a_day(
    post: PostOffice, server: MailServer
) -> None:
    mails = [post.write(), post.write(), post.write("")]
    post.deliver(mails[2])
    post.change_tokens(expires_at=clock.ago(1))
    post.deliver(mails[0])
    post.deliver(mails[1])
    send_all(post)
    [told] = server.mails
    assert (told.recipient, told.sender) == (ANA, "<>")
    assert told.header("Auto-Submitted") == "auto-replied"
    assert f"/threads/{post.ticket['id']}" in told.text


def test_neither_machines_nor_strangers_are_told(post: PostOffice, server: MailServer) -> None:
    mails = [
        post.write(Auto_Submitted="auto-replied"),
        post.write(From="Eve <eve@example.org>"),
        post.write(Precedence="bulk"),
    ]
    post.deliver(mails[0])
    assert post.deliver(post.write("", From="Eve <eve@example.org>"))["code"] == "sender_mismatch"
    post.change_tokens(expires_at=clock.ago(1))
    for mail in mails:
        post.deliver(mail)
    post.deliver(post.write(to="nobody@example.com"))
    send_all(post)
    assert server.mails == []
