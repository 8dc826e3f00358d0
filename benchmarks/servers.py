"""Real servers to measure, each in a folder of its own: gunicorn, a worker pool, databases, Valkey."""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from switchboard.config import ROOT

THREADS, PROCESSES = 4, 2


def free_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def settings(folder: Path, database: str, valkey: str, **more: str) -> dict[str, str]:
    """The environment of a box under measurement."""
    values = {
        "DATA": str(folder),
        "DATABASE_URL": database,
        "REDIS_URL": valkey,
        "SECRET_KEY": "benchmarks",
        "ENCRYPTION_KEY": base64.b64encode(b"b" * 32).decode(),
        **more,
    }
    return {f"SWITCHBOARD_{name}": value for name, value in values.items()}


@contextmanager
def process(arguments: list[str], environ: Mapping[str, str], log: Path) -> Iterator[int]:
    """A process group with this environment; yields the leader's pid and ends the group after."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SWITCHBOARD_")}
    with log.open("wb") as output:
        child = subprocess.Popen(
            arguments,
            cwd=ROOT,
            env={**kept, **environ},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield child.pid
        finally:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


@contextmanager
def gunicorn(
    application: str,
    environ: Mapping[str, str],
    processes: int = PROCESSES,
    worker: str = "gthread",
) -> Iterator[int]:
    """gthread workers as the box runs them, or others; yields the port."""
    port = free_port()
    arguments = [
        *(sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}"),
        *("--worker-class", worker, "--workers", str(processes), "--threads", str(THREADS)),
        *("--no-control-socket", "--preload", "--log-level", "warning", "--keep-alive", "30"),
    ]
    log = Path(tempfile.mkdtemp(prefix="sbb")) / "gunicorn.log"
    with process(arguments, environ, log):
        wait_for_port(port, log)
        yield port


def wait_for_port(port: int, log: Path) -> None:
    """Until somebody listens. Raises RuntimeError with the log after 20 s."""
    for _ in range(400):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(log.read_text()[-2000:])
