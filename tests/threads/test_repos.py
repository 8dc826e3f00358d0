"""A repo's label is taken by its first use, by one owner, whatever its case and whoever comes at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from switchboard.access import accounts, owners
from switchboard.access.principals import Machine
from switchboard.errors import Conflict
from switchboard.lib.plumbing import Plumbing
from switchboard.threads import repos
from tests.world import World


def claim(lib: Plumbing, owner: str, name: str) -> str:
    with lib.db.write() as session:
        found = owners.resolve(session, Machine(), owner)
        return repos.claim(session, Machine(), found, name).id


def test_used_again_it_is_the_same_whatever_its_case(world: World) -> None:
    first = claim(world.lib, world.account["name"], "Acme/Rocket")
    assert claim(world.lib, "ana", "acme/rocket") == first
    assert repos.in_view(world.lib, Machine()) == ["Acme/Rocket"]


def test_taken_by_many_at_once_it_is_made_once(world: World) -> None:
    assert world.account
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: claim(world.lib, "ana", "rocket"), range(8)))
    assert len(found) == 1


def test_tickets_filed_at_once_get_numbers_of_their_own(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.operator_token}"}
    body = {"repo": "rocket", "kind": "ticket", "title": "x"}

    def open_one(_: int) -> int:
        client = world.app.test_client()
        number: int = client.post("/api/v1/threads", json=body, headers=headers).json["number"]
        return number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(open_one, range(24))) == list(range(1, 25))


def test_a_source_cannot_file_under_anothers_label(world: World) -> None:
    claim(world.lib, world.account["name"], "rocket")
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    with pytest.raises(Conflict) as refused:
        world.add_source("ci", "signed", owner="ben", repo="ROCKET", letters="n")
    assert refused.value.field == "repo"


@pytest.mark.parametrize("name", ["rocket", "a/b", "A.b-c_d/e.f", "x" * 100 + "/" + "y" * 100])
def test_a_label_may_be_such(name: str) -> None:
    assert repos.check_name(name) == name
