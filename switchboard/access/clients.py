"""What is pasted into an agent's client so that it speaks to its endpoint, for the common ones."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from switchboard.config import CREDENTIAL, PREFIX, ROOT

ELSEWHERE = Path(
    "/path/to/switchboard"
)  # where nobody knows where the client's machine has this project


@dataclass(frozen=True)
class Paste:
    """Ready for one client: whose, where it goes, and the text, which holds the credential."""

    client: str
    where: str
    text: str = field(repr=False)


def pastes(endpoint: Mapping[str, Any], credential: str) -> list[Paste]:
    """The endpoint's MCP address and credential as each client wants them."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", endpoint["name"])  # what every client takes for a name
    url, bearer = endpoint["mcp_url"], f"Bearer {credential}"
    server = {"type": "http", "url": url, "headers": {"Authorization": bearer}}
    return [
        Paste(
            "Claude Code",
            "in a shell",
            f"claude mcp add --transport http {name} {shlex.quote(url)} "
            f'--header "Authorization: {bearer}"',
        ),
        Paste(
            "Cursor and others",
            ".cursor/mcp.json, or another's mcpServers",
            _json({"mcpServers": {name: server}}),
        ),
        Paste("VS Code", ".vscode/mcp.json", _json({"servers": {name: server}})),
        Paste(
            "Codex",
            "~/.codex/config.toml",
            f"[mcp_servers.{name}]\nurl = {json.dumps(url)}\n"
            f"http_headers = {{ Authorization = {json.dumps(bearer)} }}",
        ),
        Paste(
            "Claude Desktop",
            "claude_desktop_config.json; both paths lead to this project on that machine",
            _json({"mcpServers": {name: _bridge(url, credential)}}),
        ),
    ]


def _bridge(url: str, credential: str) -> dict[str, Any]:
    """For a client that starts programs and speaks no HTTP: the stdio bridge.

    Such a client starts it in a folder of its choice, so it finds this project by a variable.
    """
    python, project = ELSEWHERE / ".venv/bin/python", ELSEWHERE
    if urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1"):
        python, project = Path(sys.executable), ROOT
    return {
        "command": str(python),
        "args": ["-m", "switchboard", "mcp", "--url", url],
        "env": {"PYTHONPATH": str(project), f"{PREFIX}{CREDENTIAL}": credential},
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
