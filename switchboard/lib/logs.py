"""Log lines: one a line, plain or JSON, without a secret in any.

Secrets never reach a log call on purpose; the redaction is the second line of defence and covers what
libraries print (a request line, a traceback, a warning) as well.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType

# Our own credentials have fixed prefixes, so have those of the providers; the token of an ingest URL
# follows /hooks/, a database or Redis password stands before an @.
_SECRETS = re.compile(
    r"(sbk_|sbp_|whsec_|enc:v1:|gh[opusr]_|github_pat_|glpat-|npm_|xox[abpr]-)[A-Za-z0-9_\-+/=]{6,}"
    r"|(?<=/hooks/)[A-Za-z0-9_\-%]{8,}"
    r"|(?<=token=)[^\s&\"']+"
    r"|(?<=password=)[^\s&\"']+"
    r"|(?<=[Bb]earer )[^\s\"']+"
    r"|(?<=://)[^\s/@:]*:[^\s@]+(?=@)"
)
# What says much about their work and nothing about ours.
_QUIET = ("rq", "alembic", "urllib3", "asyncio")


def redact(text: str) -> str:
    """`text` with every recognisable secret replaced by its prefix and `***`."""
    return _SECRETS.sub(lambda found: (found.group(1) or "") + "***", text)


def entry(log_format: str, level: str, logger: str, message: str, *, error: str = "") -> str:
    """One line as this product writes it, not redacted; `error` is a traceback or empty."""
    now = datetime.now(UTC)
    return _line(log_format, now, level, logger, message, error)


def _line(
    log_format: str, when: datetime, level: str, logger: str, message: str, error: str
) -> str:
    stamp = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if log_format == "json":
        fields = {"time": stamp, "level": level, "logger": logger, "message": message}
        return json.dumps(fields | ({"error": error} if error else {}))
    return f"{stamp} {level} {logger} {_visible(message + (chr(10) + error if error else ''))}"


def _visible(text: str) -> str:
    """`text` on one line: a line break or control character shows as its escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class LineFormatter(logging.Formatter):
    """`time level logger message`, or the same as a JSON object, a traceback in the same line."""

    def __init__(self, log_format: str) -> None:
        super().__init__()
        self.log_format = log_format

    def format(self, record: logging.LogRecord) -> str:
        """The record as one redacted line."""
        return _line(
            self.log_format,
            datetime.fromtimestamp(record.created, UTC),
            record.levelname.lower(),
            record.name,
            redact(record.getMessage()),
            redact(self.formatException(record.exc_info)) if record.exc_info else "",
        )


def configure(log_format: str) -> None:
    """Send every logger of this process to stderr in `log_format` (`plain` or `json`).

    Warnings and uncaught exceptions become log lines too.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(log_format))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    logging.getLogger("switchboard").critical("uncaught exception", exc_info=(kind, error, trace))


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback)
