"""Mail: whether it is handed in, who it is from, and whether it can be answered."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parseaddr

from switchboard.cli.checks.finding import Finding
from switchboard.config import PREFIX
from switchboard.lib import smtp
from switchboard.lib.plumbing import Plumbing


def check(lib: Plumbing) -> Iterator[Finding]:
    """The findings on the mail settings; the server is asked, and nothing is sent."""
    settings = lib.settings
    server = settings.mail_server
    if server is None:
        yield Finding("mail", "ok", f"none is sent: {PREFIX}SMTP_URL is not set")
        return
    sender = parseaddr(settings.mail_from)[1]
    try:
        smtp.check(server, sender, timeout=settings["DIAL_SECONDS"])
    except smtp.MailError as error:
        where = f"{server.host} port {server.port}"
        advice = f"See that it runs and that {PREFIX}SMTP_URL is right: {_WHY.get(error.code, '')}"
        found = f"{where} takes none ({error.code})"
        yield Finding("mail", "fail", found, advice.rstrip(": "))
        return
    if not settings["INBOUND_DOMAIN"]:
        advice = f"Set {PREFIX}INBOUND_DOMAIN for mails that can be answered"
        yield Finding("mail", "warn", f"sent as {sender}, and nobody can answer it", advice)
        return
    yield Finding("mail", "ok", f"sent as {sender}, answered at {settings['INBOUND_DOMAIN']}")


_WHY = {
    "connect": "nobody listens there",
    "timeout": "nobody answers there",
    "tls": "its certificate is not to be trusted, or it speaks no TLS on that port; where an authority of "
    f"your own signed it, {PREFIX}SMTP_CA_FILE names that one's certificate",
    "ca_unreadable": f"the file of {PREFIX}SMTP_CA_FILE cannot be read",
    "no_starttls": "it offers no STARTTLS; use smtps:// or, on your own machine, smtp://",
    "no_login": "it asks for no login; leave user and password out",
    "login_refused": "user or password are wrong",
}
