"""A cable between a client and a box, to be pulled out and plugged in again."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Cable:
    """Listens on a port of its own and passes bytes on to another."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._ends: list[socket.socket] = []
        self.port = 0
        self.plug_in()

    def plug_in(self) -> None:
        """Listen, on the same port every time."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._ends = [listener]
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def pull_out(self) -> None:
        """Break every connection and take no other."""
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(heard: socket.socket, said: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := heard.recv(65_536):
            said.sendall(data)
        said.shutdown(socket.SHUT_WR)


@contextmanager
def cable_to(port: int) -> Iterator[Cable]:
    cable = Cable(port)
    try:
        yield cable
    finally:
        cable.pull_out()
