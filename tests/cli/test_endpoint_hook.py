"""`endpoint hook`: one command that shows, sets, rotates, tests and removes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import CommandLine
from tests.notify.bells import verifies
from tests.standins.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def test_a_hook_lives_on_the_command_line(ana: CommandLine, receiver: Receiver) -> None:
    hook = ("endpoint", "hook", "fixer")
    assert ana.error(*hook) == (1, "error: This endpoint has no hook. (not_found)")
    made = ana.json(*hook, "--url", receiver.url)
    assert made["secret"].startswith("whsec_") and made["health"] == "untested"
    assert "secret" not in ana.json(*hook)
    assert ana.json(*hook, "--test")["ok"] is True
    assert verifies(receiver.calls[0], made["secret"])
    rotated = ana.json(*hook, "--rotate")
    assert rotated["secret"] != made["secret"] and rotated["previous_until"]
    receiver.program([410])
    failed = ana.run(*hook, "--test")
    assert (failed.exit_code, "not_found 410" in failed.stdout) == (1, True)
    shown = ana.text(*hook)
    assert receiver.url in shown and "fails" in shown
    assert not any(secret in shown for secret in (made["secret"], rotated["secret"]))
    assert "removed" in ana.text(*hook, "--remove")
    assert ana.error(*hook, "--rotate")[0] == 1


def test_a_secret_is_printed_once(ana: CommandLine, receiver: Receiver) -> None:
    text = ana.text("endpoint", "hook", "fixer", "--url", receiver.url)
    assert text.count("whsec_") == 1 and "docs/hooks.md" in text


def test_one_thing_at_a_time(ana: CommandLine) -> None:
    exit_code, sentence = ana.error("endpoint", "hook", "fixer", "--rotate", "--remove")
    assert (exit_code, "one thing at a time" in sentence) == (2, True)


def test_an_address_that_is_none_is_refused(ana: CommandLine) -> None:
    exit_code, sentence = ana.error("endpoint", "hook", "fixer", "--url", "ftp://x/")
    assert (exit_code, sentence.rpartition(" ")[2]) == (2, "(invalid_argument)")
