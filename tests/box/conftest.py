"""Settings of boxes under test: quick sweeps, a stand-in GitHub, a data folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ENCRYPTION_KEY
from tests.standins.github import GitHubStandIn


def quick_settings(data: Path, github: GitHubStandIn) -> dict[str, str]:
    """The environment of a small box whose sweeps run every second."""
    values = {
        "DATA": str(data),
        "GITHUB_API_URL": github.url,
        "ALLOW_HTTP": "1",
        "ALLOW_CIDRS": "127.0.0.1/32",
        "SWEEP_SECONDS": "1",
        "REQUEUE_AFTER_SECONDS": "1",
        "DIAL_SECONDS": "5",
        "UNKNOWN_AFTER_SECONDS": "5",
        "WORKERS": "1",
        "WEB_PROCESSES": "1",
    }
    return {f"SWITCHBOARD_{name}": value for name, value in values.items()}


def busy_settings(data: Path, github: GitHubStandIn) -> dict[str, str]:
    """`quick_settings` for a box under load: no limit on replies, and callers hardly wait."""
    return quick_settings(data, github) | {
        "SWITCHBOARD_REPLY_RATE": "0:1",
        "SWITCHBOARD_REPLY_WAIT_SECONDS": "0.2",
    }


def shared_settings(
    folder: Path, github: GitHubStandIn, url: str, valkey: str
) -> list[dict[str, str]]:
    """The settings of two busy boxes that share all but their data folders."""
    common = {
        "SWITCHBOARD_DATABASE_URL": url,
        "SWITCHBOARD_REDIS_URL": valkey,
        "SWITCHBOARD_SECRET_KEY": "tests",
        "SWITCHBOARD_ENCRYPTION_KEY": ENCRYPTION_KEY,
    }
    return [busy_settings(folder / name, github) | common for name in ("left", "right")]


@pytest.fixture
def quick(tmp_path: Path, github: GitHubStandIn) -> dict[str, str]:
    """`quick_settings` with a data folder and a GitHub of the test's own."""
    return quick_settings(tmp_path / "instance", github)
