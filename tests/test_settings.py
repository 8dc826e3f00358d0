"""Settings that cannot work stop the start with a sentence that names them."""

from __future__ import annotations

import pytest

from switchboard.config import PREFIX, read_settings
from switchboard.errors import SettingsError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "0"),
        ("BODY_SECONDS", "0"),
        ("DIAL_SECONDS", "0"),
        ("DIAL_SECONDS", "41"),
        ("DIAL_SECONDS", "nan"),
        ("MAIL_FROM", "nobody"),
        ("MAIL_FROM", "Ops <ops@example.org> eve@example.com"),
        ("INBOUND_DOMAIN", "mail example.org"),
        ("INBOUND_DOMAIN", "mail"),
        ("MAIL_TOKEN_DAYS", "0"),
    ],
)
def test_a_value_that_cannot_work_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}{name}: '{value}' cannot be read"):
        read_settings({PREFIX + name: value})


def test_a_call_may_not_outlast_the_time_after_which_it_counts_as_lost() -> None:
    given = {"DIAL_SECONDS": "20", "UNKNOWN_AFTER_SECONDS": "19"}
    with pytest.raises(SettingsError, match="19 is less than SWITCHBOARD_DIAL_SECONDS"):
        read_settings({PREFIX + name: value for name, value in given.items()})


def test_what_an_agents_shell_exports_stops_nothing() -> None:
    assert read_settings({PREFIX + "CREDENTIAL": "sbk_x"})


@pytest.mark.parametrize(
    "value",
    [
        "http://mail.example.org",
        "smtps://:465",
        "smtp://mail.example.org:0",
        "smtp://ana:canary@mail.example.org",  # a password in clear, off this machine
    ],
)
def test_a_mail_server_that_cannot_be_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}SMTP_URL: its value cannot be read") as told:
        read_settings({f"{PREFIX}SMTP_URL": value, f"{PREFIX}MAIL_FROM": "ops@example.org"})
    assert value not in str(told.value)


@pytest.mark.parametrize(
    "hostile",
    ["Ops <ops@example.org>\r\nBcc: eve@example.com", "=?utf-8?q?=0D=0ABcc?=@example.org"],
)
def test_a_sender_is_one_line(hostile: str) -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}MAIL_FROM"):
        read_settings({f"{PREFIX}MAIL_FROM": hostile})


def test_mail_needs_a_sender() -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}MAIL_FROM"):
        read_settings({f"{PREFIX}SMTP_URL": "smtps://mail.example.org"})
    given = {"SMTP_URL": "smtps://mail.example.org", "INBOUND_DOMAIN": "in.example.org"}
    settings = read_settings({PREFIX + name: value for name, value in given.items()})
    assert settings.mail_from == "switchboard@in.example.org"
