"""A message as a mail: headers that machines heed, plain text and HTML, and where a reply goes.

Titles come from strangers, so every header is one line of text before it is set, and holds nothing that
`email` would decode. The token stands in Reply-To and nowhere else: everybody copied gets the other
headers.
"""

from __future__ import annotations

import html
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from switchboard.access import languages
from switchboard.lib import clock
from switchboard.lib.text import one_line
from switchboard.sinks import places, tokens
from switchboard.sinks.message import Message, body, subject

MAX_SUBJECT = 200
# a Message-ID is long, and some programs do not find one that is folded; 7bit needs nothing of a server
_POLICY = SMTP.clone(max_line_length=300, cte_type="7bit")


def compose(message: Message, sender: str, recipient: str, inbound_domain: str) -> EmailMessage:
    """The mail. `inbound_domain` is "" where no answers arrive: then no reply is offered.

    `sender` is an address or a name with one, `recipient` a plain address.
    """
    name, address = parseaddr(sender)
    domain = inbound_domain or address.rpartition("@")[2]
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = Address(name or "Switchboard", addr_spec=address)
    mail["To"] = Address(addr_spec=recipient)
    mail["Subject"] = _inert(one_line(subject(message), MAX_SUBJECT))
    mail["Date"] = format_datetime(clock.now())
    mail["Message-ID"] = places.message_id(message.id, message.place_id, domain)
    if message.place_id:
        root = places.root_id(message.place_id, domain)
        mail["In-Reply-To"] = mail["References"] = root
        mail["X-Switchboard-Thread"] = message.place_id
    if answerable(message, inbound_domain):
        mail["Reply-To"] = tokens.reply_address(message.token or "", inbound_domain)
    mail["List-Id"] = f"Switchboard {message.event} <{message.event}.switchboard.{domain}>"
    mail["List-Unsubscribe"] = f"<{message.settings_url}>"
    mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: nobody's absence answers it
    mail["X-Auto-Response-Suppress"] = "All"
    mail.set_content(_text(message, inbound_domain))
    mail.add_alternative(_html(message, inbound_domain), subtype="html")
    return mail


def _inert(title: str) -> str:
    """`title` without the beginning of an encoded word (RFC 2047).

    `email` decodes one that it is given, and writes the line ends in it as they are: headers of a
    stranger's making (CVE-2024-6923).
    """
    return title.replace("=?", "= ?")


def answerable(message: Message, inbound_domain: str) -> bool:
    """Whether a reply to it arrives somewhere."""
    return bool(inbound_domain and message.token)


def _footer(message: Message, inbound_domain: str) -> list[str]:
    why = f"You get this through the sink {message.sink_name}. What it tells you: {message.settings_url}"
    if answerable(message, inbound_domain):
        return [f"A reply to this mail is posted there under your name, {message.reader}.", why]
    return ["Nobody reads replies to this mail.", why]


def reply_line(language: str | None) -> str:
    """The line at which what comes back is cut, in the reader's language."""
    return f"--- {languages.reply_line(language)} ---"


def _text(message: Message, inbound_domain: str) -> str:
    top = [reply_line(message.language)] if answerable(message, inbound_domain) else []
    footer = "\n".join(_footer(message, inbound_domain))
    return "\n\n".join([*top, body(message), f"-- \n{footer}"]) + "\n"


def _html(message: Message, inbound_domain: str) -> str:
    line = f'<p dir="auto">{html.escape(reply_line(message.language))}</p>'
    top = line if answerable(message, inbound_domain) else ""
    paragraphs = "".join(f"<p>{_escaped(each)}</p>" for each in body(message).split("\n\n"))
    footer = "<br>".join(_escaped(each) for each in _footer(message, inbound_domain))
    return (
        '<!doctype html><html><head><meta charset="utf-8"></head>'
        f"<body>{top}{paragraphs}<hr><p><small>{footer}</small></p></body></html>\n"
    )


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
