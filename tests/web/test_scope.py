"""Whose things are whose: what ana has is, for bob, not there."""

from __future__ import annotations

import pytest

from switchboard.access import accounts
from tests.web.conftest import Human
from tests.world import World


@pytest.fixture
def things(world: World) -> dict[str, str]:
    todo = world.claimed()
    return {
        "delivery": world.log()[0]["id"],
        "todo": todo["id"],
        "source": world.source.source["id"],
        "connection": world.connection["id"],
        "endpoint": world.endpoint.endpoint["id"],
    }


@pytest.mark.parametrize(
    "path",
    [
        "/deliveries/{delivery}",
        "/deliveries/{delivery}/inside",
        "/deliveries/{delivery}/curl",
        "/todos/{todo}",
        "/settings/sources/{source}",
    ],
)
def test_another_accounts_thing_is_not_there(
    ana: Human, bob: Human, things: dict[str, str], path: str
) -> None:
    assert ana.get(path.format(**things)).status_code == 200
    assert bob.get(path.format(**things)).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/todos/{todo}/retry",
        "/settings/sources/{source}/pause",
        "/settings/sources/{source}/revoke",
        "/settings/sources/{source}/secret",
        "/settings/sources/{source}/grants",
        "/settings/connections/{connection}/edit",
        "/settings/connections/{connection}/secret",
        "/settings/connections/{connection}/test",
        "/settings/connections/{connection}/delete",
        "/settings/endpoints/{endpoint}/revoke",
        "/settings/endpoints/{endpoint}/hook",
        "/settings/endpoints/{endpoint}/hook/rotate",
        "/settings/endpoints/{endpoint}/hook/test",
        "/settings/endpoints/{endpoint}/hook/remove",
    ],
)
def test_another_accounts_thing_cannot_be_changed(
    bob: Human, things: dict[str, str], path: str
) -> None:
    response = bob.send(path.format(**things), seen_at="/", secret="a-secret-of-bob")
    assert response.status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/deliveries",
        "/todos",
        "/settings/connections",
        "/settings/sources",
        "/settings/endpoints",
    ],
)
def test_a_list_shows_nothing_of_another_account(
    bob: Human, things: dict[str, str], path: str
) -> None:
    page = bob.read(path)
    assert not [thing for thing in things.values() if thing in page]
    assert "octo" not in page


def test_a_member_of_a_team_sees_but_cannot_change(world: World, bob: Human) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "bob", "member")
    connection = world.connect("core-bot", owner="core", account_key="https://git.example.org")
    assert "core-bot" in bob.read("/settings/connections")
    response = bob.send(f"/settings/connections/{connection['id']}/delete", seen_at="/")
    assert response.status_code == 403


def test_a_member_of_a_team_is_not_shown_a_sources_address(world: World, bob: Human) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "bob", "member")
    source = world.add_source("shared", owner="core").source
    page = bob.read(f"/settings/sources/{source['id']}")
    assert "shared" in page and "/hooks/" not in page
    assert "Rotate the secret" not in page
