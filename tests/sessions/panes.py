"""A real tmux on a socket of its own, and programs in its panes that write down what they read."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from switchboard.sessions.tmux import Pane

TMUX = shutil.which("tmux")
PASTE, END = b"\x1b[200~", b"\x1b[201~"  # how a program that asked for it sees a paste
SECONDS = 20.0

# asks for bracketed paste, as the prompts of agents do, and reads keys one by one
READER = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"\\x1b[?2004h")
with open(sys.argv[1], "wb", buffering=0) as heard:
    while True:
        heard.write(os.read(0, 65536))
"""


class Tmux:
    """One server of tmux."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = str(folder / "socket")
        self.reader = folder / "reader.py"
        self.reader.write_text(READER)

    def __call__(self, *arguments: str) -> str:
        command = [str(TMUX), "-S", self.socket, "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def agent(self, name: str) -> Agent:
        """A session of this name with a program in it that writes down what it reads."""
        heard = self.folder / f"{name}.heard"
        program = f"exec {sys.executable} {self.reader} {heard}"
        agent = Agent(self, name, heard, self.session(name, program))
        wait_for(heard.exists)
        return agent

    def session(self, name: str, program: str) -> Pane:
        """A session of this name in which `program` (a shell's line) runs."""
        self("new-session", "-d", "-s", name, "-x", "80", "-y", "24", program)
        return Pane(f"{name}:0.0", self.socket)

    def processes(self) -> set[tuple[int, float]]:
        """The server and all that runs in its panes, and all that this process has started."""
        found = psutil.Process().children(recursive=True)
        if Path(self.socket).exists():
            server = psutil.Process(int(self("display-message", "-p", "#{pid}")))
            found += [server, *server.children(recursive=True)]
        return {(each.pid, each.create_time()) for each in found}


class Agent:
    """A program in a pane, and what it has read so far."""

    def __init__(self, tmux: Tmux, name: str, heard: Path, pane: Pane) -> None:
        self.tmux, self.name, self.heard, self.pane = tmux, name, heard, pane

    def reads(self, size: int) -> bytes:
        """What it has read once that is `size` bytes, and anything that came behind them."""
        wait_for(lambda: self.heard.stat().st_size >= size)
        time.sleep(0.1)  # so that one byte too many is seen
        return self.heard.read_bytes()


@contextmanager
def server() -> Iterator[Tmux]:
    """A tmux that ends with the block. Its folder's name is short, as a socket's path has to be."""
    folder = Path(tempfile.mkdtemp(prefix="sb", dir="/tmp"))
    tmux = Tmux(folder)
    try:
        tmux("new-session", "-d", "-s", "keeps-it-open", "sleep 1000")
        yield tmux
    finally:
        tmux("kill-server")
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(happened: Callable[[], bool]) -> None:
    """Until it has."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
