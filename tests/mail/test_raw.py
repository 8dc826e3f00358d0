"""A mail posted as it is becomes a comment by the person its token was given to, or says why not."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage

import pytest

from switchboard.access import accounts
from switchboard.access.accounts import NewAccount
from switchboard.lib import clock
from switchboard.mail import process
from switchboard.providers.signed_schemes import OWN
from tests.mail.post import ANA, DOMAIN, PostOffice
from tests.world import PASSWORD


def test_a_reply_becomes_a_comment_that_holds_what_was_typed(post: PostOffice) -> None:
    answer = post.post(post.write("Take fuse B."))
    assert answer.status_code == 202, answer.json
    assert post.work() == 1
    [said] = post.comments()
    assert (said["body"], said["author"], said["via"]) == (
        "Take fuse B.",
        {"account": "ana"},
        "email",
    )
    assert "It smokes." in said["quoted"]
    delivery = post.last()
    assert (delivery["status"], delivery["code"]) == ("accepted", "accepted")
    assert (delivery["trust"], delivery["verified"]) == ("reply_token", True)
    assert delivery["outcome"]["artifacts"] == [
        {"type": "comment", "id": said["id"], "thread_id": post.ticket["id"]}
    ]


def test_a_repeat_makes_nothing_and_is_told_the_first_outcome(post: PostOffice) -> None:
    mail = post.write()
    first = post.post(mail)
    again = post.post(mail)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json["duplicate"] and again.json["delivery"] == first.json["delivery"]
    post.work()
    assert post.post(mail).json["artifacts"][0]["type"] == "comment"
    assert post.work() == 0 and len(post.said()) == 1


def test_the_same_mail_by_another_hop_is_a_repeat(post: PostOffice) -> None:
    mail = post.write()
    post.post(mail)
    assert post.post(b"Received: from elsewhere\r\n" + mail.as_bytes()).status_code == 200
    assert post.work() == 1


def test_a_job_that_runs_twice_comments_once(post: PostOffice) -> None:
    mail_id = post.post(post.write()).json["artifacts"][0]["id"]
    process.process(post.world.lib, mail_id)
    process.process(post.world.lib, mail_id)
    assert len(post.said()) == 1


@pytest.mark.parametrize("way", ["upper", "envelope", "delivered-to", "cc"])
def test_the_token_is_read_from_whichever_recipient_has_it(post: PostOffice, way: str) -> None:
    address = post.address()
    elsewhere = {"to": "switchboard@example.com"}
    if way == "upper":
        post.deliver(post.write(to=address.upper()))
    elif way == "envelope":
        post.deliver(post.write(**elsewhere), X_Envelope_To=f"<{address}>")
    elif way == "delivered-to":
        post.deliver(post.write(**elsewhere, Delivered_To=address))
    else:
        post.deliver(post.write(**elsewhere, Cc=f"Bo <bo@example.org>, {address}"))
    assert post.said() == ["Take fuse B."]


def test_a_token_in_the_text_alone_creates_nothing(post: PostOffice) -> None:
    address = post.address()
    delivery = post.deliver(post.write(f"I write to {address}.", to="me@example.com"))
    assert (delivery["http_status"], delivery["code"]) == (422, "unmappable")
    assert post.said() == []


def test_cold_mail_creates_nothing_whoever_it_claims_to_be_from(post: PostOffice) -> None:
    assert post.ticket
    delivery = post.deliver(post.write(to=f"reply+{'a' * 26}@{DOMAIN}"))
    assert (delivery["http_status"], delivery["code"]) == (422, "unmappable")
    assert delivery["trust"] is None
    assert post.work() == 0


def test_a_lost_plus_part_is_told_apart_from_cold_mail(post: PostOffice) -> None:
    place = post.ticket["id"]
    cut = post.write(to=f"reply@{DOMAIN}", In_Reply_To=f"<{place}@{DOMAIN}>")
    assert "plus sign was lost" in post.deliver(cut)["reason"]
    assert post.said() == []


TRUSTED = "mx.example.org"
PASSED = (
    f'{TRUSTED} (by (mx) \\) "); spf=pass reason="("; dmarc=pass (p=none) header.from=example.org'
)


def cut(post: PostOffice, *results: str, **headers: str | None) -> EmailMessage:
    """A mail on ana's ticket whose plus part was lost, the newest of its results first."""
    assert post.token()
    place = f"<{post.ticket['id']}@{DOMAIN}>"
    mail = post.write(to=f"reply@{DOMAIN}", In_Reply_To=place, **headers)
    for each in results:
        mail["Authentication-Results"] = each
    return mail


@pytest.mark.setting(MAIL_TRUSTED_SERVER=TRUSTED)
def test_a_lost_plus_part_is_made_up_for_by_a_trusted_servers_word(post: PostOffice) -> None:
    delivery = post.deliver(cut(post, PASSED))
    assert (delivery["code"], delivery["trust"]) == ("accepted", "dmarc")
    assert post.said() == ["Take fuse B."]


@pytest.mark.setting(MAIL_TRUSTED_SERVER=TRUSTED)
@pytest.mark.parametrize(
    "results",
    [
        (),
        (PASSED.replace(TRUSTED, "mx.example.com"),),
        (PASSED.replace("dmarc=pass", "dmarc=fail"),),
        (PASSED.replace("dmarc=pass", "dmarc=none; x=dmarc=pass"),),
        (PASSED.replace("header.from=example.org", "header.from=example.com"),),
        (f"{TRUSTED}; dmarc=fail header.from=example.org", PASSED),
        (f"{TRUSTED}; none (dmarc=pass header.from=example.org)",),
        (f"{TRUSTED}; spf=fail (by (mx) x; dmarc=pass header.from=example.org; x)",),
        (
            f'{TRUSTED}; spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org; "@example.com',
        ),
        (f'{TRUSTED}; dmarc=pass reason="header.from=example.org" header.from=example.com',),
        (f"{TRUSTED}; spf=pass; dmarc=pass header.from=example.org; dmarc=fail",),
    ],
)
def test_no_other_word_makes_up_for_it(post: PostOffice, results: tuple[str, ...]) -> None:
    delivery = post.deliver(cut(post, *results))
    assert (delivery["http_status"], delivery["code"]) == (422, "unmappable")
    assert delivery["trust"] is None and post.said() == []


@pytest.mark.setting(MAIL_TRUSTED_SERVER=TRUSTED)
def test_a_trusted_server_lets_in_nobody_who_was_not_told(post: PostOffice) -> None:
    assert post.ticket
    accounts.create(post.world.lib, NewAccount("eve", "eve@example.org", PASSWORD))
    mail = cut(post, PASSED, From="Eve <eve@example.org>")
    assert post.deliver(mail)["code"] == "unmappable"
    assert post.said() == []


@pytest.mark.setting(MAIL_TRUSTED_SERVER=TRUSTED)
def test_a_trusted_servers_word_ends_with_the_token(post: PostOffice) -> None:
    mail = cut(post, PASSED)
    post.change_tokens(expires_at=clock.ago(1))
    assert post.deliver(mail)["code"] == "unmappable"


def test_nobodys_word_is_believed_unless_somebody_is_named(post: PostOffice) -> None:
    assert post.deliver(cut(post, PASSED))["code"] == "unmappable"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"expires_at": clock.ago(1)}, "expired_token"),
        ({"revoked_at": clock.ago(1)}, "revoked_token"),
    ],
)
def test_a_token_that_is_over_is_refused_as_that(
    post: PostOffice, values: dict[str, object], code: str
) -> None:
    mail = post.write()
    post.change_tokens(**values)
    delivery = post.deliver(mail)
    assert (delivery["http_status"], delivery["code"]) == (422, code)
    assert post.said() == []


def test_a_mail_passed_on_and_answered_by_another_is_refused(post: PostOffice) -> None:
    delivery = post.deliver(post.write(From="Eve <eve@example.org>"))
    assert (delivery["http_status"], delivery["code"]) == (403, "sender_mismatch")
    assert delivery["status"] == "refused" and post.said() == []


@pytest.mark.setting(MAIL_ANY_SENDER="1")
def test_a_setting_lets_any_sender_answer_with_a_token(post: PostOffice) -> None:
    post.deliver(post.write(From="Ana's phone <ana@phone.example.org>"))
    assert post.said() == ["Take fuse B."]


def test_a_missing_letter_is_named(post: PostOffice) -> None:
    mail = post.write()
    accounts.set_letters(post.world.lib, "ana", "nfa")
    answer = post.post(mail)
    assert (answer.status_code, answer.json["code"]) == (403, "missing_capability")
    assert answer.json["letter"] == "c"
    assert post.post(mail).status_code == 403, "a repeat of a refusal is that refusal"


def test_a_letter_lost_before_it_is_read_counts(post: PostOffice) -> None:
    post.post(post.write())
    accounts.set_letters(post.world.lib, "ana", "nfa")
    post.work()
    assert post.last()["code"] == "missing_capability" and post.said() == []


def test_what_no_person_wrote_is_refused(post: PostOffice) -> None:
    delivery = post.deliver(post.write(Auto_Submitted="auto-replied"))
    assert (delivery["http_status"], delivery["code"]) == (422, "auto_reply")
    assert post.said() == []


@pytest.mark.parametrize("sender", ["<>", "", "<MAILER-DAEMON>"])
def test_a_mail_of_a_mail_system_is_refused(post: PostOffice, sender: str) -> None:
    assert post.deliver(post.write(), X_Envelope_From=sender)["code"] == "auto_reply"
    assert post.said() == []


def test_nothing_typed_is_refused(post: PostOffice) -> None:
    assert post.deliver(post.write(""))["code"] == "empty_reply"
    assert post.said() == []


def test_two_tokens_are_two_answers_each_by_its_own_account(post: PostOffice) -> None:
    other = post.thread("forum")
    bens = post.address(account_id=post.ben())
    both = f"{post.address()}, {post.address(other['id'])}, {bens}"
    post.post(post.write(to="x@example.com", Cc=both))
    assert post.work() == 2
    assert post.said() == ["Take fuse B."] == post.said(other)
    codes = sorted(row["code"] for row in post.world.log()[:3])
    assert codes == ["accepted", "accepted", "unmappable"], "ben does not see ana's ticket"


def test_attachments_are_named_and_not_kept(post: PostOffice) -> None:
    mail = post.write()
    mail.add_attachment(b"x" * 20_000_000, maintype="image", subtype="png", filename="smoke.png")
    post.deliver(mail)
    [said] = post.comments()
    assert said["attachments"] == [{"name": "smoke.png", "size": 20_000_000}]


def test_a_forum_thread_takes_the_letter_for_forums(post: PostOffice) -> None:
    forum = post.thread("forum")
    accounts.set_letters(post.world.lib, "ana", "nf")
    post.deliver(post.write(to=post.address(forum["id"])))
    assert post.said(forum) == ["Take fuse B."]


def test_a_mirror_takes_no_mail(post: PostOffice) -> None:
    mirror = post.thread("forum", mirror_of="https://example.org/other")
    assert post.deliver(post.write(to=post.address(mirror["id"])))["code"] == "mirror_read_only"


def test_broken_and_huge_mails_are_recorded_and_never_an_error(post: PostOffice) -> None:
    to = post.address()
    head = f"From: {ANA}\r\nTo: {to}\r\n"
    nested = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\r\n\r\n--{n}\r\n' for n in range(300)
    )
    for number, raw in enumerate(
        [
            head + "X-Long: " + "y" * 10_000_000 + "\r\n\r\nTake A.\r\n",
            head + nested + "\r\nTake A.\r\n",
            head + 'Content-Type: text/plain; charset="no-such"\r\n\r\nTake \xff A.\r\n',
            head + "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%\r\n",
        ]
    ):
        answer = post.post(f"Message-ID: <{number}@example.org>\r\n{raw}".encode("latin-1"))
        assert answer.status_code == 202, answer.json
    assert post.work() == 4 and post.work() == 0
    assert all(row["status"] in ("accepted", "refused") for row in post.world.log())
    assert len(post.said()) >= 2


def test_one_too_large_is_refused_and_recorded(post: PostOffice) -> None:
    assert post.raw_secret
    answer = post.post(b"x" * (31_457_280 + 1))
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")


def test_it_goes_by_a_secret_or_our_signature_and_nothing_else(post: PostOffice) -> None:
    raw = post.write().as_bytes()
    unsigned = post.world.client.post("/api/v1/inbound/email", data=raw)
    assert (unsigned.status_code, unsigned.json["code"]) == (401, "missing_signature")
    wrong = post.post(raw, {"X-Inbound-Secret": "whsec_wrong"})
    assert (wrong.status_code, wrong.json["code"]) == (401, "bad_signature")
    stale = OWN.sign(raw, post.raw_secret, "one", clock.now() - timedelta(hours=1))
    late = post.world.client.post("/api/v1/inbound/email", data=raw, headers=stale)
    assert (late.status_code, late.json["code"]) == (401, "stale_timestamp")
    signed = OWN.sign(raw, post.raw_secret, "one", clock.now())
    good = post.world.client.post("/api/v1/inbound/email", data=raw, headers=signed)
    assert good.status_code == 202, good.json


def test_no_token_and_no_secret_stands_on_the_record(post: PostOffice) -> None:
    address = post.address()
    token = address.partition("+")[2].partition("@")[0]
    quoting = (
        f"Take B.\n\nOn Tue, 3 Mar 2026 at 10:12, S <s@{DOMAIN}> wrote:\n> Reply-To: {address}"
    )
    post.deliver(post.write(quoting, to=address), X_Envelope_To=address.upper())
    assert post.said() == ["Take B."] and token not in str(post.comments())
    post.deliver(post.write(f"My address is {address.upper()} here.", to=address))
    assert post.said()[1] == f"My address is REPLY+***@{DOMAIN.upper()} here."
    row = post.world.operator("GET", f"/deliveries/{post.last()['id']}")
    page = row.get_data(as_text=True)
    assert token not in page.lower() and post.raw_secret not in page


def test_the_page_folds_the_mail_and_names_the_attachments(post: PostOffice) -> None:
    mail = post.write("Take fuse B.")
    mail.add_attachment(b"x" * 2048, maintype="image", subtype="png", filename="<smoke>.png")
    post.deliver(mail)
    client = post.world.client
    form = client.get("/login").get_data(as_text=True)
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', form)
    assert found
    client.post("/login", data={"name": "ana", "password": PASSWORD, "csrf_token": found[1]})
    page = client.get(f"/threads/{post.ticket['id']}").get_data(as_text=True)
    assert "via email" in page and "The mail before it was cut" in page
    assert "&lt;smoke&gt;.png (2.0 KiB)" in page
