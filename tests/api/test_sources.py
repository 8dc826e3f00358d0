"""What operators do with their sources by JSON calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.models import SourceSecret
from tests.world import World


def test_a_source_is_changed_paused_and_resumed_in_place(world: World) -> None:
    assert world.source
    world.vend("reviewer", queues=["reviews"])
    changes = {"to": ["reviewer:reviews"], "repos": ["acme/*"], "state": "paused"}
    changed = world.operator("PATCH", "/sources/octo", changes).json
    assert {name: changed[name] for name in changes} == changes
    assert world.deliver(world.issue(1)).status_code == 423
    assert world.operator("PATCH", "/sources/octo", {"state": "active"}).json["repos"] == ["acme/*"]
    assert world.deliver(world.issue(2)).json["todos"][0]["queue"] == "reviews"


def test_a_state_that_is_none_changes_nothing(world: World) -> None:
    assert world.source
    answer = world.operator("PATCH", "/sources/octo", {"repos": ["a/b"], "state": "revoked"})
    assert (answer.status_code, answer.json["field"]) == (422, "state")
    [kept] = world.operator("GET", "/sources").json["sources"]
    assert (kept["state"], kept["repos"]) == ("active", [])


def test_a_letter_one_lacks_is_not_granted_by_an_edit(world: World) -> None:
    assert world.source
    answer = world.operator("PATCH", "/sources/octo", {"letters": "nC"})
    assert (answer.status_code, answer.json["letter"]) == (403, "C")


def test_a_rotated_secret_stands_in_that_answer_with_its_fingerprint(world: World) -> None:
    before = world.source.source["fingerprint"]
    rotated = world.operator("PUT", "/sources/octo/secret").json
    assert rotated["secret"].startswith("whsec_")
    [listed] = world.operator("GET", "/sources").json["sources"]
    assert "secret" not in listed
    assert listed["fingerprint"] == rotated["fingerprint"] != before


def test_a_secret_of_ones_own_signs_from_then_on(world: World) -> None:
    assert world.source
    given = {"secret": "a-secret-of-their-own"}
    assert world.operator("PUT", "/sources/octo/secret", given).json["secret"] == given["secret"]
    world.source.__dict__["secret"] = given["secret"]
    assert world.deliver(world.issue(1)).status_code == 202


def test_a_revoked_source_answers_nobody(world: World) -> None:
    assert world.source
    assert world.operator("DELETE", "/sources/octo").status_code == 204
    assert world.deliver(world.issue(1)).status_code == 404
    assert world.operator("DELETE", "/sources/octo").status_code == 404


def test_the_log_of_a_source_is_its_own_by_its_id(world: World) -> None:
    first = world.source.source["id"]
    world.deliver(world.issue(1))
    world.operator("DELETE", "/sources/octo")
    again = world.add_source("octo")
    world.deliver(world.issue(2), source=again)

    def ids_of(ref: str) -> list[str]:
        rows = world.operator("GET", f"/deliveries?source={ref}").json["deliveries"]
        return [row["source_id"] for row in rows]

    assert ids_of(first) == [first]
    assert ids_of(again.source["id"]) == [again.source["id"]]
    assert ids_of("octo") == [again.source["id"], first]


def test_of_two_rotations_at_once_one_secret_stays(world: World) -> None:
    own = world.source.source["id"]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            list(pool.map(lambda _: source_changes.rotate(world.lib, Machine(), own), range(8)))
    with world.lib.db.read() as session:
        unlimited = select(SourceSecret.id).where(SourceSecret.expires_at.is_(None))
        assert len(list(session.scalars(unlimited))) == 1
