"""The notify hook on the endpoints' page: folded away, its secret in one answer, its health a word."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from switchboard.access import accounts
from tests.notify.bells import health, ring_due, verifies
from tests.standins.receiver import Receiver
from tests.web.conftest import Human
from tests.world import World

PAGE = "/settings/endpoints"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


@pytest.fixture
def hook(world: World) -> str:
    assert world.source
    return f"{PAGE}/{world.endpoint.endpoint['id']}/hook"


def set_by_form(human: Human, world: World, hook: str, url: str) -> tuple[int, str]:
    field = f"{world.endpoint.endpoint['id']}-url"
    answer = human.send(hook, seen_at=PAGE, **{field: url})
    return answer.status_code, answer.text


def secret_on(page: str) -> str:
    found = re.findall(r"whsec_[A-Za-z0-9+/=]+", page)
    assert len(found) == 1
    return found[0]


def test_a_hook_is_set_tested_rotated_and_removed(
    ana: Human, world: World, hook: str, receiver: Receiver
) -> None:
    assert "Notify hook" in ana.read(PAGE)
    status, page = set_by_form(ana, world, hook, receiver.url)
    assert status == 201
    first = secret_on(page)
    page = ana.read(PAGE)
    assert "Notify hook: untested" in page and receiver.url in page and "whsec_" not in page
    assert ana.send(f"{hook}/test", seen_at=PAGE).status_code == 302
    assert "Notify hook: works" in ana.read(PAGE)
    rotated = ana.send(f"{hook}/rotate", seen_at=PAGE)
    assert rotated.status_code == 200
    second = secret_on(rotated.text)
    world.deliver(world.issue(1))
    ring_due(world)
    assert verifies(receiver.calls[-1], first) and verifies(receiver.calls[-1], second)
    receiver.program([500])
    ana.send(f"{hook}/test", seen_at=PAGE)
    page = ana.read(PAGE)
    assert "Notify hook: fails" in page and "server 500" in page
    ana.send(f"{hook}/remove", seen_at=PAGE)
    page = ana.read(PAGE)
    assert receiver.url not in page and "Set the hook" in page


def test_a_wrong_address_stands_beside_its_field(ana: Human, world: World, hook: str) -> None:
    for wrong in ("no address", ""):
        status, page = set_by_form(ana, world, hook, wrong)
        assert status == 422
        assert f'id="{world.endpoint.endpoint["id"]}-url-error"' in page


def test_an_address_of_a_form_opened_by_hand_leads_to_the_endpoint(ana: Human, hook: str) -> None:
    for path in (hook, f"{hook}/rotate", f"{hook}/test", f"{hook}/remove"):
        answer = ana.get(path)
        assert answer.status_code == 302 and answer.headers["Location"].startswith(PAGE)


def test_somebody_elses_hook_is_not_there(
    world: World, bob: Human, hook: str, receiver: Receiver
) -> None:
    for act in ("", "/rotate", "/test", "/remove"):
        answer = bob.send(hook + act, seen_at="/", url=receiver.url)
        assert answer.status_code == 404
        assert bob.get(hook + act).status_code == 404


def test_a_member_of_a_team_is_shown_no_hook(world: World, bob: Human, receiver: Receiver) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "bob", "member")
    shared = world.vend("shared", owner="core")
    from tests.notify.bells import set_hook

    set_hook(world, receiver.url, shared)
    page = bob.read(PAGE)
    assert "shared" in page and receiver.url not in page and "Notify hook" not in page
    assert health(world, shared)["health"] == "untested"
