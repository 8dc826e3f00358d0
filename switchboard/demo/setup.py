"""What `app.py --demo` changes of the box it starts."""

from __future__ import annotations

import sys
from pathlib import Path

from switchboard.box.listening import listen
from switchboard.box.run import Extra
from switchboard.config import PREFIX, read_settings
from switchboard.demo import folder

# Whatever would tie the demo to the instance in earnest.
_NOT_OURS = (
    *("DATABASE_URL", "REDIS_URL", "BASE_URL", "SECRET_KEY", "ENCRYPTION_KEY"),
    *("ENCRYPTION_KEY_OLD", "SECRET_KEY_FILE", "ENCRYPTION_KEY_FILE", "ENCRYPTION_KEY_OLD_FILE"),
)


def extra(environ: dict[str, str]) -> Extra:
    """Point `environ` at the demo's own folder and GitHub; returns what the box runs besides."""
    for name in _NOT_OURS:
        environ.pop(PREFIX + name, None)
    github = listen("127.0.0.1", 0)
    ours = {
        "DATA": str(read_settings(environ).data / "demo"),
        "GITHUB_API_URL": f"http://127.0.0.1:{github.getsockname()[1]}",
        "ALLOW_HTTP": "1",
        "ALLOW_CIDRS": "127.0.0.1/32",
    }
    environ.update({PREFIX + name: value for name, value in ours.items()})
    return Extra(
        before=folder.empty,
        prepare=[sys.executable, "-m", "switchboard.demo.seed"],
        words=_words,
        name="demo",
        command=[sys.executable, "-m", "switchboard.demo", str(github.fileno())],
        sockets=[github],
    )


def _words(data: Path) -> list[str]:
    facts = folder.read(data)
    return [f"Sign in        {facts['account']} with the password {facts['password']}"]
