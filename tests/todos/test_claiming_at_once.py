"""Two processes drain one queue of 500 at once: each todo is claimed once, and nobody errs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from switchboard.lib import clock, ids
from switchboard.models import Todo
from tests.servers import ROOT
from tests.world import World

DRAIN = """
import json, sys
from switchboard.access import endpoints
from switchboard.config import read_settings
from switchboard.lib.plumbing import Plumbing
from switchboard.todos import leases
lib = Plumbing(read_settings())
agent = endpoints.recognise(lib, sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
claimed = []
while (todo := leases.claim_next(lib, agent)) is not None:
    claimed.append(todo["id"])
print(json.dumps(claimed))
"""


@pytest.mark.timeout(120)
def test_five_hundred_todos_are_each_claimed_once(world: World, environ: dict[str, str]) -> None:
    wanted = fill(world, 500)
    command = [sys.executable, "-c", DRAIN, world.endpoint.credential]
    drains = [
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environ}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    for drain in drains:
        assert drain.stdout is not None and drain.stdout.readline() == "ready\n"
    for drain in drains:
        assert drain.stdin is not None
        drain.stdin.write("go\n")
        drain.stdin.flush()
    outcomes = [drain.communicate(timeout=100) for drain in drains]
    assert [error for _, error in outcomes] == ["", ""]
    claimed = [json.loads(out) for out, _ in outcomes]
    assert Counter(claimed[0] + claimed[1]) == Counter(wanted)
    assert all(len(each) > 20 for each in claimed)


def fill(world: World, number: int) -> list[str]:
    new = [ids.new("todo") for _ in range(number)]
    endpoint, account = world.endpoint.endpoint["id"], world.account["id"]
    with world.lib.db.write() as session:
        session.add_all(
            Todo(
                id=id,
                endpoint_id=endpoint,
                owner_account_id=account,
                queue="default",
                state="pending",
                title="work",
                kind="test",
                created_at=clock.now(),
            )
            for id in new
        )
    return new
