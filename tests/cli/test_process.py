"""The command line as a process: what only the real one shows."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, CommandLine, process


@pytest.fixture
def settled(fresh: CommandLine) -> CommandLine:
    """A fresh folder with an account, on SQLite."""
    fresh.json("account", "create", "ana", "--email", "ana@example.org")
    return fresh


def test_stdout_holds_the_json_and_nothing_else(settled: CommandLine) -> None:
    child = process(settled.environ, "account", "list", "--json")
    out, err = child.communicate(timeout=30)
    assert (child.returncode, json.loads(out)[0]["name"], err) == (0, "ana", b"")


def test_a_reader_that_went_away_makes_no_traceback(settled: CommandLine) -> None:
    read, write = os.pipe()
    os.close(read)
    child = process(settled.environ, "account", "list", stdout=write)
    os.close(write)
    _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (1, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stdout_is_told(settled: CommandLine, unbuffered: str) -> None:
    environ = {**settled.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        child = process(environ, "version", stdout=full)
        _, err = child.communicate(timeout=30)
    said = b"error: The system refused: No space left on device. (storage_unavailable)\n"
    assert (child.returncode, err) == (1, said)


def test_ctrl_c_exits_with_130(settled: CommandLine) -> None:
    create = ("account", "create", "bob", "--email", "b@e.org", "--password-stdin")
    child = process(settled.environ, *create, stdin=subprocess.PIPE)
    wait_until_it_reads(child.pid)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err.strip()) == (130, b"", b"")


def wait_until_it_reads(pid: int) -> None:
    """Wait until the process sleeps in a read of its standard input (Linux)."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if Path(f"/proc/{pid}/wchan").exists():
            call = Path(f"/proc/{pid}/syscall").read_text().split()
            if call[:2] == [str(READ), "0x0"]:
                return
        time.sleep(0.05)
    raise AssertionError("it never read its standard input")


READ = {"x86_64": 0, "aarch64": 63}.get(os.uname().machine, 0)


def test_an_argument_that_is_no_text_is_bad_input(settled: CommandLine) -> None:
    child = process(settled.environ, "account", "token", b"\xff\xfe")
    _, err = child.communicate(timeout=30)
    assert (child.returncode, b"not UTF-8" in err) == (2, True)


def test_a_terminal_of_few_characters_still_shows_the_steps(settled: CommandLine) -> None:
    environ = {**settled.environ, "PYTHONIOENCODING": "latin-1"}
    child = process(environ, "source", "add", "github", "--owner", "ana", "--name", "octo")
    out, err = child.communicate(timeout=30)
    assert (child.returncode, b"Settings ? Webhooks" in out, err) == (0, True, b"")


def test_at_a_terminal_the_secret_is_asked_for_and_not_echoed(settled: CommandLine) -> None:
    master, terminal = pty.openpty()
    create = ("account", "create", "bob", "--email", "b@e.org", "--password-stdin")
    child = process(settled.environ, *create, stdin=terminal, preexec_fn=lambda: own(terminal))
    os.close(terminal)
    asked = b""
    while b"Password" not in asked:
        asked += os.read(master, 1024)
    os.write(master, b"a canary password\n")
    out, _ = child.communicate(timeout=30)
    os.set_blocking(master, False)
    with contextlib.suppress(OSError):  # nothing more was written to the terminal
        asked += os.read(master, 1024)
    assert (child.returncode, b"signs in" in out, b"canary" in asked) == (0, True, False)


def own(terminal: int) -> None:
    """Make the terminal this process's own, as a login does."""
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def test_a_box_needs_neither_web_server_nor_queue(settled: CommandLine) -> None:
    code = (
        "import sys; from switchboard.cli.root import root\n"
        "try: root.main(['source', 'list'], prog_name='x')\n"
        "except SystemExit as done: print(done.code, 'flask' in sys.modules, 'rq' in sys.modules)"
    )
    environ = {**os.environ, **settled.environ}
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, check=True
    ).stdout
    assert out.split(b"\n")[-2] == b"0 False False"


def test_the_version_needs_little_of_the_processor(settled: CommandLine) -> None:
    def spent(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    python = (sys.executable, "-m", "switchboard", "version")
    whole = (sys.executable, "-c", "import sqlalchemy.orm")
    assert min(spent(*python) for _ in range(3)) < spent(*whole) / 2
