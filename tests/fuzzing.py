"""The API fuzzed against its contract by schemathesis: for a short test and for the long run.

Whatever is sent, no answer may be a 500, have a status the contract omits, or another form than it says.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.contract import document
from tests.world import World

CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance",
)  # fmt: skip
SETTINGS = {
    "ENDPOINT_RATE": "0:1", "REPLY_RATE": "0:1", "REPLIES_PER_TODO": "1000000", "REPLY_WAIT_SECONDS": "0",
    "DIAL_SECONDS": "1", "GITHUB_API_URL": "http://127.0.0.1:9", "SLACK_API_URL": "http://127.0.0.1:9",
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """How many requests were sent, what was wrong with their answers, and all that was printed."""

    requests: int
    findings: list[str]
    output: str


def furnish(world: World) -> Mapping[str, list[Any]]:
    """Something of everything, and its names: what a fuzzer would not guess, by the name of the input."""
    vended = world.vend("fuzzed", verbs=["all"])
    world.__dict__["endpoint"] = vended
    assert world.source and world.connection
    source, connection = world.source.source, world.connection
    done = [world.deliver(world.issue(number)).json for number in range(1, 13)]
    todos = [each["todos"][0]["id"] for each in done]
    claimed = [world.claim() for _ in todos[:6]]
    reply = world.reply(claimed[0]).json["reply_id"]
    world.agent("POST", f"/todos/{claimed[1]['id']}/complete", {"result": {"fixed": True}})
    world.deliver(world.issue(99), headers={"X-Hub-Signature-256": "sha256=00"})
    webhook = world.agent("POST", "/webhooks", {"kind": "github", "name": "mine"}).json["id"]
    thread = world.operator(
        "POST", "/threads", {"repo": "acme/rocket", "kind": "ticket", "title": "A ticket"}
    ).json
    item = "github:acme/rocket#1"
    session = world.agent("POST", "/sessions", {"ref": item}).json["id"]
    world.operator("POST", "/sessions/reply", {"ref": item, "text": "Left.", "comment": False})
    inbox = world.agent("GET", f"/sessions/inbox?ref={item.replace('#', '%23')}").json
    return {
        "todo_id": todos,
        "reply_id": [reply],
        "delivery_id": [each["delivery"] for each in done],
        "thread_id": [thread["id"]],
        "session_id": [session],
        "message_id": [each["id"] for each in inbox["messages"]],
        "path ref": [source["id"], connection["id"], webhook, "fuzzed", "octo"],
        "ref": [item, f"todo:{todos[0]}", thread["ref"]],
        "repo": ["acme/rocket"],
        "kind": ["github", "gitea", "slack", "cairn", "generic", "signed", "ticket", "forum", "landing"],
        "queue": ["default"],
        "state": ["active", "paused"],
        "account_key": ["github.com", "https://git.example.org"],
        "owner": [{"account": "ana"}, {"account": "me"}, {"team": "none"}],
        "verbs": [["drain"], ["all"], ["webhook"]],
        "to": [["fuzzed"], ["fuzzed:default"]],
        "letters": ["n", "ncfla"],
        "attempt": [None, 1],
        "about": [source["id"], connection["id"]],
        "type": ["api.request", "connection.added"],
        "mirror_of": ["https://github.com/acme/rocket/issues/7"],
        "url": ["https://agent.example.org/bell"],
        "rules": [[{"filter": ".action == \"opened\"", "to": "fuzzed"}]],
    }  # fmt: skip


def run(
    url: str, credential: str, scheme: str, known: Mapping[str, list[Any]], *arguments: str
) -> Verdict:
    """Fuzz what one kind of caller may call; `arguments` are schemathesis's."""
    with tempfile.TemporaryDirectory(prefix="sbf") as name:
        folder = Path(name)
        (folder / "contract.json").write_text(json.dumps(_contract(scheme, known)))
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", "contract.json", "--url", url),
            *("--checks", ",".join(CHECKS), "--suppress-health-check", "all"),
            *("--header", f"Authorization:Bearer {credential}", "--request-timeout", "30"),
            *("--report", "json", "--report-json-path", "report.json", "--no-color"),
            *("--warnings", "off", "--output-sanitize", "true", *arguments),
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        report = folder / "report.json"
        assert report.exists(), done.stdout + done.stderr
        return _judged(json.loads(report.read_text()), done.stdout)


def _judged(report: Mapping[str, Any], output: str) -> Verdict:
    assert report["complete"] and report["operations"]["errored"] == 0, output
    wrong = [*report["failures"], *report["errors"]]
    found = [json.dumps(each)[:2000] for each in wrong]
    return Verdict(report["test_cases"]["generated"], found, output)


def fuzz(url: str, world: World, *arguments: str) -> Verdict:
    """Both kinds of callers at once, on a world that is furnished for it."""
    known = furnish(world)
    callers = {"agent": world.endpoint.credential, "operator": world.operator_token}
    with ThreadPoolExecutor(len(callers)) as pool:
        running = [
            pool.submit(run, url, credential, scheme, known, *arguments)
            for scheme, credential in callers.items()
        ]
        done = [each.result() for each in running]
    return Verdict(
        sum(each.requests for each in done),
        [finding for each in done for finding in each.findings],
        "\n".join(each.output for each in done),
    )


def _contract(scheme: str, known: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The contract of one kind of caller, in which real names stand beside anything."""
    made = copy.deepcopy(document())
    for path, item in list(made["paths"].items()):
        for method, operation in list(item.items()):
            if any(scheme in way for way in operation["security"]):
                _name_real_things(operation, known)
            else:
                del item[method]
        if not item:
            del made["paths"][path]
    for name, parameter in made["components"]["parameters"].items():
        parameter["schema"] = _beside(
            parameter["schema"], known.get(f"path {name}" if name == "ref" else name)
        )
    return made


def _name_real_things(operation: dict[str, Any], known: Mapping[str, list[Any]]) -> None:
    for parameter in operation.get("parameters", []):
        if "schema" in parameter:
            parameter["schema"] = _beside(parameter["schema"], known.get(parameter["name"]))
        if parameter.get("name") == "wait":
            parameter["schema"] = {"type": "number", "minimum": 0, "maximum": 0.1}
    body = operation.get("requestBody")
    if body is not None:
        properties = body["content"]["application/json"]["schema"]["properties"]
        for name, schema in properties.items():
            properties[name] = _beside(schema, known.get(name))


def _beside(schema: dict[str, Any], values: Sequence[Any] | None) -> dict[str, Any]:
    return {"anyOf": [{"enum": list(values)}, schema]} if values else schema
