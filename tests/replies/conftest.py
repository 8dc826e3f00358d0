"""Fixtures of what holds for every place an answer can go to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.replies import places
from tests.replies.places import KINDS, Place


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """The test runs once at each kind of place."""
    with places.place(request.param) as made:
        yield made


@pytest.fixture
def environ(request: pytest.FixtureRequest, environ: dict[str, str]) -> dict[str, str]:
    """The box's environment; where the test's place is a Slack, that is its Slack."""
    if "place" not in request.fixturenames:
        return environ
    place: Place = request.getfixturevalue("place")
    slack = {"SWITCHBOARD_SLACK_API_URL": place.standin.url} if place.kind == "slack" else {}
    return environ | slack
