"""Handing mail in: one message for one recipient to the operator's own server, once.

The server is what SMTP_URL says and only who has the environment can set it, so the guard that keeps
connections off private networks (`lib/addresses.py`) does not stand here: a relay on the same machine is
the usual one. Nothing is tried beyond what the URL's scheme says: TLS is never given up for clear text.
"""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress

from requests.adapters import DEFAULT_CA_BUNDLE_PATH

from switchboard.readers import SmtpServer


class MailError(Exception):
    """A message that was not taken for certain. `code` is short and stable, never the server's words.

    `later` says that another try may do better; `written` that the server may have it all the same.
    """

    def __init__(self, code: str, *, later: bool = False, written: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.later = later
        self.written = written


def hand_in(
    server: SmtpServer,
    sender: str,
    recipient: str,
    message: bytes,
    *,
    timeout: float,
    null_return: bool = False,
) -> None:
    """Give one message to the server. `timeout` is in seconds, for each step. Raises MailError.

    With `null_return` the envelope names no sender, so that whatever goes wrong is told to nobody.
    """
    client = _connect(server, sender, timeout)
    if null_return:
        sender = ""
    try:
        _envelope(client, sender, recipient)
        _data(client, message)
    finally:
        _leave(client)


def check(server: SmtpServer, sender: str, *, timeout: float) -> None:
    """Connect, secure the connection and log in, as for a message, and leave. Raises MailError."""
    _leave(_connect(server, sender, timeout))


def _connect(server: SmtpServer, sender: str, timeout: float) -> smtplib.SMTP:
    ours = sender.rpartition("@")[2]  # else the machine's name is looked up, which may take long
    tls = _tls(server.ca_file or DEFAULT_CA_BUNDLE_PATH)
    try:
        if server.security == "smtps":
            client: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, ours, timeout=timeout, context=tls
            )
        else:
            client = smtplib.SMTP(server.host, server.port, ours, timeout=timeout)
    except OSError as error:  # smtplib's own are such
        raise MailError(_why(error), later=True) from None
    try:
        client.ehlo_or_helo_if_needed()
        if server.security == "smtp+starttls":
            client.starttls(context=tls)
            client.ehlo_or_helo_if_needed()  # both sides have forgotten it (RFC 3207 section 4.2)
        if server.user:
            client.login(server.user, server.password)
    except smtplib.SMTPAuthenticationError as error:
        client.close()
        raise MailError("login_refused", later=_is_temporary(error.smtp_code)) from None
    except smtplib.SMTPNotSupportedError:
        client.close()
        wanted = "no_starttls" if server.security == "smtp+starttls" else "no_login"
        raise MailError(wanted, later=True) from None
    except OSError as error:
        client.close()
        raise MailError(_why(error), later=True) from None
    return client


def _tls(authorities: str) -> ssl.SSLContext:
    # Not create_default_context: that one would write session keys to SSLKEYLOGFILE.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies chain and name
    try:
        context.load_verify_locations(authorities)
    except OSError:  # it was there when the box started
        raise MailError("ca_unreadable", later=True) from None
    return context


def _why(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return "tls"
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, smtplib.SMTPResponseException):
        return str(error.smtp_code)
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "reset"
    return "protocol" if isinstance(error, smtplib.SMTPException) else "connect"


def _is_temporary(code: int) -> bool:
    """RFC 5321 section 4.2.1: 4yz may do better later, 5yz will not."""
    return 400 <= code < 500


def _envelope(client: smtplib.SMTP, sender: str, recipient: str) -> None:
    for step, address, name in (
        (client.mail, sender, "sender"),
        (client.rcpt, recipient, "recipient"),
    ):
        try:
            code, _ = step(address)
        except OSError as error:
            raise MailError(_why(error), later=True) from None
        if code not in (250, 251):
            raise MailError(f"{name}_refused_{code}", later=_is_temporary(code))


def _data(client: smtplib.SMTP, message: bytes) -> None:
    try:
        code, _ = client.data(message)
    except smtplib.SMTPDataError as error:  # before a byte of the message was sent
        raise MailError(f"data_refused_{error.smtp_code}", later=True) from None
    except OSError as error:
        raise MailError(_why(error), written=True) from None
    if code != 250:
        raise MailError(f"message_refused_{code}", later=_is_temporary(code))


def _leave(client: smtplib.SMTP) -> None:
    with suppress(OSError):
        client.quit()
    client.close()
