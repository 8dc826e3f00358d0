"""The demo: ten seconds after its address was printed, one delivery stands answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from switchboard.access import accounts
from tests.box.boxes import RunningBox
from tests.servers import wait_until


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a demo ran before."""
    return tmp_path_factory.mktemp("data")


def started(data: Path) -> RunningBox:
    return RunningBox({"SWITCHBOARD_DATA": str(data), "SWITCHBOARD_WORKERS": "1"}, ["--demo"])


def test_a_reply_stands_sent_with_its_permalink(data: Path) -> None:
    with started(data) as box:
        token = accounts.mint_token(box.lib, "ana")

        def todo() -> dict[str, dict[str, str]] | None:
            todos = box.call("GET", "/api/v1/todos", bearer=token).json["todos"]
            return todos[0] if todos and todos[0]["replies"]["last_state"] == "sent" else None

        found = wait_until(todo, 10)
        assert re.fullmatch(
            r"https://github\.com/acme/rocket/issues/12#issuecomment-\d+",
            found["replies"]["last_permalink"],
        )
        box.wait_for("the story is told")
        log = box.call("GET", "/api/v1/deliveries", bearer=token).json["deliveries"]
        assert {(row["status"], row["code"]) for row in log} == {
            ("accepted", "accepted"),
            ("refused", "bad_signature"),
            ("accepted", "self_reply"),
            ("refused", "unmappable"),
        }
        assert box.stop() == 0
        assert box.left() == []


def test_a_demo_starts_fresh_and_says_how_to_sign_in(data: Path) -> None:
    with started(data) as box:
        assert [one["name"] for one in accounts.everyone(box.lib)] == ["ana"]
        assert re.search(r"Sign in +ana with the password \S{12}", box.output)
        assert not (data / "secret_key").exists()
