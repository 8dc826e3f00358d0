"""A source of every kind with its good bodies, for the hostile requests to be made from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.providers import source_kinds
from tests.inbound.hostile import Place
from tests.world import PAYLOADS, World

HOSTS = {
    "gitea": "https://git.example.org",
    "slack": "T0123ABCD",
    "cairn": "https://cairn.example.org",
}
EVENT = {"github": "X-GitHub-Event", "gitea": "X-Gitea-Event"}
ID = {
    "github": "X-GitHub-Delivery",
    "gitea": "X-Gitea-Delivery",
    "signed": "X-Switchboard-Delivery",
    "generic": "X-Delivery-Id",
}


def every_place(world: World) -> list[Place]:
    """One source a kind, with all letters, each with the bodies of `tests/payloads`."""
    assert world.endpoint
    places = []
    for name, kind in source_kinds(world.lib.settings).items():
        wanted: dict[str, Any] = {"letters": "nck", "host": HOSTS.get(name, "")}
        if kind.filed:
            wanted["repo"] = "acme/rocket"
        source = world.add_source(f"hostile-{name}", name, **wanted)
        places.append(Place(kind, source, list(_bodies(name))))
    return places


def _bodies(kind: str) -> Iterator[tuple[Mapping[str, str], Any]]:
    for path in sorted((PAYLOADS / kind).glob("*.json")):
        headers = {EVENT[kind]: path.name.split(".")[0]} if kind in EVENT else {}
        if kind in ID:
            headers[ID[kind]] = "to be replaced"
        yield headers, json.loads(path.read_text())
