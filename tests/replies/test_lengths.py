"""A text over the provider's limit is refused before there is a row, its signature line counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from switchboard.access.principals import Machine
from switchboard.vault import connections
from tests.replies import places
from tests.replies.places import Place
from tests.world import World


@pytest.fixture
def place() -> Iterator[Place]:
    with places.place("slack") as made:
        yield made


def test_a_text_that_slack_would_cut_is_refused_and_burns_no_key(
    world: World, place: Place
) -> None:
    source, _ = place.source(world), place.connect(world)
    place.hear(world, source, place.asks(7))
    todo = world.claim()
    refused = world.reply(todo, "&" * 8_001, idempotency_key="one")
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_argument")
    assert refused.json["field"] == "text"
    taken = world.reply(todo, "&" * 8_000, idempotency_key="one")
    assert (taken.status_code, taken.json["duplicate"]) == (202, False)


def test_the_signature_line_counts(world: World, place: Place) -> None:
    source, _ = place.source(world), place.connect(world, signature="-- the fixer")
    place.hear(world, source, place.asks(7))
    todo = world.claim()
    refused = world.reply(todo, "&" * 8_000, idempotency_key="one")
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_argument")
    connections.edit(world.lib, Machine(), "answers", {"signature": None})
    taken = world.reply(todo, "&" * 8_000, idempotency_key="one")
    assert (taken.status_code, taken.json["duplicate"]) == (202, False)
    assert place.standin.requests == []
