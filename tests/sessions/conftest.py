"""Fixtures of sessions."""

from __future__ import annotations

import pytest

from tests.sessions.desk import Desk
from tests.world import World


@pytest.fixture
def desk(world: World) -> Desk:
    """A world with an agent that may ask."""
    return Desk(world)
