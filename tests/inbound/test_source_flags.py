"""What a source is told must mean something for its kind: adding and changing refuse it alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.world import World

GITHUB = {"kind": "github", "name": "it"}
SIGNED = {"kind": "signed", "name": "it", "repo": "rocket"}


@pytest.mark.parametrize(
    ("source", "told", "field"),
    [
        (GITHUB, {"red_opens_todo": True}, "red_opens_todo"),
        (SIGNED, {"host": "https://example.org"}, "host"),
        (SIGNED, {"repos": ["acme/*"]}, "repos"),
    ],
)
def test_what_has_no_effect_is_refused(
    world: World, source: dict[str, Any], told: dict[str, Any], field: str
) -> None:
    added = world.operator("POST", "/sources", source | told)
    assert (added.status_code, added.json["field"]) == (422, field)
    assert world.operator("POST", "/sources", source).status_code == 201
    changed = world.operator("PATCH", "/sources/it", told)
    assert (changed.status_code, changed.json["field"]) == (422, field)


def test_what_says_no_more_than_what_holds_is_taken(world: World) -> None:
    assert world.operator("POST", "/sources", GITHUB | {"red_opens_todo": False}).status_code == 201
    assert world.operator("PATCH", "/sources/it", {"red_opens_todo": False}).status_code == 200
