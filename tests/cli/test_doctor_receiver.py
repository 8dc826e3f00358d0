"""`doctor` on the receiver of answers to mail: its port, its domain, its certificate."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.certificates import make
from tests.cli.conftest import CommandLine
from tests.standins.mail import MailServer

DOMAIN = "mail.example.org"
Findings = list[tuple[str, str, str]]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def examined(fresh: CommandLine) -> Callable[..., Findings]:
    """The findings on the receiver as (state, found, advice): port and domain are good unless told."""

    def examine(**given: str) -> Findings:
        usual = {"SMTP_LISTEN": f"127.0.0.1:{free_port()}", "INBOUND_DOMAIN": DOMAIN}
        settings = {f"SWITCHBOARD_{name}": value for name, value in (usual | given).items()}
        result = CommandLine({**fresh.environ, **settings}).run("doctor", "--json")
        checks = json.loads(result.stdout)["checks"]
        found = [c for c in checks if c["check"] in ("receiver", "STARTTLS")]
        assert all(c["state"] == "ok" or c["advice"] for c in found)
        return [(c["state"], c["found"], c["advice"]) for c in found]

    return examine


def test_nothing_is_said_of_a_receiver_that_nobody_wants(examined: Callable[..., Findings]) -> None:
    assert examined(SMTP_LISTEN="") == []


def test_a_free_port_and_a_good_certificate_are_fine(
    examined: Callable[..., Findings], tmp_path: Path
) -> None:
    made = make(tmp_path, DOMAIN)
    files = {"SMTP_CERT_FILE": str(made.path), "SMTP_KEY_FILE": str(made.key_path)}
    [port, tls] = examined(**files)
    assert (port[0], tls[0]) == ("ok", "ok") and "is free for it" in port[1]
    assert f"for {DOMAIN}, until" in tls[1]
    assert examined(SMTP_CERT_FILE=str(made.in_one()))[1][0] == "ok"


def test_a_port_that_our_own_receiver_holds_is_fine(examined: Callable[..., Findings]) -> None:
    with MailServer(server_hostname=DOMAIN, ident="Switchboard 1.0") as ours:
        state, found, _ = examined(SMTP_LISTEN=f"127.0.0.1:{ours.port}")[0]
    assert (state, found) == ("ok", f"it takes mail for {DOMAIN} at 127.0.0.1:{ours.port}")


def test_a_port_that_somebody_else_holds_fails(examined: Callable[..., Findings]) -> None:
    with MailServer() as other:
        state, found, advice = examined(SMTP_LISTEN=f"127.0.0.1:{other.port}")[0]
    assert (state, "address already in use" in found) == ("fail", True)
    assert "Stop that one" in advice


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_that_is_not_this_machine_s_fails(
    examined: Callable[..., Findings], host: str
) -> None:
    state, _, advice = examined(SMTP_LISTEN=f"{host}:{free_port()}")[0]
    assert (state, "address of this machine" in advice) == ("fail", True)


def test_a_receiver_without_a_domain_fails(examined: Callable[..., Findings]) -> None:
    [(state, _, advice)] = examined(INBOUND_DOMAIN="")
    assert (state, "SWITCHBOARD_INBOUND_DOMAIN" in advice) == ("fail", True)


def test_a_certificate_without_a_receiver_is_a_warning(examined: Callable[..., Findings]) -> None:
    [(state, _, advice)] = examined(SMTP_LISTEN="", SMTP_CERT_FILE="/etc/ssl/mail.pem")
    assert (state, "Set SWITCHBOARD_SMTP_LISTEN" in advice) == ("warn", True)


def test_no_certificate_is_a_warning(examined: Callable[..., Findings]) -> None:
    state, found, _ = examined()[1]
    assert (state, "no STARTTLS" in found) == ("warn", True)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda one, two: (one.path.with_name("away.pem"), one.key_path), "missing"),
        (lambda one, two: (one.path, two.key_path), "key_mismatch"),
        (lambda one, two: (one.path, one.path.parent), "no_access"),
        (lambda one, two: (one.key_path, one.key_path), "not_pem"),
        (lambda one, two: (one.path, ""), "not_pem"),
    ],
)
def test_a_certificate_that_cannot_be_used_fails(
    examined: Callable[..., Findings],
    tmp_path: Path,
    spoil: Callable[..., tuple[Path, Path]],
    code: str,
) -> None:
    path, key_path = spoil(make(tmp_path, DOMAIN), make(tmp_path, "other.example.org"))
    state, found, _ = examined(SMTP_CERT_FILE=str(path), SMTP_KEY_FILE=str(key_path))[1]
    assert (state, f"({code})" in found) == ("fail", True), found


def test_a_key_under_a_password_fails_and_nobody_is_asked_for_it(
    examined: Callable[..., Findings], tmp_path: Path
) -> None:
    made = make(tmp_path, DOMAIN, password=b"canary")
    state, found, advice = examined(
        SMTP_CERT_FILE=str(made.path), SMTP_KEY_FILE=str(made.key_path)
    )[1]
    assert (state, "(locked_key)" in found, "openssl pkey" in advice) == ("fail", True, True), found


@pytest.mark.parametrize(
    ("days", "state", "words"),
    [
        (-1, "fail", "ended on"),
        (13.5, "warn", "in 13 days"),
        (14.5, "ok", "until"),
        (500, "fail", "before"),
    ],
)
def test_a_certificate_is_judged_by_its_time(
    examined: Callable[..., Findings], tmp_path: Path, days: float, state: str, words: str
) -> None:
    found = examined(SMTP_CERT_FILE=str(make(tmp_path, DOMAIN, days=days).in_one()))[1]
    assert (found[0], words in found[1]) == (state, True), found


@pytest.mark.parametrize(
    ("names", "base_url", "states"),
    [
        (["board.example.org"], "https://board.example.org", ["ok"]),
        (["*.example.org"], "", ["ok"]),
        (["mx.example.net"], "https://board.example.org", ["ok", "warn"]),
        ([], "", ["ok", "warn"]),
    ],
)
def test_a_certificate_is_for_a_name_of_this_box(
    examined: Callable[..., Findings],
    tmp_path: Path,
    names: list[str],
    base_url: str,
    states: list[str],
) -> None:
    path = make(tmp_path, DOMAIN, names=names).in_one()
    found = examined(SMTP_CERT_FILE=str(path), BASE_URL=base_url)[1:]
    assert [state for state, _, _ in found] == states, found


def test_a_key_that_others_can_read_fails(
    examined: Callable[..., Findings], tmp_path: Path
) -> None:
    made = make(tmp_path, DOMAIN)
    made.key_path.chmod(0o644)
    files = {"SMTP_CERT_FILE": str(made.path), "SMTP_KEY_FILE": str(made.key_path)}
    assert [state for state, _, _ in examined(**files)] == ["ok", "fail", "ok"]
