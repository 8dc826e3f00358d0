"""One child process that runs jq programs, and what its end means."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("jq_child.py")
# as the child has them: its module loads jq, so it is not imported here
_QUESTION, _ANSWER = struct.Struct("!cdI"), struct.Struct("!I")
_OF_THE_PROGRAM = {
    -signal.SIGPROF: "it computed for too long",
    -signal.SIGABRT: "it needed too much memory",
    -signal.SIGSEGV: "it crashed jq",
}


class Ended(Exception):
    """The child is gone; the message says why, as a clause. `by_program`: the program brought it down."""

    def __init__(self, why: str, *, by_program: bool) -> None:
        super().__init__(why)
        self.by_program = by_program


class JqProcess:
    """Starts the child. It belongs to the process that made it, and ends when that one does.

    It inherits nothing: no environment, no open file but its end of the line, Python isolated.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._line, theirs = socket.socketpair()
        with theirs:
            self._child = subprocess.Popen(  # noqa: S603  (our own file)
                [sys.executable, "-I", str(CHILD)],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
            )

    @property
    def is_ours_and_alive(self) -> bool:
        """Whether this process started it, and it has not ended."""
        return self._pid == os.getpid() and self._child.poll() is None

    def give(self, given: bytes, deadline: float) -> None:
        """The input of the programs that follow. Raises Ended."""
        self._send(b"i", given, 0.0, deadline)

    def ask(self, kind: bytes, program: str, seconds: float, deadline: float) -> dict[str, Any]:
        """Compile (`c`) or run (`p`) one program, which may compute for so many seconds.

        `deadline` is monotonic. Raises Ended.
        """
        self._send(kind, program.encode(), seconds, deadline)
        try:
            (length,) = _ANSWER.unpack(self._receive(_ANSWER.size, deadline))
            answer: dict[str, Any] = json.loads(self._receive(length, deadline))
        except OSError as error:
            raise self._ended(error) from None
        return answer

    def close(self) -> None:
        """End the child. In a process that was forked off meanwhile, only let go of the line."""
        self._line.close()
        if self._pid == os.getpid():
            self._child.kill()
            self._child.wait()

    def _send(self, kind: bytes, data: bytes, seconds: float, deadline: float) -> None:
        try:
            self._line.settimeout(_left(deadline))
            self._line.sendall(_QUESTION.pack(kind, seconds, len(data)) + data)
        except OSError as error:
            raise self._ended(error) from None

    def _receive(self, length: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < length:
            self._line.settimeout(_left(deadline))
            chunk = self._line.recv(length - len(received))
            if not chunk:
                raise ConnectionError
            received += chunk
        return bytes(received)

    def _ended(self, error: OSError) -> Ended:
        if isinstance(error, TimeoutError):
            self.close()
            return Ended("it did not answer in time", by_program=False)
        self._line.close()
        code = self._child.wait()
        if code in _OF_THE_PROGRAM:
            return Ended(_OF_THE_PROGRAM[code], by_program=True)
        return Ended(f"jq itself ended ({code})", by_program=False)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
