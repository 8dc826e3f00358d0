"""What is pasted into an agent's client so that it speaks to its endpoint, for the common ones."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
    ]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
