"""A Slack none of us wrote: the Slack of the npm package `emulate`, run as a real process.

Installed and ended as `standins/emulator.py` does. It has one workspace (T000000001) with the channels
`general` and, seeded here, `rocket`; a message posted in it can be read back. It sends its signed events
only to subscribers that a program registers inside its process, so events come from our own senders.
"""

import contextlib
import json
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.standins import npm
from tests.standins.emulator import LOCAL, PACKAGE, VERSION, end, free_port, install

TEAM = "T000000001"
TOKEN = "xoxb-fixer"
SEED: dict[str, Any] = {
    "slack": {
        "channels": [{"name": "rocket"}],
        "oauth_apps": [
            {
                "client_id": "1.2",
                "client_secret": "not-used",
                "app_id": "A0FIXER01",
                "name": "fixer",
                "redirect_uris": ["http://127.0.0.1/"],
                "bot_id": "B0FIXER01",
                "bot_user_id": "U0FIXER01",
                "bot_name": "fixer",
            }
        ],
        "tokens": [
            {
                "token": TOKEN,
                "type": "bot",
                "user_id": "U0FIXER01",
                "bot_id": "B0FIXER01",
                "bot_user_id": "U0FIXER01",
            }
        ],
    }
}


@dataclass(frozen=True)
class SlackEmulator:
    """A running emulator; `url` is the base of its Web API."""

    url: str

    def call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """One Web API call with our token."""
        request = urllib.request.Request(f"{self.url}/{method}", json.dumps(arguments).encode())
        request.add_header("Content-Type", "application/json")
        request.add_header("Authorization", f"Bearer {TOKEN}")
        with LOCAL.open(request, timeout=10) as answer:
            return dict(json.loads(answer.read()))

    def channel(self, name: str = "rocket") -> str:
        """A channel's id, joined."""
        found = self.call("conversations.list", {})["channels"]
        [id] = [each["id"] for each in found if each["name"] == name]
        self.call("conversations.join", {"channel": id})
        return str(id)

    def thread(self, channel: str, ts: str) -> list[str]:
        """The texts of a thread, its beginning first."""
        found = self.call("conversations.replies", {"channel": channel, "ts": ts})
        return [message["text"] for message in found["messages"]]


@contextlib.contextmanager
def start() -> Iterator[SlackEmulator]:
    """Run it on 127.0.0.1. Raises `npm.Unavailable` without Node or npm."""
    entry, port = install(), free_port()
    running = SlackEmulator(f"http://127.0.0.1:{port}/api")
    with tempfile.TemporaryDirectory() as work, open(Path(work) / "log", "w+") as log:
        seed = Path(work) / "seed.json"
        seed.write_text(json.dumps(SEED))
        command = [
            str(npm.node()),
            str(entry),
            "start",
            "--service",
            "slack",
            "--host",
            "127.0.0.1",
        ]
        process = subprocess.Popen(
            [*command, "--port", str(port), "--seed", str(seed)],
            cwd=work,
            env={"HOME": work},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait(process, running, Path(work) / "log")
            yield running
        finally:
            end(process)


def _wait(process: subprocess.Popen[bytes], running: SlackEmulator, log: Path) -> None:
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            if running.call("auth.test", {}).get("ok"):
                return
        time.sleep(0.05)
    raise RuntimeError(f"{PACKAGE}@{VERSION} did not come up: {log.read_text()[-2000:]}")
