"""The sources' pages: a form that fits the kind, rules with their dry run, what is wrong, a replay."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Human
from tests.world import World


def page_of(world: World) -> str:
    return f"/settings/sources/{world.source.source['id']}"


@pytest.mark.parametrize(
    ("kind", "asked", "not_asked"),
    [
        ("github", ["Host", "Repository pins", "Secret"], ["Repo ", "Team id"]),
        ("gitea", ["Base URL", "Repository pins"], ["Team id"]),
        ("slack", ["Team id", "signing secret"], ["Repository pins"]),
        ("signed", ["under which its tickets", "A failed check"], ["Base URL", "Host"]),
        ("generic", ["can never be answered"], ["Repository pins", "Secret</label>"]),
    ],
)
def test_the_form_asks_what_the_kind_needs(
    ana: Human, kind: str, asked: list[str], not_asked: list[str]
) -> None:
    form = ana.read(f"/settings/sources?kind={kind}").partition("Add a source")
    shown = "".join(form)
    assert [each for each in asked if each not in shown] == []
    assert [each for each in not_asked if each in shown] == []


def test_a_generic_source_offers_the_signed_one_instead(ana: Human) -> None:
    assert 'href="/settings/sources?kind=signed"' in ana.read("/settings/sources?kind=generic")


def test_what_a_kind_needs_and_does_not_get_is_said_beside_its_field(ana: Human) -> None:
    answer = ana.send("/settings/sources", kind="gitea", name="site", letters=["n"])
    assert answer.status_code == 422
    assert 'aria-describedby="host-help host-error"' in answer.text


def test_a_signed_source_added_on_the_page_files_under_its_repo(ana: Human, world: World) -> None:
    assert world.endpoint
    answer = ana.send(
        "/settings/sources", kind="signed", name="ci", repo="acme/rocket", letters=["n", "k"]
    )
    assert answer.status_code == 201
    assert "/api/v1/r/acme/rocket/inbound/ci" in answer.text


def test_rules_are_kept_in_their_order_and_empty_rows_are_none(ana: Human, world: World) -> None:
    fields = {
        "rules-0-when": '.action == "opened"',
        "rules-0-queue": "default",
        "rules-1-when": "",
        "rules-2-when": ".sender.type",
        "rules-2-drop": "y",
    }
    page = page_of(world)
    assert ana.send(f"{page}/rules", seen_at=page, **fields).status_code == 302
    [source] = world.operator("GET", "/sources").json["sources"]
    assert source["rules"] == [
        {"when": '.action == "opened"', "queue": "default"},
        {"when": ".sender.type", "drop": True},
    ]
    assert ana.read(page).count('name="rules-') > 8


def test_a_rule_that_cannot_be_is_said_above_the_rules_and_stays(ana: Human, world: World) -> None:
    page = page_of(world)
    bad = {"rules-0-when": ".action ==", "rules-0-drop": "y"}
    answer = ana.send(f"{page}/rules", seen_at=page, **bad)
    assert answer.status_code == 422
    assert "Rule 1: its program does not compile" in answer.text
    assert ".action ==</textarea>" in answer.text
    assert world.operator("GET", "/sources").json["sources"][0]["rules"] == []


def test_trying_rules_changes_nothing_and_says_what_they_would_do(ana: Human, world: World) -> None:
    page = page_of(world)
    world.deliver(world.issue(1, "Loud"))
    tried = {"rules-0-when": '.issue.title == "Loud"', "rules-0-drop": "y", "try": ""}
    answer = ana.send(f"{page}/rules", seen_at=page, **tried)
    assert answer.status_code == 200
    assert re.search(r"Loud</a>.*issues.opened.*dropped", answer.text, re.S)
    assert world.operator("GET", "/sources").json["sources"][0]["rules"] == []


def test_a_delivery_shows_what_each_rule_said(ana: Human, world: World) -> None:
    own = world.source.source["id"]
    world.operator("PATCH", f"/sources/{own}", {"rules": [{"when": ".action", "drop": True}]})
    delivery = world.deliver(world.issue(1)).json["delivery"]
    shown = ana.read(f"/deliveries/{delivery}")
    assert "matched: dropped" in shown and "A rule of the source drops it" in shown


@pytest.mark.setting(PAUSE_AFTER="4")
def test_the_page_warns_halfway_and_says_why_it_is_paused(ana: Human, world: World) -> None:
    page = page_of(world)
    for number in range(2):
        world.deliver(b"no json %d" % number)
    assert "2 deliveries in a row refused; at 4 it is paused" in ana.read(page)
    for number in range(2, 4):
        world.deliver(b"no json %d" % number)
    shown = ana.read(page)
    assert "4 deliveries in a row were refused" in shown and "Paused by its failures" in shown
    assert ana.send(f"{page}/resume", seen_at=page).status_code == 302
    assert "Paused by its failures" not in ana.read(page)


def test_a_replay_from_the_page_is_a_new_delivery(ana: Human, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    page = f"/deliveries/{delivery}"
    answer = ana.send(f"{page}/replay", seen_at=page)
    made = answer.headers["Location"]
    assert answer.status_code == 302 and made != page
    assert f'href="{page}"' in ana.read(made)
    assert len(world.log()) == 2


def test_a_replay_without_the_forms_token_does_nothing(ana: Human, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    assert ana.client.post(f"/deliveries/{delivery}/replay").status_code == 403
    assert len(world.log()) == 1


def test_somebody_elses_delivery_cannot_be_replayed(bob: Human, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    answer = bob.send(f"/deliveries/{delivery}/replay", seen_at="/settings/sources")
    assert answer.status_code == 404
    assert len(world.log()) == 1


def test_a_bad_signature_says_what_is_most_likely_wrong(ana: Human, world: World) -> None:
    world.deliver(
        world.issue(1), headers={"X-Hub-Signature-256": None, "X-Gitea-Signature": "0" * 64}
    )
    shown = ana.read(f"/deliveries/{world.log()[0]['id']}")
    assert "Most likely:" in shown and "Gitea" in shown


def test_a_row_with_a_number_that_no_form_writes_is_no_row(ana: Human, world: World) -> None:
    page = page_of(world)
    answer = ana.send(f"{page}/rules", seen_at=page, **{"rules-²-when": ".action"})
    assert answer.status_code == 302


def test_a_rule_of_several_lines_stays_one(ana: Human, world: World) -> None:
    page, program = page_of(world), "# bugs\r\n.action"
    ana.send(f"{page}/rules", seen_at=page, **{"rules-0-when": program, "rules-0-drop": "y"})
    [source] = world.operator("GET", "/sources").json["sources"]
    assert source["rules"][0]["when"].splitlines() == ["# bugs", ".action"]
