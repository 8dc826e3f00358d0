"""Gunicorn's settings: `gunicorn -c python:switchboard.box.gunicorn wsgi:app`.

The box starts it so, and a larger site may. The ingest token stands in the path, so there is no access
log; what gunicorn itself has to say goes through our redacting formatter.
https://docs.gunicorn.org/en/stable/settings.html
"""

from __future__ import annotations

import os
from typing import Any

from gunicorn.glogging import Logger

from switchboard.box.forking import share
from switchboard.box.lifeline import die_with_parent
from switchboard.config import read_settings
from switchboard.lib import logs

_settings = read_settings()
logs.configure(_settings["LOG_FORMAT"])

_host = f"[{_settings['HOST']}]" if ":" in _settings["HOST"] else _settings["HOST"]
bind = f"{_host}:{_settings['PORT']}"
worker_class = "switchboard.box.reader.Worker"
workers = _settings["WEB_PROCESSES"]
threads = _settings["WEB_THREADS"]
preload_app = True  # the processes share what was imported before the fork
control_socket_disable = True

keepalive = (
    75  # seconds; longer than the usual proxy keeps an idle connection, so it never races us
)
timeout = 30  # seconds without a sign of life from a process, not the length of a request
graceful_timeout = 5
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190
forwarded_allow_ips = ""  # PROXY_HOPS says whom to believe
# The sign of life is a file's time; on a disk, a write could stall it.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108

accesslog = None
loglevel = "warning"


class OurLogger(Logger):  # type: ignore[misc]
    """Gunicorn's loggers without handlers of their own."""

    def setup(self, cfg: Any) -> None:
        """Let the root logger's formatter have every record."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True


logger_class = OurLogger


def when_ready(server: Any) -> None:
    """Load what requests would load late."""
    share(server.app.wsgi().extensions["switchboard"], ["rq"])


def post_fork(server: Any, _worker: Any) -> None:
    """A killed master takes its processes along, so that the port is free at once."""
    die_with_parent(server.pid)
