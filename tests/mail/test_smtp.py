"""The receiver as a real process, spoken to by smtplib and by bare sockets."""

from __future__ import annotations

import smtplib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from switchboard.mail.address import MAX_TOKENS
from switchboard.smtp.server import MAX_LINES, MOST_OF_ONE_PEER
from tests.mail.post import ANA, DOMAIN, PostOffice
from tests.servers import Process, _process, wait_until
from tests.standins.emulator import free_port

SECONDS = 3.0


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={DOMAIN}"
    asked = [*command.split(), "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(asked, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


@pytest.fixture
def environ(environ: dict[str, str], certificate: Path) -> dict[str, str]:
    return environ | {
        "SWITCHBOARD_SMTP_CERT_FILE": str(certificate),
        "SWITCHBOARD_SMTP_LISTEN": f"127.0.0.1:{free_port()}",
        "SWITCHBOARD_SMTP_SECONDS": str(SECONDS),
        "SWITCHBOARD_MAX_MAIL_BYTES": "1000000",
    }


@pytest.fixture
def receiver(post: PostOffice, environ: dict[str, str]) -> Iterator[Process]:
    assert post.ticket
    command = [sys.executable, "-m", "switchboard.smtp"]
    with _process(command, environ) as (child, log):
        process = Process(child, log)
        wait_until(lambda: _listens(post) or child.poll() is not None, 20)
        assert child.poll() is None, process.log
        yield process


def _port(post: PostOffice) -> int:
    return int(post.world.lib.settings["SMTP_LISTEN"][1])


def _listens(post: PostOffice) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", _port(post))) == 0


def client(post: PostOffice) -> smtplib.SMTP:
    return smtplib.SMTP("127.0.0.1", _port(post), "sender.example.org", timeout=20)


def test_a_mail_survives_kill_9_after_its_250_and_is_read_once(
    post: PostOffice, receiver: Process
) -> None:
    mail = post.write("Take fuse B.")
    with client(post) as sender:
        assert sender.send_message(mail, ANA) == {}
        receiver.kill()
    assert post.work() == 1 and post.work() == 0
    assert post.said() == ["Take fuse B."]
    row = post.last()
    assert (row["source"], row["trust"], row["code"]) == ("mail-smtp", "reply_token", "accepted")


def test_it_relays_nothing_and_takes_good_tokens_alone(post: PostOffice, receiver: Process) -> None:
    good = post.address()
    local, _, _ = good.partition("@")
    with client(post) as sender:
        sender.ehlo()
        assert sender.esmtp_features["size"] == "1000000"
        assert "auth" not in sender.esmtp_features
        sender.mail(ANA)
        for recipient in (
            "someone@example.com",
            f"postmaster@{DOMAIN}",
            f"reply+{'a' * 26}@{DOMAIN}",
            f"{local}@example.com",
            f"{local}%example.com@{DOMAIN}",
            f"@{DOMAIN}:someone@example.com",
            f"{'a' * 64}@{DOMAIN}",
        ):
            assert sender.rcpt(recipient)[0] in (501, 550, 553), recipient
        assert sender.rcpt(good.upper())[0] == 250
        others = [sender.rcpt(post.address())[0] for _ in range(MAX_TOKENS)]
        assert others == [250] * (MAX_TOKENS - 1) + [452], "none is taken that is not answered"
    token = local.partition("+")[2]
    assert token not in receiver.log.lower()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_mail_is_taken_under_tls_and_nothing_else_is(
    post: PostOffice, receiver: Process, certificate: Path
) -> None:
    trusted = ssl.create_default_context(cafile=str(certificate))
    trusted.check_hostname = False
    mail = post.write("Under TLS.")
    with client(post) as sender:
        sender.starttls(context=trusted)
        assert isinstance(sender.sock, ssl.SSLSocket)
        sender.ehlo()
        assert "auth" not in sender.esmtp_features
        assert sender.docmd("STARTTLS")[0] == 503
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            sender.sendmail(ANA, ["someone@example.com"], b"x")
        sender.send_message(mail, ANA)
    post.work()
    assert post.said() == ["Under TLS."]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_mail_system_and_a_mail_too_large_are_refused(
    post: PostOffice, receiver: Process
) -> None:
    to = post.address()
    with client(post) as sender:
        with pytest.raises(smtplib.SMTPDataError) as bounce:
            sender.sendmail("", [to], post.write(to=to).as_bytes())
        assert bounce.value.smtp_code == 550
        with pytest.raises(smtplib.SMTPResponseException) as large:
            sender.sendmail(ANA, [to], b"x" * 76 * 20_000)
        assert large.value.smtp_code == 552
    with client(post) as sender:
        sender.helo()
        sender.mail(ANA)
        sender.rcpt(to)
        assert sender.data(b"x\r\n" * 400_000)[0] == 552, "announced or not"
    assert post.last()["code"] == "auto_reply" and post.work() == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_who_stalls_floods_or_never_ends_is_cut_off_and_nobody_else_notices(
    post: PostOffice, receiver: Process
) -> None:
    to = post.address()
    address = ("127.0.0.1", _port(post))
    stalled = socket.create_connection(address, timeout=20)
    endless = socket.create_connection(address, timeout=20)
    endless.sendall(f"HELO x\r\nMAIL FROM:<{ANA}>\r\nRCPT TO:<{to}>\r\nDATA\r\n".encode())
    with client(post) as flood:
        flood.ehlo()
        flood.mail(ANA)
        assert not _all_answered(flood, 200)
    began = time.monotonic()
    with client(post) as honest:
        honest.send_message(post.write("All the same.", to=to), ANA)
    assert time.monotonic() - began < SECONDS
    assert _ends(stalled) and _ends(endless, b"more\r\n")
    assert post.work() == 1 and post.said() == ["All the same."]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_senders_that_stall_in_a_tls_handshake_leave_their_places_to_others(
    post: PostOffice, receiver: Process
) -> None:
    stalled = [client(post) for _ in range(MOST_OF_ONE_PEER)]
    for each in stalled:
        each.ehlo()
        assert each.docmd("STARTTLS")[0] == 220
    with pytest.raises(smtplib.SMTPConnectError):
        client(post)
    for each in stalled:
        assert each.sock and _ends(each.sock)
    with client(post) as honest:
        assert honest.send_message(post.write("All the same."), ANA) == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_mail_of_more_lines_than_any_mail_has_is_cut_off(
    post: PostOffice, receiver: Process
) -> None:
    with client(post) as sender:
        sender.helo()
        sender.mail(ANA)
        sender.rcpt(post.address())
        with pytest.raises(OSError):  # smtplib's own are such
            sender.data(b"\r\n" * (MAX_LINES + 1))


def _all_answered(flood: smtplib.SMTP, recipients: int) -> bool:
    """Whether so many recipients can be tried in one session."""
    try:
        answers = [flood.rcpt(f"nobody{number}@{DOMAIN}")[0] for number in range(recipients)]
    except OSError:  # smtplib's own are such
        return False
    return 421 not in answers


def _ends(connection: socket.socket, piece: bytes = b"") -> bool:
    """Whether the server ends a session that we keep open and, if a piece is given, feed."""
    deadline = time.monotonic() + 4 * SECONDS
    connection.settimeout(0.2)
    with connection:
        while time.monotonic() < deadline:
            try:
                if piece:
                    connection.sendall(piece)
                if connection.recv(4096) == b"":
                    return True
            except TimeoutError:
                continue
            except OSError:
                return True
    return False
