"""Ends: one part that dies takes the box with it, and the box's own death takes every part."""

from __future__ import annotations

import signal

import pytest

from switchboard.models import Reply
from tests.box.boxes import RunningBox
from tests.box.people import settle
from tests.servers import wait_until
from tests.standins.github import GitHubStandIn


@pytest.mark.parametrize("part", ["valkey", "web", "worker", "cron"])
def test_a_killed_part_ends_the_box_with_a_message(part: str, quick: dict[str, str]) -> None:
    with RunningBox(quick) as box:
        pid = box.kill9(part)
        assert box.wait() == 1
        assert f"{part} (process {pid}) was ended by SIGKILL, so the box stops" in box.output
        assert box.left() == []


def test_killing_the_box_itself_leaves_nothing_and_the_next_start_works(
    quick: dict[str, str],
) -> None:
    with RunningBox(quick) as box:
        port = str(box.port)
        box.kill9("app")
        box.wait()
        assert box.left() == []
        with RunningBox(quick, ["--port", port]) as again:
            wait_until(lambda: again.call("GET", "/readyz").status == 200)
            assert again.stop(signal.SIGTERM) == 0


def test_a_killed_worker_or_web_process_is_replaced(quick: dict[str, str]) -> None:
    with RunningBox(quick) as box:
        killed = {box.kill9("worker", 1), box.kill9("web", 1)}
        # one that was killed is listed until it is gone
        wait_until(lambda: killed.isdisjoint(box.pids("worker") + box.pids("web")))
        wait_until(lambda: len(box.pids("worker")) == len(box.pids("web")) == 2)
        wait_until(lambda: box.call("GET", "/healthz").status == 200)
        assert box.process.poll() is None


def test_a_signal_during_the_start_ends_it_too(quick: dict[str, str]) -> None:
    with RunningBox(quick, wait=False) as box:
        box.wait_for("key was written")
        assert box.stop(signal.SIGTERM) == 0
        assert box.left() == []


def test_a_stop_lets_the_worker_finish_its_post(
    quick: dict[str, str], github: GitHubStandIn
) -> None:
    with RunningBox(quick) as box:
        ana = settle(box)
        github.delay_ms = 2000
        assert ana.deliver(1).status == 202
        made = ana.reply("the last words", wait=0)["reply_id"]
        github.wait_for_posts(1)
        assert box.stop(signal.SIGTERM) == 0
        with box.lib.db.read() as session:
            assert session.get(Reply, made).state == "sent"
