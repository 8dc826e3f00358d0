"""Many clients on one endpoint, one of them killed: each todo is worked once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import anyio
import pytest

from switchboard.lib import clock
from switchboard.models import Todo
from switchboard.todos.leases import reap
from tests.mcp.clients import connected, url_of, use
from tests.servers import ROOT, serve
from tests.todos.test_claiming_at_once import fill
from tests.world import World

CLIENTS = 8
KILLED = """
import asyncio, sys
from tests.mcp.clients import connected, use
async def main():
    async with connected(sys.argv[1], sys.argv[2]) as client:
        print((await use(client, "claim_next"))["id"], flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.timeout(180)
@pytest.mark.setting(ENDPOINT_RATE="0:1")
def test_eight_clients_drain_one_queue_and_work_each_todo_once(
    world: World, environ: dict[str, str]
) -> None:
    wanted = fill(world, 200)
    with serve(environ) as server:
        worked = anyio.run(drain_all, url_of(server, world.endpoint), world.endpoint.credential)
    assert Counter(id for mine in worked for id in mine) == Counter(wanted)
    assert all(worked)  # each had its share
    with world.lib.db.read() as session:
        assert {todo.state for todo in session.query(Todo)} == {"done"}


async def drain_all(url: str, credential: str) -> list[list[str]]:
    """Eight clients at once, half in each era; the ids that each worked."""
    worked: list[list[str]] = [[] for _ in range(CLIENTS)]
    async with anyio.create_task_group() as group:
        for number, mine in enumerate(worked):
            group.start_soon(drain, url, credential, ("legacy", "auto")[number % 2], mine)
    return worked


async def drain(url: str, credential: str, era: str, worked: list[str]) -> None:
    async with connected(url, credential, era) as client:
        while (todo := await use(client, "claim_next"))["id"] is not None:
            claim = {"todo_id": todo["id"], "attempt": todo["attempt"]}
            assert (await use(client, "complete", **claim))["state"] == "done"
            worked.append(todo["id"])


@pytest.mark.timeout(120)
def test_a_client_killed_at_work_loses_only_its_lease(
    world: World, environ: dict[str, str]
) -> None:
    first, second = fill(world, 2)
    with serve(environ) as server:
        url = url_of(server, world.endpoint)
        command = [sys.executable, "-c", KILLED, url, world.endpoint.credential]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline().strip() == first
            child.kill()
        worked: list[str] = []
        anyio.run(drain, url, world.endpoint.credential, "auto", worked)
        assert worked == [second]
        with world.lib.db.write() as session:  # time passes: the lease of the killed runs out
            held = session.get(Todo, first)
            assert held is not None and (held.state, held.attempt) == ("claimed", 1)
            held.lease_expires_at = clock.ago(1)
        assert reap(world.lib) == 1
        with world.lib.db.write() as session:
            back = session.get(Todo, first)
            assert back is not None and back.failures == 1
            back.not_before = clock.ago(1)
        anyio.run(drain, url, world.endpoint.credential, "auto", worked)
    assert worked == [second, first]
