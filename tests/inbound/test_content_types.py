"""Nobody signs the content type: it must not change what a signed body means."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

from tests.world import World, sign

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_json_that_hides_a_form_means_what_was_signed(world: World) -> None:
    hidden = "&payload=" + quote(json.dumps(world.issue(8, "Not what was signed")))
    body = world.issue(7, "What was signed") | {"sender": {"login": f"x{hidden}&y="}}
    raw = json.dumps(body).encode()
    answer = world.deliver(
        raw, headers=FORM | {"X-Hub-Signature-256": sign(world.source.secret or "", raw)}
    )
    assert answer.status_code == 202
    todo = world.claim()
    assert (todo["title"], todo["payload"]) == ("What was signed", body)


def test_a_form_called_json_is_refused(world: World) -> None:
    raw = urlencode({"payload": json.dumps(world.issue(7))}).encode()
    answer = world.deliver(raw, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_json")


def test_json_is_read_whatever_it_is_called(world: World) -> None:
    """As `curl -d` does, which calls everything a form."""
    for number, content_type in enumerate(("text/plain", "", "nonsense", FORM["Content-Type"]), 1):
        answer = world.deliver(world.issue(number), headers={"Content-Type": content_type})
        assert answer.status_code == 202
        assert world.claim()["payload"]["issue"]["number"] == number
