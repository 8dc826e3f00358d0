"""Settings of boxes under test: quick sweeps, a stand-in GitHub, a data folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

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


@pytest.fixture
def quick(tmp_path: Path, github: GitHubStandIn) -> dict[str, str]:
    """`quick_settings` with a data folder and a GitHub of the test's own."""
    return quick_settings(tmp_path / "instance", github)
