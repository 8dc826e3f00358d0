"""docs/hooks.md tells receivers the truth: its lines verify a real call, and its body is one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notify.bells import ring_due, said, set_hook
from tests.standins.receiver import Receiver
from tests.world import World

TEXT = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return found[1]


def test_its_lines_verify_a_call_and_refuse_a_forged_one(world: World, receiver: Receiver) -> None:
    names: dict[str, Any] = {}
    exec(block("python"), names)
    secret = set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    [call] = receiver.calls
    assert names["verify"](secret, call.headers, call.body) == said(call)
    late = {**call.headers, "webhook-timestamp": "1"}
    for headers, body in ((call.headers, call.body + b" "), (late, call.body)):
        with pytest.raises(ValueError, match="not signed"):
            names["verify"](secret, headers, body)


def test_its_body_has_the_fields_of_a_real_one(world: World, receiver: Receiver) -> None:
    shown = json.loads(block("json"))
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    real = said(receiver.calls[0])
    assert list(shown) == list(real) and list(shown["data"]) == list(real["data"])
