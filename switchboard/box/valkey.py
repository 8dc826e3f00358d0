"""The embedded Valkey: a real server on a socket file, out of reach of the network.

It keeps nothing on disk: the queue is a doorbell, and after a restart the sweep rings again.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from switchboard.box.lock import Refused

MAX_SOCKET_PATH = 100  # bytes; the kernel takes 107, and Valkey may add to it
START_SECONDS = 10.0
_LOOK_SECONDS = 0.02


@contextmanager
def socket_path(data: Path) -> Iterator[Path]:
    """Where the socket goes: the data folder, or a short temporary one where its path is too long."""
    path = data / "valkey.sock"
    if len(bytes(path)) <= MAX_SOCKET_PATH:
        yield path
        return
    folder = Path(tempfile.mkdtemp(prefix="switchboard-", dir="/tmp"))
    try:
        yield folder / path.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def command(binary: str, path: Path) -> list[str]:
    """The command line of a Valkey that listens on `path` only (0700) and stores nothing."""
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "dir": str(path.parent),
        "daemonize": "no",
        "loglevel": "warning",
        "hz": "2",  # expiry may be half a second late; an idle box should sleep
    }
    return [binary, *(word for name, value in options.items() for word in (f"--{name}", value))]


async def answers(path: Path) -> None:
    """Wait until Valkey answers on `path`. Raises Refused after START_SECONDS."""
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await _ping(path):
                await asyncio.sleep(_LOOK_SECONDS)
    except TimeoutError:
        raise Refused(f"The embedded Valkey does not answer on {path}.") from None


async def _ping(path: Path) -> bool:
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.write(b"PING\r\n")
    answer = await reader.readline()
    writer.close()
    return answer.startswith(b"+PONG")
