"""Running jq programs of strangers: in a child process, one at a time, each for a moment only.

Nothing of jq is loaded in this process, and no child is started before the first program is to run.
A program that brought the child down is not run again until a minute is over, and all programs of one
source may compute for a tenth of the time, and two seconds ahead: so slow rules hold up nobody for long.
All of an owner's sources together may have three times that. So one of them cannot switch off the
programs of another, and many of them cannot have the child for themselves.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.lib.jq_process import Ended, JqProcess
from switchboard.lib.text import one_line

PROGRAM_SECONDS = 0.25  # of computing
SECONDS_A_BYTE = 0.1 / 2**20  # more for reading a large input
ALL_SECONDS = 1.0  # for everything that is asked of one input
SHARE = 0.1  # of the time, for all programs of one source
AHEAD_SECONDS = 2.0  # of computing that a source may have at once
OWNER_TIMES = 3  # as much of both for all sources of one owner
REST_SECONDS = 60.0
MOST_KNOWN = 2_000
MAX_ERROR = 200

_RESTS = "it took too long a moment ago, so it is left out for a minute"
_SPENT = "the programs beside it computed for too long lately, so it is left out for some seconds"
_OWNER_SPENT = (
    "all the owner's programs computed for too long lately, so it is left out for some seconds"
)
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
        self._shares = _Shares()  # by whose programs
        self._owners_shares = _Shares(OWNER_TIMES)  # by their owner
        self._resting: dict[Hashable, float] = {}  # by whose, and the program: until when

    def check(self, whose: str, programs: Sequence[str]) -> tuple[int, str] | None:
        """The first of the programs that is none: its place, and why, as a clause; None: all are some."""
        deadline = time.monotonic() + ALL_SECONDS
        with self._lock:
            for place, program in enumerate(programs):
                if why := self._why_none(whose, program, deadline):
                    return place, why
        return None

    def _why_none(self, whose: str, program: str, deadline: float) -> str | None:
        started = time.monotonic()
        if why := self._why_spent(whose, whose, started):
            return why
        try:
            answer = self._child().ask(b"c", program, PROGRAM_SECONDS, deadline)
        except (Ended, OSError) as error:
            return self._over(error)
        finally:
            self._spend(whose, whose, time.monotonic() - started, started)
        return None if answer["error"] is None else one_line(answer["error"], MAX_ERROR)

    def ask(
        self,
        whose: str,
        programs: Sequence[str],
        given: Mapping[str, Any],
        *,
        owner: str | None = None,
    ) -> list[Verdict]:
        """Run the programs in turn until one matches; a verdict for each that was asked.

        `given` is `{event, title, subject, body}`: `body` is a program's input, the others its
        variables. A program matches when its first output is neither false nor null. `whose` they are
        decides what they share, and that others with the same words have no part in it; what the
        `owner` of several such shares has is bounded, too (None: that of this one alone).
        """
        text = json.dumps(given).encode()
        seconds = PROGRAM_SECONDS + SECONDS_A_BYTE * len(text)
        verdicts: list[Verdict] = []
        with self._lock:
            turn = _Turn(whose, owner or whose, text, seconds, time.monotonic() + ALL_SECONDS)
            for program in programs:
                verdicts.append(self._verdict(program, turn))
                if verdicts[-1].matched:
                    break
        return verdicts

    def _verdict(self, program: str, turn: _Turn) -> Verdict:
        started = time.monotonic()
        if why := self._why_not_now(program, turn, started):
            return Verdict(False, why)
        try:
            child = self._child()
            if turn.given_to is not child:
                child.give(turn.text, turn.deadline)
                turn.given_to = child
            answer = child.ask(b"p", program, turn.seconds, turn.deadline)
        except (Ended, OSError) as error:
            lost = time.monotonic() - started
            if isinstance(error, Ended) and error.by_program:
                self._rest((turn.whose, program), started)
                lost = min(lost, turn.seconds)  # the rest of it passed waiting for a turn
            self._spend(turn.whose, turn.owner, lost, started)
            return Verdict(False, self._over(error))
        self._spend(turn.whose, turn.owner, answer["seconds"], started)
        why = answer["error"]
        return Verdict(answer["matched"], why and one_line(why, MAX_ERROR))

    def _why_not_now(self, program: str, turn: _Turn, now: float) -> str | None:
        if now >= turn.deadline:
            return _NO_TIME
        if self._resting.get((turn.whose, program), 0.0) > now:
            return _RESTS
        return self._why_spent(turn.whose, turn.owner, now)

    def _why_spent(self, whose: str, owner: str, now: float) -> str | None:
        if self._shares.is_over(whose, now):
            return _SPENT
        return _OWNER_SPENT if self._owners_shares.is_over(owner, now) else None

    def _spend(self, whose: str, owner: str, seconds: float, now: float) -> None:
        self._shares.spend(whose, seconds, now)
        self._owners_shares.spend(owner, seconds, now)

    def _rest(self, key: Hashable, now: float) -> None:
        if len(self._resting) >= MOST_KNOWN:
            self._resting = {each: until for each, until in self._resting.items() if until > now}
        self._resting[key] = now + REST_SECONDS

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

    whose: str
    owner: str
    text: bytes
    seconds: float
    deadline: float
    given_to: JqProcess | None = None


class _Shares:
    """What each may still compute: SHARE seconds a second come back, up to AHEAD_SECONDS; `times` both."""

    def __init__(self, times: int = 1) -> None:
        self._times = times
        self._left: dict[str, tuple[float, float]] = {}

    def is_over(self, whose: str, now: float) -> bool:
        return self._of(whose, now) <= 0.0

    def spend(self, whose: str, seconds: float, now: float) -> None:
        if len(self._left) >= MOST_KNOWN:
            self._left = {
                each: kept for each, kept in self._left.items() if self.is_over(each, now)
            }
        self._left[whose] = (self._of(whose, now) - seconds, now)

    def _of(self, whose: str, now: float) -> float:
        most = AHEAD_SECONDS * self._times
        left, at = self._left.get(whose, (most, now))
        return min(most, left + (now - at) * SHARE * self._times)
