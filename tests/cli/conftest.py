"""A command line on the box under test, and one in a fresh folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from switchboard.cli.root import root

ROOT = Path(__file__).parents[2]


@dataclass
class CommandLine:
    """Runs commands in process; `said` keeps everything they printed."""

    environ: Mapping[str, str]
    said: list[str] = field(default_factory=list)

    def run(self, *args: str, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(
            root, args, input=stdin, env=dict(self.environ), prog_name="python -m switchboard"
        )
        self.said.append(result.stdout + result.stderr)
        return result

    def text(self, *args: str, stdin: str | bytes | None = None) -> str:
        """What a command that works prints."""
        result = self.run(*args, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    def json(self, *args: str, stdin: str | bytes | None = None) -> Any:
        """The JSON of a command that works."""
        return json.loads(self.text(*args, "--json", stdin=stdin))

    def error(self, *args: str, stdin: str | bytes | None = None) -> tuple[int, str]:
        """Exit code and sentence of a command that fails, which prints nothing else."""
        result = self.run(*args, stdin=stdin)
        assert (result.stdout, result.stderr.count("\n")) == ("", 1), result.stderr
        return result.exit_code, result.stderr.strip()


def process(environ: Mapping[str, str], *args: Any, **extra: Any) -> subprocess.Popen[bytes]:
    """`python -m switchboard …` as a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHBOARD")}
    command = [sys.executable, "-m", "switchboard", *args]
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _hear_ctrl_c}
    return subprocess.Popen(command, cwd=ROOT, env={**kept, **environ}, **(usual | extra))


def _hear_ctrl_c() -> None:
    """Whoever runs the tests in the background of a shell ignores it, and so would the child."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def cli(environ: dict[str, str]) -> CommandLine:
    return CommandLine(environ)


@pytest.fixture
def ana(cli: CommandLine) -> CommandLine:
    """A command line with an account `ana`, who has an endpoint `fixer`."""
    cli.json("account", "create", "ana", "--email", "ana@example.org")
    cli.json("endpoint", "vend", "fixer", "--owner", "ana", "--verbs", "drain,reply")
    return cli


@pytest.fixture
def fresh(tmp_path: Path) -> CommandLine:
    """A command line whose data folder is not there yet."""
    return CommandLine({"SWITCHBOARD_DATA": str(tmp_path / "instance")})
