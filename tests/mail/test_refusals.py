"""Mails that no person wrote as an answer are refused, and a person's never are."""

from __future__ import annotations

import pytest

from switchboard.errors import Invalid
from switchboard.mail.extract import extract_reply

PERSON = {
    "From": "Ann Lee <ann@example.org>",
    "Return-Path": "<ann@example.org>",
    "To": "reply+abc@example.net",
    "Subject": "Re: Which one?",
    "In-Reply-To": "<1@example.net>",
    "Content-Type": "text/plain; charset=utf-8",
}


def mail(body: str = "Yes, ship it.", without: str = "", **changed: str) -> bytes:
    headers = {**PERSON, **{name.replace("_", "-"): value for name, value in changed.items()}}
    lines = [f"{name}: {value}" for name, value in headers.items() if name != without]
    return "\r\n".join([*lines, "", body]).encode()


MACHINES = {
    "RFC 3834": {"Auto-Submitted": "auto-replied"},
    "RFC 3834 with a parameter": {"Auto-Submitted": "auto-generated; owner-email=ann@example.org"},
    "RFC 3834 with a comment": {"auto-submitted": "Auto-Replied (vacation)"},
    "bulk": {"Precedence": "bulk"},
    "a list's": {"Precedence": "List"},
    "junk": {"Precedence": "junk"},
    "an automatic reply": {"Precedence": "auto_reply"},
    "a null return path": {"Return-Path": "<>"},
    "an empty return path": {"Return-Path": ""},
    "no sender": {"From": "Mail System <>"},
    "a daemon": {"From": "MAILER-DAEMON@example.org (Mail Delivery System)"},
    "a delivery system": {"From": "Mail Delivery Subsystem <x@example.org>"},
    "nobody to answer": {"From": "no-reply@example.org"},
    "a vacation": {"X-Autoreply": "yes"},
    "another vacation": {"X-Autorespond": "away"},
    "a bounce of Exim": {"X-Failed-Recipients": "bo@example.org"},
    "a report": {"Content-Type": "multipart/report; report-type=delivery-status; boundary=b"},
    "a receipt": {
        "Content-Type": "multipart/report; report-type=disposition-notification; boundary=b"
    },
    "an answer to an invitation": {"Content-Type": "text/calendar; method=REPLY; charset=utf-8"},
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_machines_mail_is_refused(name: str) -> None:
    with pytest.raises(Invalid) as refused:
        extract_reply(mail(**MACHINES[name]))
    assert refused.value.code == "auto_reply"


AWAY = [
    "Automatic reply: Which one?",
    "Out of Office: Which one?",
    "=?utf-8?q?Automatische_Antwort=3A_Which_one=3F?=",
    "=?utf-8?b?UsOpcG9uc2UgYXV0b21hdGlxdWUgOiBXaGljaCBvbmU/?=",
    "=?iso-2022-jp?b?GyRCPCtGMDF+RXobKEI6IHg=?=",
    "Abwesenheitsnotiz: Which one?",
    "Respuesta automática: x",
    "Risposta automatica: x",
    "Automatisch antwoord: x",
    "Autosvar: x",
    "Odpowiedź automatyczna: x",
    "Автоответ: x",
    "自动回复: x",
]


@pytest.mark.parametrize("subject", AWAY)
def test_an_absence_is_told_by_its_subject(subject: str) -> None:
    with pytest.raises(Invalid) as refused:
        extract_reply(mail(Subject=subject))
    assert refused.value.code == "auto_reply"


def test_a_bounce_is_told_by_its_subject_if_it_answers_no_mail() -> None:
    with pytest.raises(Invalid) as refused:
        extract_reply(mail(without="In-Reply-To", Subject="Undeliverable: Which one?"))
    assert refused.value.code == "auto_reply"


def test_a_calendar_says_inside_that_it_is_an_answer() -> None:
    body = (
        "--b\r\n\r\nAccepted\r\n--b\r\nContent-Type: text/calendar\r\n\r\n"
        "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\n--b--"
    )
    with pytest.raises(Invalid) as refused:
        extract_reply(mail(body, **{"Content-Type": "multipart/alternative; boundary=b"}))
    assert refused.value.code == "auto_reply"


def test_a_lists_own_mail_is_refused_and_a_persons_answer_through_it_is_not() -> None:
    with pytest.raises(Invalid) as refused:
        extract_reply(mail(without="In-Reply-To", **{"List-Id": "<ships.example.org>"}))
    assert refused.value.code == "auto_reply"
    assert extract_reply(mail(**{"List-Id": "<ships.example.org>"})).text == "Yes, ship it."


def test_a_refusal_names_what_told_it() -> None:
    with pytest.raises(Invalid, match="marked Auto-Submitted: auto-replied"):
        extract_reply(mail(Auto_Submitted="auto-replied"))


PEOPLE = {
    "nothing unusual": {},
    "Auto-Submitted: no": {"Auto-Submitted": "no"},
    "Exchange on a person's mail": {"X-Auto-Response-Suppress": "All"},
    "a first-class precedence": {"Precedence": "first-class"},
    "a bounce as the subject of a thread": {"Subject": "Re: Undeliverable mails since Monday"},
    "an absence as the subject of a thread": {"Subject": "Re: Out of office replies are posted"},
    "a sender without a name": {"From": "ann@example.org"},
    "a sender with brackets": {"From": '"Ann <the ship> Lee" <ann@example.org>'},
    "no subject": {"Subject": ""},
}


@pytest.mark.parametrize("name", PEOPLE)
def test_a_persons_mail_is_not_refused(name: str) -> None:
    assert extract_reply(mail(**PEOPLE[name])).text == "Yes, ship it."
