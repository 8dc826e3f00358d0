"""A box at which answers to mail arrive."""

from __future__ import annotations

import pytest

from tests.mail.post import DOMAIN, PostOffice
from tests.world import World


@pytest.fixture
def environ(environ: dict[str, str]) -> dict[str, str]:
    return {"SWITCHBOARD_INBOUND_DOMAIN": DOMAIN} | environ


@pytest.fixture
def post(world: World) -> PostOffice:
    return PostOffice(world)
