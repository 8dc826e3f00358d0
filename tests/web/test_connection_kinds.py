"""The connections page asks each kind for what it needs, in its own words."""

from __future__ import annotations

import re

import pytest

from switchboard.providers import answering_kinds, connection_kinds
from tests.web.conftest import Human
from tests.world import World

PAGE = "/settings/connections"
KINDS = ("github", "gitea", "slack", "cairn", "gotify", "apprise", "notify")
ANSWERS_ONLY = ("targets", "serves", "endpoints", "signature")


def add_form(page: str) -> str:
    """The markup of the form for one more."""
    return page[page.index('id="add"') :].partition("</form>")[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_asks_in_the_words_of_its_kind(ana: Human, world: World, kind: str) -> None:
    assert world.endpoint
    form = add_form(ana.read(f"{PAGE}?kind={kind}"))
    asks = connection_kinds(world.lib.settings)[kind].asks
    assert re.search(rf'<option selected value="{kind}">', form)
    assert f">{asks.account}</label>" in form and asks.account_help in form
    assert f'placeholder="{asks.example}"' in form
    assert asks.credential_help in form
    answers = kind in answering_kinds(world.lib.settings)
    for name in ANSWERS_ONLY:
        assert (f'name="{name}"' in form) is answers
    assert (asks.target_help in form) if answers else not asks.target_help


def test_only_github_comes_filled_in(ana: Human) -> None:
    filled = {
        kind: re.search(r'name="account_key"[^>]*value="([^"]*)"', ana.read(f"{PAGE}?kind={kind}"))
        for kind in KINDS
    }
    values = {kind: found[1] if found else "" for kind, found in filled.items()}
    assert values == {kind: "github.com" if kind == "github" else "" for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_is_open_where_a_kind_was_chosen(ana: Human, world: World, kind: str) -> None:
    assert world.connection
    assert 'id="add" class="item add">' in ana.read(PAGE)
    assert 'id="add" class="item add" open>' in ana.read(f"{PAGE}?kind={kind}")


def test_a_form_that_comes_back_keeps_its_kind(ana: Human) -> None:
    fields = {"kind": "slack", "name": "chat", "account_key": "acme", "secret": "xoxb-canary"}
    response = ana.send(PAGE, **fields, serves="all")
    assert response.status_code == 422
    form = add_form(response.text)
    assert re.search(r'<option selected value="slack">', form)
    assert "team id" in form and 'value="acme"' in form and "xoxb-canary" not in response.text


@pytest.mark.parametrize("kind", ["gitea", "cairn", "gotify", "apprise"])
def test_a_connection_of_each_kind_is_added_on_the_page(
    ana: Human, world: World, kind: str
) -> None:
    fields = {
        "kind": kind,
        "name": kind,
        "account_key": "https://example.org/x",
        "secret": "canary-1",
    }
    assert ana.send(PAGE, **fields, seen_at=f"{PAGE}?kind={kind}").status_code == 302
    (kept,) = world.operator("GET", "/connections").json["connections"]
    assert (kept["kind"], kept["account_key"]) == (kind, "https://example.org/x")
    page = ana.read(PAGE)
    assert f"{connection_kinds(world.lib.settings)[kind].label}, https://example.org/x" in page


@pytest.mark.parametrize("kind", ["gotify", "apprise"])
def test_a_sinks_name_is_edited_and_nothing_else_is_asked(
    ana: Human, world: World, kind: str
) -> None:
    own = world.connect("sink", kind, account_key="https://example.org")["id"]
    page = ana.read(PAGE)
    assert "it answers nobody" in page
    assert not [name for name in ANSWERS_ONLY if f'name="{own}-{name}"' in page]
    fields = {f"{own}-name": "pager"}
    assert ana.send(f"{PAGE}/{own}/edit", seen_at=PAGE, **fields).status_code == 302
    (kept,) = world.operator("GET", "/connections").json["connections"]
    assert (kept["name"], kept["targets"], kept["endpoints"]) == ("pager", [], [])


@pytest.mark.parametrize(("kind", "beside"), [("slack", "from Slack"), ("gotify", "Deliveries")])
def test_the_log_beside_is_that_of_the_kind(ana: Human, kind: str, beside: str) -> None:
    page = ana.read(f"{PAGE}?kind={kind}")
    assert beside in page
    assert ("kind=gotify" in page.partition('id="log"')[2]) is False


def test_the_log_beside_is_that_of_the_first_connection_that_is_answered(
    ana: Human, world: World
) -> None:
    world.connect("pager", "gotify", account_key="https://example.org")
    world.connect("git", "gitea", account_key="https://git.example.org")
    assert "Deliveries from Gitea or Forgejo" in ana.read(PAGE)
