"""A running box to test: `python app.py` on a free port, with its process tree in reach.

with RunningBox(environ, ["--workers", "1"]) as box:
    box.url, box.output             # where it listens, all it printed so far
    box.lib                         # its database, for arranging and looking
    box.call("GET", "/readyz")      # ordinary HTTP
    box.pids("worker")              # app, valkey, web, worker, cron, demo; web's and worker's children too
    box.kill9("web"); box.wait()    # SIGKILL, then the box's own exit code
    box.stop()                      # Ctrl-C, then the exit code
    box.left()                      # processes of it that still run
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import psutil

from switchboard.config import read_settings
from switchboard.lib.plumbing import Plumbing
from tests.servers import LOCAL, ROOT, Answer, wait_until

START_SECONDS = 60.0
# The title word of each direct child's command line.
_NAMES = {
    "valkey": "valkey-server",
    "web": "gunicorn",
    "worker": "jobs.worker",
    "cron": "jobs.cron",
    "demo": "switchboard.demo",
}
_ADDRESS = re.compile(r"Switchboard \S+ is at (http://[^\s\"]+)")


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a box: ours without its settings, with these."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SWITCHBOARD_") and name != "PYTHONPATH"
    }
    return {**plain, **settings}


def command(args: Sequence[str]) -> list[str]:
    """The command line of a box."""
    return [sys.executable, str(ROOT / "app.py"), *args]


def refused(
    settings: Mapping[str, str], *args: str, seconds: float = START_SECONDS
) -> subprocess.CompletedProcess[str]:
    """A start that should end by itself: its exit code and what it said."""
    return subprocess.run(
        command(args), env=environment(settings), capture_output=True, text=True, timeout=seconds
    )


class RunningBox:
    """See the module's docstring. `settings` are whole names; `wait` until its address is printed."""

    def __init__(
        self, settings: Mapping[str, str], args: Sequence[str] = (), *, wait: bool = True
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._log = Path(self._folder.name) / "output"
        self._settings = dict(settings)
        if "--demo" in args:
            self._settings["SWITCHBOARD_DATA"] += "/demo"
        self._seen: dict[int, psutil.Process] = {}
        if "--port" not in args:
            args = [*args, "--port", "0"]
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                command(args), env=environment(settings), stdout=log, stderr=log
            )
        if wait:
            try:
                self.wait_for_address()
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what it says

    @property
    def output(self) -> str:
        """Everything the box printed so far, stderr included."""
        return self._log.read_text("utf-8", "replace")

    def wait_for(self, text: str, seconds: float = 20.0) -> None:
        """Wait until the output holds `text`."""
        wait_until(lambda: text in self.output, seconds)

    def wait_for_address(self) -> str:
        """Wait until the box says where it listens; RuntimeError when it ends before."""

        def looks_up() -> bool:
            if self.process.poll() is not None and not _ADDRESS.search(self.output):
                raise RuntimeError(f"the box ended: {self.output[-3000:]}")
            return _ADDRESS.search(self.output) is not None

        wait_until(looks_up, START_SECONDS)
        self.tree()
        return self.url

    @property
    def url(self) -> str:
        """The address it printed."""
        found = _ADDRESS.search(self.output)
        assert found, self.output
        return found[1]

    # what it does

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        bearer: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request to the web process with raw bytes or a JSON value; errors are answers too."""
        raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **(headers or {})}
        if bearer:
            given["Authorization"] = f"Bearer {bearer}"
        request = urllib.request.Request(self.url + path, raw, given, method=method)
        try:
            with LOCAL.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())

    def connect(self) -> socket.socket:
        """A bare connection to the web process."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    @property
    def port(self) -> int:
        """The port of its address."""
        return int(self.url.rpartition(":")[2])

    @cached_property
    def lib(self) -> Plumbing:
        """The box's own database and keys, opened by this process."""
        return Plumbing(read_settings({**self._settings, "SWITCHBOARD_PORT": str(self.port)}))

    # what it consists of

    def tree(self) -> list[psutil.Process]:
        """Its processes that run now, itself first."""
        try:
            root = psutil.Process(self.process.pid)
            found = [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
        self._seen.update({each.pid: each for each in found})
        return found

    def pids(self, name: str) -> list[int]:
        """The process ids of a part: the one that app.py started first, then its own children."""
        if name == "app":
            return [self.process.pid]
        self.tree()
        for child in psutil.Process(self.process.pid).children():
            if any(_NAMES[name] in word for word in _command_of(child)):
                below = [each.pid for each in child.children(recursive=True) if _runs(each)]
                return [child.pid, *below]
        raise LookupError(f"no {name} among {[_command_of(each) for each in self.tree()]}")

    def kill9(self, name: str, which: int = 0) -> int:
        """SIGKILL to one process of a part (0: the one app.py started); returns its id."""
        pid = self.pids(name)[which]
        os.kill(pid, signal.SIGKILL)
        return pid

    def left(self, seconds: float = 5.0) -> list[str]:
        """Command lines of its processes that still run after a moment; should be empty."""
        _, alive = psutil.wait_procs(list(self._seen.values()), timeout=seconds)
        return [" ".join(_command_of(each)) for each in alive if _runs(each)]

    # how it ends

    def stop(self, number: signal.Signals = signal.SIGINT, seconds: float = 20.0) -> int:
        """Ctrl-C (or another signal), and the exit code."""
        self.tree()
        self.process.send_signal(number)
        return self.wait(seconds)

    def wait(self, seconds: float = 20.0) -> int:
        """Wait for the box to end by itself; its exit code."""
        return self.process.wait(seconds)

    def close(self) -> None:
        """End whatever of it still runs, and forget its output."""
        if self.process.poll() is None:
            self.tree()
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(15)
        for each in [*self._seen.values()]:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()  # psutil knows an id that was given to somebody else
        self.process.wait(10)
        if "lib" in self.__dict__:
            self.lib.db.dispose()
        self._folder.cleanup()


def _command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline() or [process.name()]
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
