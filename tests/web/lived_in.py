"""An instance somebody has lived in for a while: every state that a page can show stands in it."""

from __future__ import annotations

from switchboard.access import endpoints
from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.notify import hooks
from switchboard.replies import dial
from switchboard.vault import testing
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
    _talk(world)
    _ask(world)
    testing.test(world.lib, Machine(), world.connection["id"])


def _configure(world: World) -> None:
    world.vend("reviewer", queues=["reviews", "default"], verbs=["drain"], expires_in=86_400)
    hooks.put(world.lib, Machine(), "reviewer", "https://agent.example.org/bell")
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


def _talk(world: World) -> None:
    """Threads of every kind and state, comments by everybody, verdicts."""
    source = world.add_source("ci", "signed", repo="acme/rocket", letters="nck", to=["reviewer"])
    commit = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
    checks = {"tests": "failure", "lint": "success", "docs": "running", "deploy": "cancelled"}
    bodies = [
        {"kind": "ticket", "title": TITLES[2], "body": LONG * 4, "labels": ["flaky", "nightly"]},
        {"kind": "comment", "ticket": 1, "body": "Again tonight.\n\n  FAILED test_start\n" + "x" * 300},
        {"kind": "ticket", "title": "Nobody has seen this one", "body": ""},
        *({"kind": "checks", "commit": commit, "name": name, "state": state,
           "url": "https://ci.example.org/7", "summary": LONG} for name, state in checks.items()),
        {"kind": "checks", "commit": "abcdef0", "name": LONG[:100], "state": "success"},
    ]  # fmt: skip
    for number, body in enumerate(bodies):
        answer = world.signed(source, body, {"X-Switchboard-Delivery": f"ci-{number}"})
        assert answer.status_code == 202, answer.json
    for kind, mirror in (("forum", None), ("landing", None), ("forum", "https://example.org/9")):
        new = {"repo": "acme/moon", "kind": kind, "title": LONG, "mirror_of": mirror}
        assert world.operator("POST", "/threads", new).status_code == 201
    first = world.operator("GET", "/threads?ref=acme/rocket%231").json["threads"][0]
    path = f"/threads/{first['id']}"
    for act, body in (("adopt", None), ("comments", {"body": "<b>Mine</b> now."}), ("close", None)):
        assert world.operator("POST", f"{path}/{act}", body).status_code in (200, 201)
    claimed = world.operator("GET", "/todos?state=claimed").json["todos"][0]
    said = world.operator("POST", f"/todos/{claimed['id']}/comments", {"body": LONG})
    assert said.status_code == 201


def _ask(world: World) -> None:
    """A question that waits, with what a person said meanwhile, and one that was answered and read."""
    agent = world.vend("asker", verbs=["drain", "reply", "session"], queues=["questions"])
    source = world.add_source("questions", to=["asker:questions"])
    for number in (41, 42):
        world.deliver(world.issue(number, f"Question {number}"), source=source)
    for ref in ("github:acme/rocket#41", "github:acme/rocket#42"):
        world.claim(by=agent)
        assert world.agent("POST", "/sessions", {"ref": ref}, by=agent).status_code == 201
        asked = {"ref": ref, "question": f"{LONG}\n\n1. left\n2. <b>right</b>"}
        assert world.agent("POST", "/sessions/ask", asked, by=agent).status_code == 200
    said = payload("github/issue_comment.created")
    said["issue"]["number"] = 41
    world.deliver(said, "issue_comment", source=source)
    answer = {"ref": "github:acme/rocket#42", "text": "Left, then\nright.", "comment": False}
    assert world.operator("POST", "/sessions/reply", answer).status_code == 200
    inbox = world.agent("GET", "/sessions/inbox?ref=github:acme/rocket%2342", by=agent).json
    world.agent("POST", f"/sessions/inbox/{inbox['messages'][0]['id']}/read", by=agent)
