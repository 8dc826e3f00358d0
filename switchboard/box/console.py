"""What the box prints: its own words, and its children's lines made fit for the chosen format."""

from __future__ import annotations

import json
import os
import re
import sys

from switchboard.lib import logs

_OWN_LINE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ ")


class Console:
    """Writes to stdout in `log_format` (`plain` or `json`), a line at a time."""

    def __init__(self, log_format: str) -> None:
        self.log_format = log_format

    def relay(self, name: str, raw: bytes) -> None:
        """A line a child printed: as it is when it is a log line, else made one of that child's.

        What reaches us unformatted (an interpreter's last words, Valkey's) is not known to be free
        of secrets, so everything is redacted here once more.
        """
        line = logs.redact(raw.decode("utf-8", "replace").rstrip())
        if not line:
            return
        known = _is_object(line) if self.log_format == "json" else _OWN_LINE.match(line)
        _write(line if known else logs.entry(self.log_format, "info", name, line))

    def event(self, level: str, message: str) -> None:
        """A log line of the box itself."""
        _write(logs.entry(self.log_format, level, "switchboard.box", logs.redact(message)))

    def say(self, *lines: str) -> None:
        """Words for whoever starts the box, a setup link among them: shown as they are."""
        for line in lines:
            if self.log_format == "plain":
                _write(line)
            elif line:
                _write(logs.entry("json", "info", "switchboard.box", " ".join(line.split())))


def _is_object(line: str) -> bool:
    try:
        return line.startswith("{") and isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _write(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # Whoever read our lines has gone; the box serves on without them.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 till the end
