"""Calling tmux: a list of arguments, the text on its standard input, an end after some seconds.

tmux itself is called: a library around it (libtmux) calls the same program and would be one more
dependency. No command used here starts a tmux server.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from switchboard.errors import Invalid
from switchboard.lib.text import one_line

SECONDS = 5.0  # tmux answers at once; one that does not is stuck
LOOK = 0.05  # seconds between two looks at whether it is our turn
MAX_MESSAGE = 300
MAX_SOCKET = 107  # bytes, what a socket's address holds


class TmuxRefused(Exception):
    """tmux said no, or could not be asked; the message is for a human, mostly tmux's own words."""


def check_path(socket: str) -> None:
    """Raises Invalid for a path that cannot be a socket's."""
    size = len(socket.encode("utf-8", "replace"))
    if not socket.startswith("/") or not socket.isprintable() or size > MAX_SOCKET:
        raise Invalid(
            f"A socket is given by its absolute path, of at most {MAX_SOCKET} bytes.",
            field="socket",
        )


def call(socket: str | None, arguments: list[str], given: str = "") -> str:
    """What tmux prints, asked at `socket` (None: its usual one). Raises TmuxRefused."""
    program = shutil.which("tmux")
    if program is None:
        raise TmuxRefused("tmux is not installed on this machine; install it and try again.")
    if socket is not None:
        _check_owner(socket)
    where = ["-S", socket] if socket else []
    try:
        done = subprocess.run(  # noqa: S603  (a list of checked arguments, no shell)
            [program, "-u", *where, *arguments],
            input=given.encode(),
            capture_output=True,
            timeout=SECONDS,
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TmuxRefused(f"tmux did not answer in {SECONDS:.0f} seconds.") from None
    except OSError as error:
        raise TmuxRefused(f"tmux could not be started: {error.strerror}.") from None
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"), MAX_MESSAGE)
        raise TmuxRefused(said or f"tmux ended with {done.returncode} and said nothing.")
    return done.stdout.decode("utf-8", "replace")


@contextmanager
def in_turn(socket: str | None) -> Iterator[None]:
    """Nobody else types into this server's panes meanwhile: two answers at once would become one line.

    The lock is on the socket's folder and ends with the process. Raises TmuxRefused when it does not come.
    """
    folder = Path(socket).parent if socket else _usual_folder()
    deadline = time.monotonic() + SECONDS
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        raise TmuxRefused(f"no server running in {folder}") from None
    try:
        while not _locked(held):
            if time.monotonic() > deadline:
                raise TmuxRefused("Other answers are being brought to this tmux; try again.")
            time.sleep(LOOK)
        yield
    finally:
        os.close(held)


def _locked(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _usual_folder() -> Path:
    """Where tmux puts its sockets when it is told none."""
    return Path(os.environ.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{os.getuid()}"  # noqa: S108  (tmux's)


def _check_owner(socket: str) -> None:
    """Whoever owns the socket could read the answers: it is ours, or root's. Raises TmuxRefused."""
    try:
        status = os.stat(socket)
    except FileNotFoundError:
        raise TmuxRefused(f"no server running on {socket}") from None
    except OSError as error:
        raise TmuxRefused(f"The socket {socket} cannot be looked at: {error.strerror}.") from None
    if not stat.S_ISSOCK(status.st_mode):
        raise TmuxRefused(f"{socket} is not a socket.")
    if status.st_uid not in (os.getuid(), 0):
        raise TmuxRefused(f"The socket {socket} belongs to another user.")


def _environment() -> dict[str, str]:
    """Little: a tmux client sends its whole environment to the server, and ours may hold keys.

    Without TMUX, which would name the server that we ourselves may run in.
    """
    kept = ("PATH", "HOME", "TMUX_TMPDIR")
    given = {name: os.environ[name] for name in kept if name in os.environ}
    return given | {"LC_ALL": "C.UTF-8"}
