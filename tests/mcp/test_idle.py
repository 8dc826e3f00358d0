"""A box that no agent speaks MCP to pays nothing for it."""

from __future__ import annotations

import subprocess
import sys

from tests.servers import ROOT

LOADED = """
import sys
from switchboard import create_app
from switchboard.config import read_settings
create_app(read_settings({"SWITCHBOARD_DATA": sys.argv[1], "SWITCHBOARD_SECRET_KEY": "idle"}))
heavy = {"mcp", "mcp_types", "jsonschema", "pydantic", "starlette", "anyio"}
print(sorted(heavy & set(sys.modules)))
"""


def test_nothing_of_the_sdk_is_loaded_before_the_first_message(tmp_path: object) -> None:
    command = [sys.executable, "-c", LOADED, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
