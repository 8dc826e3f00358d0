"""The panes of tmux: whether an agent runs in one, and one bracketed paste into it.

Nothing here starts a tmux server, a session or a process in one. Wants tmux 3.2 or newer.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from switchboard.errors import Invalid, NotFound
from switchboard.sessions.foreground import a_shell_waits
from switchboard.sessions.tmux_call import TmuxRefused, call, check_path, in_turn

PAUSE = "0.3"  # seconds from the paste to Enter: full-screen programs take a moment to show a paste
TARGET_HELP = "A pane is session:window.pane, such as work:0.1, or its id, such as %3."
GUIDANCE = "Answer on the ticket, or start or resume the work item."

_NAME = r"\w[\w +@/-]{0,79}"
_TARGET = re.compile(
    rf"(?P<id>%[0-9]{{1,9}})|(?P<session>{_NAME}):(?P<window>{_NAME})\.(?P<pane>[0-9]{{1,4}})"
)
_FIELDS = (
    "pane_id",
    "pane_index",
    "pane_dead",
    "pane_input_off",
    "pane_synchronized",
    "pane_in_mode",
    "pane_pid",
    "start_time",
    "pid",
    "pane_current_command",
)
_GONE = re.compile(
    r"can't find|no server running|no current|server exited|error connecting", re.IGNORECASE
)


class PaneGone(NotFound):
    """No agent runs in the pane: it is missing or dead, or a shell waits there for a command."""


@dataclass(frozen=True)
class Pane:
    """Where an agent's terminal is: the target in tmux's words, the server's socket (None: the usual one).

    Raises Invalid, naming the field, for a target that tmux could read as another one, and for a path that
    is no absolute one. Session and window are taken by their exact names.
    """

    target: str
    socket: str | None = None

    def __post_init__(self) -> None:
        if _TARGET.fullmatch(self.target) is None:
            raise Invalid(TARGET_HELP, field="target")
        if self.socket is not None:
            check_path(self.socket)


@dataclass(frozen=True)
class _State:
    """What tmux says about a pane that is there."""

    id: str
    dead: bool
    deaf: bool  # takes no input
    synchronized: bool
    scrolled: bool  # in copy mode or another, which would take the keys
    pid: int
    command: str
    identity: str  # of the pane and what was started in it: no other one ever has it


def identity(pane: Pane) -> str | None:
    """Which pane that is now, as no name and no id says for long; None where none is, or nobody can say.

    Names and numbers pass on to others when a pane is closed, ids when the server is started again.
    """
    try:
        state = _look(pane)
    except TmuxRefused:
        return None
    return state.identity if state else None


def alive(pane: Pane) -> bool:
    """Whether something runs in the pane that an answer could reach."""
    try:
        _reachable(pane)
    except (PaneGone, TmuxRefused):
        return False
    return True


def deliver(pane: Pane, framed: str, known_as: str | None = None) -> str | None:
    """Paste `framed` (cleaned, see `framing.frame`) in one piece, then press Enter once.

    `known_as` is the `identity` that the pane must still have, if it is known. None when it is delivered,
    else what tmux said: nothing was typed, or it was pasted and not sent, and it may be tried again. Raises
    PaneGone when nobody is there to read it.
    """
    try:
        state = _reachable(pane)
        if known_as not in (None, state.identity):
            raise PaneGone(
                f"The pane {pane.target} is another one than was registered, or was started anew. If the "
                f"agent is there, register it again. {GUIDANCE}"
            )
        if state.deaf:
            return "The pane takes no input (select-pane -d); switch it on and try again."
        if state.synchronized:
            return (
                "Its window types into all its panes (synchronize-panes); end that and try again."
            )
        _paste(pane, state, framed)
    except TmuxRefused as refused:
        return str(refused)
    return None


def _reachable(pane: Pane) -> _State:
    """The pane as it is. Raises PaneGone, TmuxRefused."""
    state = _look(pane)
    if state is None or state.dead:
        raise PaneGone(f"The pane {pane.target} is gone. {GUIDANCE}")
    if a_shell_waits(state.pid, state.command):
        raise PaneGone(
            f"The agent has left the pane {pane.target}, where a shell would run the answer. {GUIDANCE}"
        )
    return state


def _look(pane: Pane) -> _State | None:
    """What tmux says about the pane; None when there is none. Raises TmuxRefused."""
    found = _TARGET.fullmatch(pane.target)
    assert found is not None  # checked when the pane was named
    # `=` stops tmux from taking a longer name that begins alike, which may be another agent's
    window = found["id"] or f"={found['session']}:={found['window']}"
    shape = "|".join(f"#{{{name}}}" for name in _FIELDS)
    try:
        listed = call(pane.socket, ["list-panes", "-t", window, "-F", shape])
    except TmuxRefused as refused:
        if _GONE.search(str(refused)):
            return None
        raise
    for line in listed.splitlines():
        told = dict(zip(_FIELDS, line.split("|", len(_FIELDS) - 1), strict=False))
        if found["id"] == told["pane_id"] or found["pane"] == told["pane_index"]:
            return _state(told)
    return None


def _state(told: dict[str, str]) -> _State:
    return _State(
        id=told["pane_id"],
        dead=_is_set(told["pane_dead"]),
        deaf=_is_set(told["pane_input_off"]),
        synchronized=_is_set(told["pane_synchronized"]),
        scrolled=_is_set(told["pane_in_mode"]),
        pid=int(told["pane_pid"] or 0),
        command=told["pane_current_command"],
        identity=".".join(told[name] for name in ("start_time", "pid", "pane_id", "pane_pid")),
    )


def _is_set(flag: str) -> bool:
    return flag not in ("", "0")


def _paste(pane: Pane, state: _State, framed: str) -> None:
    """One call with the whole sequence: when a step fails, tmux leaves out the rest. Raises TmuxRefused.

    `-r` leaves newlines as they are, for a carriage return is what Enter sends; `-p` brackets the paste
    where the program has asked for that.
    """
    buffer = f"switchboard-{secrets.token_hex(8)}"
    leave = ["copy-mode", "-q", "-t", state.id, ";"] if state.scrolled else []
    steps = [
        *leave,
        *("load-buffer", "-b", buffer, "-", ";"),
        *("paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", state.id, ";"),
        *("run-shell", "-d", PAUSE, ";"),
        *("send-keys", "-t", state.id, "Enter"),
    ]
    try:
        with in_turn(pane.socket):
            call(pane.socket, steps, framed)
    except TmuxRefused:
        _drop(pane, buffer)
        raise


def _drop(pane: Pane, buffer: str) -> None:
    """The buffer of a paste that failed is nobody else's to read; mostly it is gone already."""
    try:
        call(pane.socket, ["delete-buffer", "-b", buffer])
    except TmuxRefused:
        return
