"""The web's socket: bound before anything starts, so that a port in use is said in a sentence."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import time

from switchboard.box.lock import Refused

BACKLOG = 1024
LET_GO_SECONDS = 1.0  # a box killed just now may still be letting go of the port
_LOOK_SECONDS = 0.1


def listen(host: str, port: int) -> socket.socket:
    """A listening TCP socket; `port` 0 is any free one. Raises Refused saying what is wrong.

    It listens from now on, so that whoever comes before the web process is up waits in its queue.
    """
    deadline = time.monotonic() + LET_GO_SECONDS
    while True:
        try:
            return _bind(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                where = f"{host} port {port}"
                raise Refused(f"Switchboard cannot listen on {where}: {_why(error)}") from None
        time.sleep(_LOOK_SECONDS)


def _bind(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(address, family=family, backlog=BACKLOG)


def _why(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "that is no address of this machine. Give another with --host."
    if error.errno == errno.EADDRINUSE:
        return "another program listens there. Stop it, or choose another port with --port."
    if error.errno == errno.EACCES:
        return "that needs more rights. Choose a port above 1023 with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        return "this machine has no such address. Give another with --host."
    return f"{os.strerror(error.errno or 0)}."


async def answers(listener: socket.socket) -> None:
    """Wait until a process that took over `listener` answers HTTP on it."""
    while not await _is_http(*listener.getsockname()[:2]):
        await asyncio.sleep(_LOOK_SECONDS)


async def _is_http(host: str, port: int) -> bool:
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 nothing is bound
    try:
        reader, writer = await asyncio.open_connection(here, port)
        writer.write(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        status = await reader.readline()
        writer.close()
    except OSError:
        return False
    return status.startswith(b"HTTP/1.")
