"""A raw mail: which of its parts is the reply, what is attached, what is kept of the rest."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

from switchboard.errors import Invalid
from switchboard.mail.extract import Attachment, extract_reply


def mail(
    text: str | None = "Yes, ship it.", html: str | None = None, **headers: str
) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ann Lee <ann@example.org>", "reply+abc@example.net"
    message["Subject"], message["In-Reply-To"] = "Re: Which one?", "<1@example.net>"
    for name, value in headers.items():
        del message[name.replace("_", "-")]
        message[name.replace("_", "-")] = value
    if text is not None:
        message.set_content(text)
        if html is not None:
            message.add_alternative(html, subtype="html")
    elif html is not None:
        message.set_content(html, subtype="html")
    return message


def text_of(html: str) -> str:
    return extract_reply(mail(None, html).as_bytes()).text


def test_the_plain_text_is_read_before_the_page() -> None:
    assert extract_reply(mail("Plain.", "<p>Page.</p>").as_bytes()).text == "Plain."


def test_the_page_is_read_where_the_plain_text_is_blank() -> None:
    assert extract_reply(mail(" \n", "<p>Page.</p>").as_bytes()).text == "Page."


@pytest.mark.parametrize("encoding", ["7bit", "base64", "quoted-printable", "8bit"])
def test_a_body_is_read_in_any_encoding(encoding: str) -> None:
    message = mail()
    message.set_content("Ship it.\n\n-- \nAnn", cte=encoding)
    assert extract_reply(message.as_bytes()).text == "Ship it."


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "windows-1252"])
def test_a_body_is_read_in_its_charset(charset: str) -> None:
    message = mail()
    message.set_content("Überführen wir es.", charset=charset, cte="base64")
    assert extract_reply(message.as_bytes()).text == "Überführen wir es."


@pytest.mark.parametrize("typed", ["Take fuse B.", "Take fuse B", "Take fuse"])
def test_a_footer_in_clear_below_base64_is_not_decoded(typed: str) -> None:
    coded = base64.encodebytes(typed.encode()).decode()
    for footer in ("-- \nTo leave the list: https://lists.example.org\n", "Scanned by a server\n"):
        raw = f"From: ana@example.org\nContent-Transfer-Encoding: base64\n\n{coded}{footer}"
        assert extract_reply(raw.encode()).text == typed


def test_japanese_in_its_mail_charset_is_read() -> None:
    message = mail()
    message.set_content("はい、出荷してください。", charset="iso-2022-jp")
    assert extract_reply(message.as_bytes()).text == "はい、出荷してください。"


def test_attachments_are_listed_by_name_and_size_and_not_read() -> None:
    message = mail("See the files.")
    message.add_attachment(b"\0" * 1000, "application", "zip", filename="log.zip")
    message.add_attachment("not the reply", filename="über uns.txt")
    message.add_attachment(b"\1" * 7, "image", "png", disposition="inline", cid="<1>")
    reply = extract_reply(message.as_bytes())
    assert reply.text == "See the files."
    assert [(each.name, each.size) for each in reply.attachments] == [
        ("log.zip", 1000),
        ("über uns.txt", len("not the reply\n")),
        ("image/png", 7),
    ]


def test_a_name_with_line_breaks_is_one_line() -> None:
    raw = mail("See.").as_bytes().replace(b"text/plain", b"multipart/mixed; boundary=b", 1)
    raw = raw.partition(b"\n\n")[0] + (
        b"\n\n--b\n\nSee.\n--b\nContent-Type: application/x; name*=utf-8''a%0Ab%00c\n\nxyz\n--b--\n"
    )
    assert extract_reply(raw).attachments == (Attachment("a bc", 3),)


def test_what_a_phone_wrote_before_and_after_a_picture_is_one_reply() -> None:
    raw = (
        b"From: ann@example.org\nContent-Type: multipart/mixed; boundary=b\n\n"
        b"--b\nContent-Type: text/plain\n\nBefore.\n"
        b"--b\nContent-Type: image/jpeg; name=a.jpg\n\nxyz\n"
        b"--b\nContent-Type: text/plain\n\nAfter.\n--b--\n"
    )
    reply = extract_reply(raw)
    assert reply.text == "Before.\nAfter."
    assert reply.attachments == (Attachment("a.jpg", 3),)


def test_the_body_before_the_cut_is_kept_up_to_16_kib() -> None:
    reply = extract_reply(mail("Yes.\n\n" + "> ü quoted\n" * 9_000).as_bytes())
    assert reply.text == "Yes."
    assert reply.quoted.startswith("Yes.\n\n> ü quoted\n")
    assert 16_000 < len(reply.quoted.encode()) <= 16 * 1024


def test_a_mail_in_which_nothing_was_typed_is_refused() -> None:
    for text in ("", "> Which one?", "-- \nAnn", "Sent from my iPhone"):
        with pytest.raises(Invalid) as refused:
            extract_reply(mail(text).as_bytes())
        assert refused.value.code == "empty_reply"


def test_a_mail_without_headers_or_without_a_body_is_refused() -> None:
    for raw in (
        b"",
        b"\n",
        b"\r\n\r\nYes.",
        b"From: ann@example.org",
        b"From: ann@example.org\n\n",
    ):
        with pytest.raises(Invalid):
            extract_reply(raw)


QUOTING_PAGES = {
    "Gmail": '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div class="gmail_attr">Ann, sometime'
    '<br></div><blockquote class="gmail_quote"><div>Which?</div></blockquote></div>',
    "Gmail without a blockquote": 'Yes.<div class="gmail_quote">Ann<div>Which?</div></div>',
    "Apple": '<div>Yes.</div><div><blockquote type="cite"><div>Ann, sometime</div>Which?'
    "</blockquote></div>",
    "Thunderbird": 'Yes.<br><div class="moz-cite-prefix">Ann, sometime<br></div>'
    '<blockquote cite="mid:1@example.net" type="cite">Which?</blockquote>',
    "Outlook on the web": '<div>Yes.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">X: Ann'
    "</div><div>Which?</div>",
    "Word": "<p class=MsoNormal>Yes.</p><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p>X: Ann"
    "</p></div><p>Which?</p>",
    "Word with a header we know": "<p>Yes.</p><div><p><b>From:</b> Ann &lt;ann@example.org&gt;<br>"
    "<b>Sent:</b> Monday, 5 May 2025<br><b>Subject:</b> Which?</p></div><p>Which?</p>",
    "Yahoo": '<div>Yes.</div><div id="yahoo_quoted_1" class="yahoo_quoted">Ann<div>Which?</div></div>',
    "Proton": '<div>Yes.</div><div class="protonmail_quote">Ann<blockquote>Which?</blockquote></div>',
    "a table of headers": "Yes.<table><tr><th>Subject: </th><td>Which?</td></tr>"
    "<tr><th>Date: </th><td>5 May 2025</td></tr><tr><th>From: </th><td>ann@example.org</td></tr>"
    "</table>Which?",
    "nobody's blockquote at the end": "Yes.<br><blockquote>Which?</blockquote>",
    "a border": 'Yes.<blockquote style="border-left: 1px solid">Which?</blockquote>',
}


@pytest.mark.parametrize("program", QUOTING_PAGES)
def test_the_quote_of_a_page_goes(program: str) -> None:
    assert text_of(f"<html><body>{QUOTING_PAGES[program]}</body></html>") == "Yes."


def test_answers_between_the_quotes_of_a_page_stay() -> None:
    page = (
        '<div class="gmail_quote"><div class="gmail_attr">Ann</div><blockquote class="gmail_quote">One?'
        '</blockquote><div>The first.</div><blockquote class="gmail_quote">Two?</blockquote>'
        "<div>The second.</div></div>"
    )
    assert text_of(page) == "The first.\n\nThe second."


def test_a_persons_own_blockquote_is_text() -> None:
    assert (
        text_of("See:<blockquote>to be</blockquote><p>That is it.</p>")
        == "See:\n\nto be\n\nThat is it."
    )


def test_the_signature_of_a_page_goes() -> None:
    for mark in ('class="gmail_signature"', 'id="Signature"', 'class="moz-signature"'):
        assert text_of(f"<div>Yes.</div><div {mark}>Ann<br>Ships</div>") == "Yes."


def test_a_page_keeps_its_lines_and_lists() -> None:
    page = "<p>One<br>two</p><ul><li>a<li>b</ul><ol><li>c</li><li>d</li></ol><pre>x\n  y</pre>"
    assert text_of(page) == "One\ntwo\n\n- a\n- b\n\n1. c\n2. d\n\nx\n  y"


def test_what_a_page_hides_is_not_text() -> None:
    page = (
        "<head><title>t</title><style>p {}</style></head><script>s()</script><!-- c -->"
        '<div style="display:none">Preview</div><p>Yes &amp; <b>no</b>.</p>'
        '<p hidden>Menu</p><p style="visibility: hidden">Spacer</p><p style="mso-hide:all">Word</p>'
    )
    assert text_of(page) == "Yes & no."
