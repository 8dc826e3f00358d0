"""Log lines: one a line, plain or JSON, without a secret in any.

Secrets never reach a log call on purpose; the filter is the second line of defence and covers what
libraries print (an access log, a traceback) as well.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

# Our own credentials have fixed prefixes; the token of an ingest URL follows /hooks/.
_SECRETS = re.compile(
    r"(sbk_|sbp_|whsec_|enc:v1:|gh[opusr]_|github_pat_|glpat-|xox[abpr]-)[A-Za-z0-9_\-+/=]{6,}"
    r"|(?<=/hooks/)[A-Za-z0-9_\-]{8,}|(?<=token=)[^\s&\"']+|(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"
)


def redact(text: str) -> str:
    """`text` with every recognisable secret replaced by its prefix and `***`."""
    return _SECRETS.sub(lambda found: (found.group(1) or "") + "***", text)


class PlainFormatter(logging.Formatter):
    """`time level logger message`, a traceback folded into the same line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one redacted line."""
        stamp = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = f"{stamp} {record.levelname.lower()} {record.name} {_message(self, record)}"
        return redact(line)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and `error` with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one redacted JSON line."""
        return json.dumps(
            {
                "time": datetime.fromtimestamp(record.created, UTC).isoformat(
                    timespec="milliseconds"
                ),
                "level": record.levelname.lower(),
                "logger": record.name,
                "message": redact(_message(self, record)),
            }
        )


def _message(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = record.getMessage()
    if record.exc_info:
        text += "\n" + formatter.formatException(record.exc_info)
    return text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")


def configure(log_format: str) -> None:
    """Send every logger of this process to stderr in `log_format` (`plain` or `json`)."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else PlainFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
