"""The child process in which jq programs run; `lib/jq_process.py` starts it, by its path.

A program comes from whoever configures a source and may be hostile. So before the first one is read,
what it could reach is taken away: the environment is empty, no file can be opened, memory is bounded;
and one that computes too long ends the whole child. jq itself knows no network and starts no process.

Asked on standard input: kind, seconds, length, then so many bytes. Kind `i` is the input of what follows,
without an answer; `c` compiles a program and `p` runs it, answered by a length and JSON
`{matched, error, seconds}`.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import struct
import sys
import time
from typing import Any

import jq

QUESTION = struct.Struct("!cdI")
ANSWER = struct.Struct("!I")
MEMORY_BYTES = 512 * 1024 * 1024
MOST_COMPILED = 256
MAX_ERROR = 300

# In parentheses, where jq takes neither `import` nor `include`; the newline ends a comment.
BEFORE = ". as {$event, $title, $subject} | .body | first((\n"
AFTER = "\n)) | if . then true else false end"
VARIABLES = {"event": None, "title": None, "subject": None}
_MODULES = re.compile(r"unexpected (import|include|module)\b")

_compiled: dict[str, Any] = {}


def main() -> None:
    """Answer until the other end closes."""
    _give_up_rights()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    given = ""
    while head := source.read(QUESTION.size):
        kind, seconds, length = QUESTION.unpack(head)
        text = source.read(length).decode()
        if kind == b"i":
            given = text
            continue
        answer = json.dumps(_in_time(seconds, kind, text, given)).encode()
        sink.write(ANSWER.pack(len(answer)) + answer)
        sink.flush()


def _give_up_rights() -> None:
    jq.compile(".").input_text("1").first()  # so that everything is loaded
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the box, which ends us in order
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))  # the three it has, and no other
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _in_time(seconds: float, kind: bytes, program: str, given: str) -> dict[str, Any]:
    """The answer; the signal of a timer that runs out ends this process, whatever jq is doing."""
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)  # seconds of computing, not of waiting for a turn
    try:
        found = _check(program) if kind == b"c" else _run(program, given)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {**found, "seconds": time.process_time() - started}


def _check(program: str) -> dict[str, Any]:
    wrapped = _complaint(BEFORE + program + AFTER, {})
    if wrapped and _MODULES.search(wrapped):
        return _answer(error=wrapped)  # to compile it alone would be to look for the file
    # Alone as well: it says better where, and `1) | (2` is a program only between our parentheses.
    return _answer(error=_complaint(program, VARIABLES) or wrapped)


def _complaint(program: str, variables: dict[str, Any]) -> str | None:
    """jq's first complaint of a program, None when it compiles."""
    try:
        jq.compile(program, args=variables)
    except ValueError as error:
        return (
            str(error)
            .partition("\n")[0]
            .removeprefix("jq: error: ")
            .replace(" at <top-level>,", " at")
        )
    return None


def _run(program: str, given: str) -> dict[str, Any]:
    try:
        return _answer(matched=_program(program).input_text(given).first())
    except StopIteration:  # no output at all
        return _answer()
    except ValueError as error:
        return _answer(error=str(error))


def _program(text: str) -> Any:
    found = _compiled.get(text)
    if found is None:
        if len(_compiled) >= MOST_COMPILED:
            _compiled.clear()
        found = _compiled[text] = jq.compile(BEFORE + text + AFTER)
    return found


def _answer(*, matched: bool = False, error: str | None = None) -> dict[str, Any]:
    return {"matched": matched, "error": error and error.rstrip(":")[:MAX_ERROR]}


if __name__ == "__main__":
    main()
