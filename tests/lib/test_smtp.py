"""Handing mail in: what the address of the server says is done, and nothing less safe is tried."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from switchboard.lib import clock, smtp
from switchboard.readers import SmtpServer, smtp_url
from tests.certificates import Made, make
from tests.standins.mail import HANG_UP, MailServer

MESSAGE = b"Subject: It smokes\r\n\r\nHello.\r\n.\r\nA line with one dot stands above.\r\n"
FROM, TO = "switchboard@example.org", "ana@example.org"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A server's side of TLS that nobody has a reason to trust."""
    path = make(tmp_path_factory.mktemp("tls"), "localhost").in_one()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


def to(url: str) -> SmtpServer:
    read = smtp_url(url)
    assert read is not None
    return read


def hand_in(url: str, recipient: str = TO, timeout: float = 5) -> None:
    smtp.hand_in(to(url), FROM, recipient, MESSAGE, timeout=timeout)


def fails(url: str, **wanted: Any) -> tuple[str, bool, bool]:
    with pytest.raises(smtp.MailError) as failed:
        hand_in(url, **wanted)
    return failed.value.code, failed.value.later, failed.value.written


def test_a_message_arrives_as_it_is(server: MailServer) -> None:
    hand_in(server.url)
    [mail] = server.mails
    assert (mail.sender, mail.recipient, mail.raw) == (FROM, TO, MESSAGE)


def test_a_test_of_the_server_sends_nothing(server: MailServer) -> None:
    smtp.check(to(server.url), FROM, timeout=5)
    assert server.mails == []


@pytest.mark.parametrize(
    ("step", "answer", "told"),
    [
        ("recipients", "451 later", ("recipient_refused_451", True, False)),
        ("recipients", "550 unknown", ("recipient_refused_550", False, False)),
        ("messages", "452 full", ("message_refused_452", True, False)),
        ("messages", "554 spam", ("message_refused_554", False, False)),
        ("messages", HANG_UP, ("reset", False, True)),
    ],
)
def test_what_a_refusal_means_depends_on_the_step(
    server: MailServer, step: str, answer: str, told: Any
) -> None:
    server.program(**{step: [answer]})
    assert fails(server.url) == told


def test_nobody_there_is_tried_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert fails(f"smtp://127.0.0.1:{port}") == ("connect", True, False)


def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = clock.now()
        code, later, written = fails(f"smtp://127.0.0.1:{silent.getsockname()[1]}", timeout=0.5)
        assert (later, written) == (True, False) and code in ("timeout", "reset")
        assert (clock.now() - began).total_seconds() < 3


def test_a_server_without_starttls_gets_nothing_where_it_is_asked_for(server: MailServer) -> None:
    url = server.url.replace("smtp://", "smtp+starttls://")
    assert fails(url) == ("no_starttls", True, False) and server.mails == []


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate: ssl.SSLContext) -> None:
    with MailServer(tls_context=certificate) as server:
        url = server.url.replace("smtp://", "smtp+starttls://")
        assert fails(url) == ("tls", True, False) and server.mails == []


def test_smtps_with_one_is_refused_as_well(certificate: ssl.SSLContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            plain, _ = listening.accept()
            with pytest.raises(OSError):
                certificate.wrap_socket(plain, server_side=True)
            plain.close()

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        assert fails(f"smtps://127.0.0.1:{listening.getsockname()[1]}") == ("tls", True, False)
        thread.join(5)


@pytest.fixture
def authority(tmp_path: Path) -> Made:
    return make(tmp_path, "authority")


def by_starttls(tmp_path: Path, authority: Made, name: str) -> tuple[MailServer, SmtpServer]:
    """A server with a certificate for that name by a private authority, and its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(make(tmp_path, name, by=authority).in_one())
    server = MailServer(tls_context=context, require_starttls=True)
    return server, SmtpServer("smtp+starttls", "localhost", 0, ca_file=str(authority.path))


def test_a_private_authority_is_trusted_where_its_certificate_is_given(
    tmp_path: Path, authority: Made
) -> None:
    server, address = by_starttls(tmp_path, authority, "localhost")
    with server:
        smtp.hand_in(replace(address, port=server.port), FROM, TO, MESSAGE, timeout=5)
        assert [mail.raw for mail in server.mails] == [MESSAGE]


@pytest.mark.parametrize(
    ("name", "trusted"), [("localhost", "another"), ("mail.example.org", "authority")]
)
def test_it_is_trusted_for_its_own_and_for_the_name_alone(
    tmp_path: Path, authority: Made, name: str, trusted: str
) -> None:
    server, address = by_starttls(tmp_path, authority, name)
    ca_file = authority if trusted == "authority" else make(tmp_path, trusted)
    with server:
        given = replace(address, port=server.port, ca_file=str(ca_file.path))
        with pytest.raises(smtp.MailError) as failed:
            smtp.hand_in(given, FROM, TO, MESSAGE, timeout=5)
    assert (failed.value.code, server.mails) == ("tls", [])


def test_a_file_of_authorities_that_went_away_is_told_as_such(
    tmp_path: Path, authority: Made
) -> None:
    server, address = by_starttls(tmp_path, authority, "localhost")
    authority.path.unlink()
    with server, pytest.raises(smtp.MailError) as failed:
        smtp.hand_in(replace(address, port=server.port), FROM, TO, MESSAGE, timeout=5)
    assert (failed.value.code, failed.value.later, failed.value.written) == (
        "ca_unreadable",
        True,
        False,
    )


def test_a_password_is_not_shown(server: MailServer) -> None:
    url = server.url.replace("smtp://", "smtp://ana:canary%40pass@")
    read = to(url)
    assert (read.user, read.password) == ("ana", "canary@pass") and "canary" not in repr(read)
    assert fails(url)[0] in ("no_login", "login_refused")
