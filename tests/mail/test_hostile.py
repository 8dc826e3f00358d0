"""No mail takes a second, none breaks the reader: whatever stands in it, it is a reply or a refusal."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.errors import Invalid
from switchboard.mail.extract import extract_reply, trim

LIMIT = 1.0  # seconds of this process, as the machine does other things too
HEAD = b"From: ann@example.org\r\nTo: box@example.net\r\nSubject: Re: x\r\nMIME-Version: 1.0\r\n"


def mail(body: bytes, kind: str = "text/plain; charset=utf-8") -> bytes:
    return HEAD + b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body


def nested_parts(depth: int) -> bytes:
    whole = b"Content-Type: text/plain\r\n\r\nYes.\r\n"
    for level in range(depth):
        mark = b"b%d" % level
        whole = (
            b'Content-Type: multipart/mixed; boundary="' + mark + b'"\r\n\r\n'
            b"--" + mark + b"\r\n" + whole + b"\r\n--" + mark + b"--\r\n"
        )
    return HEAD + whole


def with_attachment(content: bytes, encoding: str) -> bytes:
    return (
        HEAD + b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n'
        b"--x\r\nContent-Type: text/plain\r\n\r\nYes, see the file.\r\n"
        b'--x\r\nContent-Type: application/zip; name="log.zip"\r\nContent-Transfer-Encoding: '
        + encoding.encode()
        + b"\r\n\r\n"
        + content
        + b"\r\n--x--\r\n"
    )


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    with suppress(Invalid):
        work()
    return time.process_time() - began


TEXTS = {
    "64 KiB of dashes": "-" * 65536,
    "a megabyte of dashes": "-" * 1_000_000,
    "dashes on lines": "---\n" * 30_000,
    "On, again and again": "On " * 16_000,
    "On, on lines": "On\n" * 16_000,
    "On with a date, on lines": "On 5 May 2025 at 10:00, Ann <ann@example.org>\n" * 5_000,
    "header words": "From:\n" * 8_000,
    "header words with addresses": "From: ann@example.org\n" * 8_000,
    "header words after text": "x\n" + "From: a\nx\n" * 4_000,
    "newlines": "\n" * 500_000,
    "carriage returns": "\r" * 500_000,
    "spaces": " " * 500_000,
    "quotes": "> " * 100_000,
    "quoted lines": ">\n" * 100_000,
    "quotes and text in turn": "> a\nb\n" * 50_000,
    "at signs": "@" * 300_000,
    "addresses": "a@b " * 100_000,
    "lines that wrote": "a@b.example 10:00 wrote:\n" * 6_000,
    "lines that may end an announcement": ("x" * 390 + ":\n") * 5_000,
    "colons": ":" * 100_000 + "\n" + ":\n" * 5_000,
    "words": "wrote " * 50_000,
    "months": "5 may " * 50_000,
    "digits": "1" * 300_000,
    "dates": "1-" * 150_000,
    "fences": "```\n" * 20_000,
    "rules and sentences": "x.\n---\n" * 20_000,
    "underscores": "__\na\n" * 10_000,
    "Polymail's beginning": "<\nmailto:\n" * 10_000,
    "initials": "AB> x\n" * 10_000,
    "between dashes": "-- message --\n" * 10_000,
    "openers within": " On" * 130 + " 5 May 10:00 a@b wrote:\n",
    "openers within, on lines": (" On" * 120 + " 5 May 10:00 a@b wrote:\n") * 600,
    "phone lines": "Sent from my iPhone\n" * 10_000,
    "disclaimers": "This message is confidential " * 9_000,
    "banners": "CAUTION external\n\n" * 9_000,
    "signed": "-----BEGIN PGP SIGNATURE\n" * 9_000,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_is_read_within_a_second(name: str) -> None:
    assert seconds(lambda: trim(TEXTS[name])) < LIMIT
    assert seconds(lambda: extract_reply(mail(TEXTS[name].encode()))) < LIMIT


PAGES = {
    "300 nested tags": "<div>" * 300 + "Yes." + "</div>" * 300,
    "20 000 nested tags": "<div>" * 20_000 + "Yes." + "</div>" * 20_000,
    "nested quotes": "Yes.<blockquote>" * 20_000,
    "nested lists": "<ul><li>" * 20_000,
    "nested tables": "<table><tr><td>" * 20_000,
    "unclosed inline tags": "".join(f"<b id={n}>" for n in range(9_000)) + "<p>x" * 9_000,
    "unclosed links": "".join(f"<a href={n}>" for n in range(9_000)) + "<p>x" * 9_000,
    "unclosed forms": "<form><p>" * 20_000,
    "Gmail's quotes": "<div class=gmail_quote>" * 20_000,
    "headings": "<h1><p>" * 20_000,
    "line breaks": "<br>" * 500_000,
    "spaces": "<p>" + " " * 1_000_000,
    "an inline picture": f'Yes.<img src="data:image/png;base64,{"A" * 3_000_000}">',
    "a tag without end": "<" * 500_000,
    "an attribute without end": '<a href="' + "x" * 500_000,
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">Yes.",
    "comments": "<!--" * 100_000,
    "styles": "<style>" + "p {}" * 100_000 + "</style>Yes.",
    "entities": "&lt;" * 200_000,
    "math": "<math><mi>" * 20_000,
    "preformatted": "<pre>" + "\n" * 500_000,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_is_read_within_a_second(name: str) -> None:
    assert seconds(lambda: extract_reply(mail(PAGES[name].encode(), "text/html"))) < LIMIT


MEGABYTE = 1024 * 1024
MAILS: dict[str, Callable[[], bytes]] = {
    "300 nested parts": lambda: nested_parts(300),
    "a header of 10 MB": lambda: b"X-Long: " + b"a" * 10_000_000 + b"\r\n" + mail(b"Yes."),
    "3 million header lines": lambda: b"A: b\n" * 3_000_000 + b"\nYes.",
    "a header folded a million times": lambda: b"A:" + b" b\n" * 1_000_000 + mail(b"Yes."),
    "a subject of encoded words": lambda: (
        b"Subject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n" + mail(b"")
    ),
    "a sender in comments": lambda: b"From: " + b"(" * 60_000 + b"\n\nYes.",
    "parameters": lambda: b"Content-Type: text/plain" + b";a=b" * 15_000 + b"\n\nYes.",
    "20 MB of newlines": lambda: mail(b"\n" * (20 * MEGABYTE)),
    "an attachment of 20 MB": lambda: with_attachment(
        base64.encodebytes(b"\0" * (15 * MEGABYTE)), "base64"
    ),
    "an attachment of 20 MB of newlines": lambda: with_attachment(b"\n" * (20 * MEGABYTE), "7bit"),
    "an attachment of what looks like boundaries": lambda: with_attachment(
        b"\n--xy" * MEGABYTE, "7bit"
    ),
    "an attachment of boundaries": lambda: with_attachment(b"\n--x" * 500_000, "7bit"),
    "base64 that is none": lambda: mail(b"=?" * MEGABYTE).replace(
        b"MIME-Version: 1.0", b"Content-Transfer-Encoding: base64"
    ),
    "quoted-printable that is none": lambda: mail(b"=" * (4 * MEGABYTE)).replace(
        b"MIME-Version: 1.0", b"Content-Transfer-Encoding: quoted-printable"
    ),
}


@pytest.mark.parametrize("name", MAILS)
def test_a_hostile_mail_is_read_within_a_second(name: str) -> None:
    raw = MAILS[name]()
    assert seconds(lambda: extract_reply(raw)) < LIMIT


@pytest.mark.parametrize(
    "charset",
    [
        "utf-8",
        "utf-16",
        "utf-7",
        "x-unknown",
        "",
        "idna",
        "base64",
        "iso-2022-jp",
        "a\0b",
        "utf-8'",
    ],
)
def test_a_broken_charset_loses_no_reply(charset: str) -> None:
    got = extract_reply(
        mail(b"Yes, ship it: caf\xe9 \xff\xfe\x00.", f'text/plain; charset="{charset}"')
    )
    assert got.text
    assert "\x00" not in got.text


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    trim(text)


PIECES = [
    *(
        "> a",
        "",
        "yes",
        "-- ",
        "--",
        "___",
        "```",
        "<",
        "mailto:a",
        "> wrote:",
        "AB> x",
        "Disclaimer",
    ),
    *("On 5 May 2025 at 10:00, Ann wrote:", "From: ann@example.org", "To: bo@example.org"),
    *("----- Original Message -----", "Sent from my iPhone", "Reply above this line"),
    *("CAUTION: external", "-----BEGIN PGP SIGNATURE-----"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_what_was_cut_once_holds_nothing_more_than_its_lines(pieces: list[str]) -> None:
    whole = "\n".join(pieces)
    kept = trim(whole)
    # spaces at the end of a line are nobody's words
    assert set(filter(None, kept.split("\n"))) <= {piece.rstrip() for piece in pieces}


@given(st.binary(max_size=2_000))
def test_any_bytes_are_a_reply_or_a_refusal(raw: bytes) -> None:
    seconds(lambda: extract_reply(raw))


@given(st.text(alphabet=st.sampled_from("<>/=\"' abdivqouetclsgm_&;-!\n"), max_size=300))
def test_any_page_is_a_reply_or_a_refusal(page: str) -> None:
    seconds(lambda: extract_reply(mail(page.encode(), "text/html")))
