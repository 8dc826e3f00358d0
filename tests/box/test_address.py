"""A box on another port: what the command line prints leads to it as long as it runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.box.boxes import RunningBox, environment
from tests.box.people import settle
from tests.servers import ROOT


def ingest_url(settings: dict[str, str]) -> str:
    """The source's address as another process prints it, which knows the data folder alone."""
    listed = subprocess.run(
        [sys.executable, "-m", "switchboard", "source", "list", "--json"],
        cwd=ROOT,
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    [source] = json.loads(listed.stdout)
    return source["ingest_url"]


def test_the_command_line_names_the_address_at_which_the_box_listens(
    quick: dict[str, str],
) -> None:
    left = Path(quick["SWITCHBOARD_DATA"]) / "address"
    with RunningBox(quick) as box:
        ana = settle(box)
        url = ingest_url(quick)
        assert url == box.url + ana.path
        assert box.call("POST", url.removeprefix(box.url), b"{}").status == 401
        set_by_hand = quick | {"SWITCHBOARD_BASE_URL": "https://sb.example.org"}
        assert ingest_url(set_by_hand) == "https://sb.example.org" + ana.path
        assert box.stop() == 0
        assert not left.exists()
        assert ingest_url(quick) == "http://127.0.0.1:8080" + ana.path


def test_a_box_that_was_killed_leaves_an_address_that_the_next_one_replaces(
    quick: dict[str, str],
) -> None:
    left = Path(quick["SWITCHBOARD_DATA"]) / "address"
    with RunningBox(quick) as box:
        box.kill9("app")
        box.wait()
        assert left.read_text() == f"{box.url}\n"
        with RunningBox(quick) as again:
            assert again.url != box.url
            assert left.read_text() == f"{again.url}\n"
