"""The API fuzzed against its contract for ten minutes: no 500, no status or answer it does not know."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks import servers
from benchmarks.table import Row
from switchboard import create_app
from switchboard.config import read_settings
from switchboard.lib import migrate
from switchboard.lib.plumbing import Plumbing
from tests import fuzzing
from tests.world import World

SECONDS = int(os.environ.get("BENCH_FUZZ_SECONDS", "600"))


def rows(valkey: str) -> list[Row]:
    """How many answers were wrong."""
    with tempfile.TemporaryDirectory(prefix="sbf") as folder:
        database = f"sqlite:///{folder}/fuzz.db"
        environ = servers.settings(Path(folder), database, valkey, **fuzzing.SETTINGS)
        settings = read_settings(environ)
        migrate.upgrade(Plumbing(settings).db)
        world = World(create_app(settings))
        with servers.gunicorn("wsgi:app", environ) as port:
            verdict = fuzzing.fuzz(f"http://127.0.0.1:{port}", world, "--max-time", str(SECONDS))
    if verdict.findings:
        print(*verdict.findings, verdict.output, sep="\n", file=sys.stderr)
    found = len(verdict.findings)
    of = f"{verdict.requests:,} calls in {SECONDS} s"
    return [Row("API answers that the contract omits, or 500", str(found), of, "0", found == 0)]
