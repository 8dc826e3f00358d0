"""Running jq programs of strangers: in a child process, one at a time, each for a moment only.

Nothing of jq is loaded in this process, and no child is started before the first program is to run.
A program that brought the child down, or that used up a tenth of a minute within one, is not run again
until a minute is over: so a slow rule holds up nobody for long.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.lib.jq_process import Ended, JqProcess
from switchboard.lib.text import one_line

PROGRAM_SECONDS = 0.25  # of computing
SECONDS_A_BYTE = 0.1 / 2**20  # more for reading a large input
ALL_SECONDS = 3.0  # for everything that is asked of one input
SHARE_SECONDS = 6.0  # what one program may compute within
REST_SECONDS = 60.0
MOST_KNOWN = 2_000
MAX_ERROR = 200

_RESTS = "it took too long a moment ago, so it is left out for a minute"
_NO_TIME = "the programs before it left no time for it"


@dataclass(frozen=True)
class Verdict:
    """What a program said of an input; `error` is why it said nothing."""

    matched: bool
    error: str | None = None


class Jq:
    """The programs as one process runs them; threads take turns. Safe across a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: JqProcess | None = None
        self._shares = _Shares()

    def check(self, programs: Sequence[str]) -> list[str | None]:
        """For each program why it is none, as a clause; None: it is one."""
        deadline = time.monotonic() + ALL_SECONDS
        with self._lock:
            return [self._why_none(program, deadline) for program in programs]

    def _why_none(self, program: str, deadline: float) -> str | None:
        try:
            answer = self._child().ask(b"c", program, PROGRAM_SECONDS, deadline)
        except (Ended, OSError) as error:
            return self._over(error)
        return None if answer["error"] is None else one_line(answer["error"], MAX_ERROR)

    def ask(self, whose: str, programs: Sequence[str], given: Mapping[str, Any]) -> list[Verdict]:
        """Run the programs in turn until one matches; a verdict for each that was asked.

        `given` is `{event, title, subject, body}`: `body` is a program's input, the others its
        variables. A program matches when its first output is neither false nor null. `whose` are they:
        what one rests for, others with the same words do not.
        """
        text = json.dumps(given).encode()
        seconds = PROGRAM_SECONDS + SECONDS_A_BYTE * len(text)
        verdicts: list[Verdict] = []
        with self._lock:
            turn = _Turn(text, seconds, time.monotonic() + ALL_SECONDS)
            for program in programs:
                verdicts.append(self._verdict((whose, program), turn))
                if verdicts[-1].matched:
                    break
        return verdicts

    def _verdict(self, key: tuple[str, str], turn: _Turn) -> Verdict:
        now = time.monotonic()
        if now >= turn.deadline:
            return Verdict(False, _NO_TIME)
        if self._shares.rests(key, now):
            return Verdict(False, _RESTS)
        try:
            child = self._child()
            if turn.given_to is not child:
                child.give(turn.text, turn.deadline)
                turn.given_to = child
            answer = child.ask(b"p", key[1], turn.seconds, turn.deadline)
        except (Ended, OSError) as error:
            # what was not the program's doing costs it the time it took
            blamed = isinstance(error, Ended) and error.by_program
            lost = SHARE_SECONDS if blamed else time.monotonic() - now
            self._shares.spend(key, lost, now)
            return Verdict(False, self._over(error))
        self._shares.spend(key, answer["seconds"], now)
        error_text = answer["error"]
        return Verdict(answer["matched"], error_text and one_line(error_text, MAX_ERROR))

    def _child(self) -> JqProcess:
        """This process's child, started if there is none. Raises OSError when that cannot be."""
        if self._process is not None and not self._process.is_ours_and_alive:
            self.close()  # after a fork, or killed from outside
        if self._process is None:
            self._process = JqProcess()
        return self._process

    def _over(self, error: Exception) -> str:
        """The child is gone, or could not even be started; why, as a clause."""
        self._process = None
        if isinstance(error, OSError):
            return f"jq cannot be started here: {error.strerror}"
        return str(error)

    def close(self) -> None:
        """End the child, if there is one."""
        if self._process is not None:
            self._process.close()
            self._process = None


@dataclass
class _Turn:
    """One input, how long a program may compute on it, and until when all of them may (monotonic)."""

    text: bytes
    seconds: float
    deadline: float
    given_to: JqProcess | None = None


class _Shares:
    """How long each program computed in its minute, and so which of them rest until it is over."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str], tuple[float, float]] = {}

    def rests(self, key: tuple[str, str], now: float) -> bool:
        since, spent = self._spent.get(key, (now, 0.0))
        return spent >= SHARE_SECONDS and now - since < REST_SECONDS

    def spend(self, key: tuple[str, str], seconds: float, now: float) -> None:
        since, spent = self._spent.get(key, (now, 0.0))
        if now - since >= REST_SECONDS:
            since, spent = now, 0.0
        spent += seconds
        if len(self._spent) >= MOST_KNOWN:
            self._spent.clear()
        # whoever is over it rests for a whole minute from here
        self._spent[key] = (now if spent >= SHARE_SECONDS else since, spent)
