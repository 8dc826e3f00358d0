"""An instance somebody has lived in for a while: every state that a page can show stands in it."""

from __future__ import annotations

from switchboard.access import endpoints
from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.replies import dial
from switchboard.vault import connections
from tests.standins.github import GitHubStandIn
from tests.world import World, payload

LONG = "The build is red since the merge of a branch whose name nobody reads to its end " * 3
TITLES = (
    "Login fails when the name has a trailing space",
    "Пароль не сохраняется после обновления",
    '<script>alert(1)</script> & "quotes" in a title',
    LONG,
)
ANSWERS = ("created", "locked_422", "server_error")


def furnish(world: World, github: GitHubStandIn) -> None:
    """Fill the instance."""
    assert world.source and world.connection
    _configure(world)
    _arrive(world)
    _work(world, github)
    connections.test(world.lib, Machine(), world.connection["id"])


def _configure(world: World) -> None:
    world.vend("reviewer", queues=["reviews", "default"], verbs=["drain"], expires_in=86_400)
    over = world.vend("old-agent")
    endpoints.revoke(world.lib, Machine(), over.endpoint["id"])
    paused = world.add_source("website", to=["reviewer:reviews"], repos=["acme/website"])
    source_changes.set_state(world.lib, Machine(), paused.source["id"], "paused")
    world.deliver(world.issue(5), source=paused)


def _arrive(world: World) -> None:
    for number, title in enumerate(TITLES):
        world.deliver(world.issue(number + 1, title), id=f"issue-{number}")
    world.deliver(world.issue(1, TITLES[0]), id="issue-0")
    world.deliver(world.issue(9), id="issue-0")
    world.deliver(payload("github/ping"), "ping")
    world.deliver(world.issue(20), "star")
    world.deliver(b"{not json")
    world.deliver(b"")
    world.deliver({"zen": "x"}, headers={"X-GitHub-Delivery": None})
    for number in range(4):
        world.deliver(world.issue(number), headers={"X-Hub-Signature-256": "sha256=00"})
    for _ in range(70):
        world.client.post("/hooks/nobody", data=b"{}")
    for number in range(3):
        world.deliver(world.issue(30 + number, f"Flaky test {number}"))


def _work(world: World, github: GitHubStandIn) -> None:
    for answer in ANSWERS:
        todo = world.claim()
        github.program([answer])
        reply = world.reply(todo, "I found it; the fix is in #12.").json
        dial.dial(world.lib, reply["reply_id"])
        world.agent("POST", f"/todos/{todo['id']}/complete", {"result": {"tests": "green"}})
    todo = world.claim()
    for _ in range(world.lib.settings["MAX_ATTEMPTS"]):
        world.agent("POST", f"/todos/{todo['id']}/fail", {"result": {"error": "no idea"}})
        world.agent("POST", f"/todos/{todo['id']}/claim")
    world.claim()
