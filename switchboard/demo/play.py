"""The story: GitHub delivers, a stranger forges, an agent answers. All over HTTP, as in earnest."""

from __future__ import annotations

import hmac
import json
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

ISSUE: dict[str, Any] = json.loads(Path(__file__).with_name("issue.json").read_text("utf-8"))
ANSWER = (
    "Found it: the loop starts at 3 and steps by two. A fix with a test is in the works; I will "
    "link it here."
)
TIMEOUT_SECONDS = 30.0
# The box is on this machine; a proxy of the environment has no business here.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def play(facts: Mapping[str, str], base_url: str) -> str:
    """Play it through and return the permalink of the agent's reply."""
    repository = ISSUE["repository"]
    _deliver(facts, "ping", "demo-1", {"hook_id": 1, "repository": repository}, expect=202)
    _deliver(facts, "issues", "demo-2", ISSUE, expect=202)
    _deliver(facts, "issues", "demo-2", ISSUE, expect=200)  # GitHub's "redeliver"
    forged = {**facts, "secret": "guessed by a stranger"}
    _deliver(forged, "issues", "demo-3", ISSUE, expect=401)
    reply = _answer_as_agent(facts["credential"], base_url)
    _deliver(facts, "issue_comment", "demo-4", _echo_of(reply), expect=202)
    _deliver(facts, "issues", "demo-5", {"action": "opened", "repository": repository}, expect=422)
    return str(reply["permalink"])


def _deliver(
    facts: Mapping[str, str], event: str, delivery: str, body: Any, *, expect: int
) -> None:
    raw = json.dumps(body).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/demo",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": "sha256="
        + hmac.digest(facts["secret"].encode(), raw, "sha256").hex(),
    }
    status, answer = _call(facts["ingest_url"], raw, headers)
    if status != expect:
        raise RuntimeError(f"{event} was answered {status} {answer.get('code')}, not {expect}")


def _answer_as_agent(credential: str, base_url: str) -> dict[str, Any]:
    def act(path: str, body: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
        url = f"{base_url}/api/v1/todos/{path}"
        status, answer = _call(url, json.dumps(body).encode(), headers)
        if status != 200:
            raise RuntimeError(f"{path} was answered {status} {answer.get('code')}")
        return answer

    todo = act("claim-next", {})
    reply = act(f"{todo['id']}/replies", {"text": ANSWER})
    if reply["state"] != "sent":
        raise RuntimeError(f"the reply is {reply['state']}: {reply['error_code']}")
    act(f"{todo['id']}/complete", {"result": {"reply": reply["reply_id"]}})
    return reply


def _echo_of(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The webhook that GitHub sends about the comment that our reply became."""
    comment = {
        "id": int(reply["permalink"].rpartition("-")[2]),
        "body": ANSWER,
        "html_url": reply["permalink"],
        "user": {"login": "acme-bot", "id": 42, "type": "Bot"},
    }
    return {**ISSUE, "action": "created", "comment": comment, "sender": comment["user"]}


def _call(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(url, body, dict(headers))  # noqa: S310 the box's own address
    try:
        with _open(request, timeout=TIMEOUT_SECONDS) as response:
            return response.status, json.loads(response.read() or b"{}")
    except HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")
