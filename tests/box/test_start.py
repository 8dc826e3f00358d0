"""Starting: keys and setup link on the first start, neither once somebody has an account."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from switchboard.access import accounts
from tests.box.boxes import RunningBox
from tests.once import once
from tests.servers import wait_until

KEYS = ("secret_key", "encryption_key")
LINK = re.compile(r"http://\S+/setup\?token=\S+")


@dataclass
class Start:
    """What was seen of one start of the box, and how its Ctrl-C ended."""

    output: str
    keys: dict[str, str]
    modes: dict[str, int]
    setup_status: int
    ready_status: int
    listening: list[str]
    folder_mode: int
    code: int
    left: list[str]


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> list[Start]:
    """The first start on a folder, and the second after an account was made."""
    data = tmp_path_factory.mktemp("first") / "instance"
    settings = {"SWITCHBOARD_DATA": str(data)}
    return once(
        tmp_path_factory,
        "starts",
        lambda: [_start(settings, data, make_account=True), _start(settings, data)],
    )


def _start(settings: dict[str, str], data: Path, *, make_account: bool = False) -> Start:
    with RunningBox(settings) as box:
        link = LINK.search(box.output)
        path = link[0].removeprefix(box.url) if link else "/setup"
        setup_status = box.call("GET", path).status
        if make_account:
            accounts.create(box.lib, accounts.NewAccount("ana", "ana@example.org", "a password"))
        wait_until(lambda: box.call("GET", "/readyz").status == 200)
        return Start(
            output=box.output,
            keys={name: (data / name).read_text() for name in KEYS},
            modes={name: stat.S_IMODE((data / name).stat().st_mode) for name in KEYS},
            setup_status=setup_status,
            ready_status=box.call("GET", "/readyz").status,
            listening=_listening(box),
            folder_mode=stat.S_IMODE(data.stat().st_mode),
            code=box.stop(),
            left=box.left(),
        )


def _listening(box: RunningBox) -> list[str]:
    """The TCP ports that any of its processes listens on."""
    return sorted(
        {
            f"http://{at.laddr.ip}:{at.laddr.port}"
            for each in box.tree()
            for at in each.net_connections("inet")
            if at.status == psutil.CONN_LISTEN
        }
    )


def test_the_first_start_writes_keys_only_its_user_can_read(starts: list[Start]) -> None:
    assert starts[0].modes == {"secret_key": 0o600, "encryption_key": 0o600}
    assert starts[0].folder_mode == 0o700


def test_the_first_start_says_where_it_wrote_keys(starts: list[Start]) -> None:
    assert [f"/{name}: keep a copy" in starts[0].output for name in KEYS] == [True, True]


def test_the_first_start_prints_a_setup_link_that_opens(starts: list[Start]) -> None:
    assert len(LINK.findall(starts[0].output)) == 1
    assert starts[0].setup_status == 200


def test_a_second_start_keeps_the_keys(starts: list[Start]) -> None:
    assert starts[1].keys == starts[0].keys
    assert "key was written" not in starts[1].output


def test_no_setup_link_is_printed_once_an_account_exists(starts: list[Start]) -> None:
    assert "setup" not in starts[1].output


def test_queue_and_worker_are_ready(starts: list[Start]) -> None:
    assert [start.ready_status for start in starts] == [200, 200]


def test_nothing_but_the_web_listens_on_the_network(starts: list[Start]) -> None:
    for start in starts:
        assert len(start.listening) == 1
        assert start.listening[0] in start.output


def test_ctrl_c_ends_every_process_with_exit_code_0(starts: list[Start]) -> None:
    assert [(start.code, start.left) for start in starts] == [(0, []), (0, [])]


def test_an_idle_start_logs_nothing_but_its_greeting(starts: list[Start]) -> None:
    assert re.findall(r"^\d{4}-\S+ (?:warning|error|critical) .*$", starts[0].output, re.M) == []
