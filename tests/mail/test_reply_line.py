"""A mail of ours comes back below an answer: whatever the reader's language, it is cut at our line."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from switchboard.access import languages
from switchboard.mail.extract import extract_reply
from switchboard.sinks import mail
from switchboard.sinks.message import Message, Told

TYPED = "Yes, ship it.\n\nThe second one too."


def notification(language: str) -> EmailMessage:
    """What a reader of that language is sent."""
    told = Told("It smokes", "ben wrote:\n\nIs it the fuse?", "https://board.example.org/threads/1")
    message = Message(
        "ms_01M8R0A7J1D8P2S4W6Y9B3F5HK",
        "comment",
        (told,),
        "mail",
        "https://board.example.org/settings/sinks",
        reader="ana",
        language=language,
        token="a" * 26,
    )
    return mail.compose(message, "box@example.org", "ana@example.org", "mail.example.org")


def body(sent: EmailMessage, kind: str) -> str:
    part = sent.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def reply(text: str, subtype: str = "plain") -> str:
    """What is read of an answer with that body."""
    written = EmailMessage()
    written["From"], written["To"] = "ana@example.org", f"reply+{'a' * 26}@mail.example.org"
    written["Subject"], written["In-Reply-To"] = "Re: It smokes", "<1@mail.example.org>"
    written.set_content(text, subtype=subtype)
    return extract_reply(written.as_bytes()).text


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_an_answer_above_our_mail_is_what_was_typed(language: str) -> None:
    ours = body(notification(language), "plain")
    assert ours.startswith(f"--- {languages.reply_line(language)} ---\n")
    quoted = "\n".join(f"> {line}" for line in ours.splitlines())
    assert reply(f"{TYPED}\n\n{ours}") == TYPED  # as it is, without a word before it
    assert reply(f"{TYPED}\n\n{quoted}\n") == TYPED
    html = body(notification(language), "html")
    typed = TYPED.replace("\n\n", "<br><br>")
    assert reply(f"<div>{typed}</div><div>{html}</div>", "html") == TYPED


def test_a_language_of_yesterday_is_english() -> None:
    assert languages.reply_line("tlh") == languages.reply_line(None) == "Reply above this line"
