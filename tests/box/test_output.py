"""What a box prints: one line an event in the chosen format, and no secret in any of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from switchboard.config import read_settings
from tests.box.boxes import RunningBox
from tests.box.conftest import quick_settings
from tests.box.people import CANARIES, People, settle
from tests.once import once
from tests.servers import wait_until
from tests.standins.github import GitHubStandIn


@pytest.fixture(scope="module", params=["plain", "json"])
def lived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, list[str]]:
    """The format, the whole output of a box that saw good and bad days, and its secrets."""
    chosen: str = request.param
    data = tmp_path_factory.mktemp(chosen)
    output, secrets = once(tmp_path_factory, f"output-{chosen}", lambda: _days(data, chosen))
    return chosen, output, secrets


def _days(data: Path, chosen: str) -> tuple[str, list[str]]:
    with GitHubStandIn() as github:
        settings = quick_settings(data, github) | {"SWITCHBOARD_LOG_FORMAT": chosen}
        with RunningBox(settings) as box:
            ana = settle(box)
            secrets = _secrets_of(ana, settings)
            _live(ana, github)
            box.kill9("worker", 1)
            wait_until(lambda: len(box.pids("worker")) == 2)
            box.stop()
            return box.output, secrets


def _live(ana: People, github: GitHubStandIn) -> None:
    assert ana.deliver(1).status == 202
    assert ana.deliver(2, secret="forged").status == 401
    github.program(["bad_credentials"])
    ana.reply("refused by GitHub")
    assert ana.deliver(3).status == 202
    assert ana.reply("taken by GitHub")["state"] == "sent"
    ana.box.call("GET", f"/hooks/{ana.path.rpartition('/')[2]}")
    ana.box.call("POST", "/login", b"name=ana&password=" + CANARIES["password"].encode())
    with ana.box.connect() as wire:  # what gunicorn itself complains about
        wire.sendall(f"POST {ana.path} NONSENSE/9\r\n\r\n".encode())
        wire.recv(1000)


def _secrets_of(ana: People, settings: dict[str, str]) -> list[str]:
    read = read_settings(settings)
    return [
        *CANARIES.values(),
        ana.vended.credential,
        ana.operator,
        ana.path.rpartition("/")[2],
        read["SECRET_KEY"],
        (read.data / "encryption_key").read_text(),
    ]


def test_no_secret_is_printed(lived: tuple[str, str, list[str]]) -> None:
    _, output, secrets = lived
    assert "is sent" in output
    assert [secret for secret in secrets if secret in output] == []


def test_every_line_is_one_event_in_the_chosen_format(lived: tuple[str, str, list[str]]) -> None:
    chosen, output, _ = lived
    lines = output.splitlines()
    if chosen == "json":
        events = [json.loads(line) for line in lines]
        assert all({"time", "level", "logger", "message"} <= set(event) for event in events)
    else:
        assert not any(line.startswith(("Traceback", "  File", "[")) for line in lines)
