"""One mail that comes by two ways is one answer; the later one says which it repeats."""

from __future__ import annotations

import threading
from email.message import EmailMessage

from requests.structures import CaseInsensitiveDict

from switchboard.inbound.receive import Answer
from switchboard.mail.arrival import Arrival
from switchboard.mail.receive import receive
from switchboard.providers.email import RAW, SMTP, Transport
from tests.mail.post import PostOffice
from tests.web.conftest import Human, ana

__all__ = ["ana"]  # a fixture


def arrive(post: PostOffice, mail: EmailMessage, transport: Transport, hop: str) -> Answer:
    """What a door hands on: each server writes a line of its own on top."""
    raw = f"Received: from {hop}\r\n".encode() + mail.as_bytes()
    headers = {"X-Envelope-To": mail["To"], "X-Inbound-Secret": post.raw_secret}
    return receive(post.world.lib, Arrival(transport, CaseInsensitiveDict(headers), raw, "::1"))


def test_the_later_one_makes_nothing_and_names_the_first(post: PostOffice, ana: Human) -> None:
    mail = post.write()
    first = arrive(post, mail, SMTP, "mx1")
    assert post.work() == 1
    second = arrive(post, mail, RAW, "mx2")
    assert (first.status, second.status, post.work()) == (202, 200, 0)
    assert post.said() == ["Take fuse B."]
    row = post.last()
    assert (row["source"], row["code"], row["http_status"]) == ("mail-raw", "came_before", 200)
    assert second.body["repeat_of"] == first.body["delivery"] != row["id"]
    page = ana.read(f"/deliveries/{row['id']}")
    assert f'href="/deliveries/{first.body["delivery"]}"' in page
    assert "came before by another way" in page and "nothing, on purpose" in page
    log = ana.read("/deliveries").split('<details class="row"')
    assert "came before by another way" in log[1].partition("</summary>")[0]
    assert "It became a comment by ana." in log[2].partition("</summary>")[0]
    page = ana.read(f"/deliveries/{first.body['delivery']}")
    [comment] = post.comments()
    assert f'href="/threads/{post.ticket["id"]}#{comment["id"]}">where it stands' in page
    assert "Replay" not in page  # the bytes of a mail are not kept


def test_the_later_one_sent_again_is_a_repeat_of_its_own_delivery(post: PostOffice) -> None:
    mail = post.write()
    arrive(post, mail, RAW, "mx1")
    assert arrive(post, mail, SMTP, "mx2").body["cause"] == "came_before"
    again = arrive(post, mail, SMTP, "mx2")
    assert (again.status, again.body["duplicate"]) == (200, True)
    assert len(post.world.log()) == 2 and post.work() == 1


def test_a_mail_that_could_not_be_used_has_no_second_chance_by_another_way(
    post: PostOffice,
) -> None:
    mail = post.write(From="Eve <eve@example.org>")
    arrive(post, mail, SMTP, "mx1")
    post.work()
    assert post.last()["code"] == "sender_mismatch"
    assert arrive(post, mail, RAW, "mx2").body["cause"] == "came_before"


def test_of_two_that_come_at_once_one_counts(post: PostOffice) -> None:
    mail, answers = post.write(), []
    assert post.raw_secret
    begin = threading.Barrier(2)

    def send(transport: Transport) -> None:
        begin.wait()
        answers.append(arrive(post, mail, transport, transport.name).status)

    threads = [threading.Thread(target=send, args=(each,)) for each in (SMTP, RAW)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (sorted(answers), post.work()) == ([200, 202], 1)
    assert post.said() == ["Take fuse B."]
