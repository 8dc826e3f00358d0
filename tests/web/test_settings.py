"""Connections, sources and endpoints through their forms; secrets stand in one answer and no other."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from switchboard.access import endpoints
from switchboard.access.principals import Machine
from switchboard.lib.crypto import Sealer
from tests.web.conftest import Human
from tests.world import World

CANARY = "ghp_canary-0123456789-never-shown"
CONNECTION = {
    "kind": "github",
    "name": "bot",
    "account_key": "github.com",
    "secret": CANARY,
    "serves": "all",
}
EVERYWHERE = (
    "/",
    "/deliveries",
    "/todos",
    "/settings/connections",
    "/settings/sources",
    "/settings/endpoints",
)


def text(response: Any) -> str:
    return html.unescape(response.text)


def error_of(page: str, field: str) -> str:
    """The error beside a field."""
    found = re.search(rf'id="{field}-error">([^<]+)<', page)
    return html.unescape(found[1]) if found else ""


# connections


def test_a_connection_is_added_and_its_secret_is_on_no_page(ana: Human) -> None:
    added = ana.send("/settings/connections", **CONNECTION)
    assert added.status_code == 302
    assert CANARY not in added.text
    assert "bot" in ana.read("/settings/connections")
    assert not [path for path in EVERYWHERE if CANARY in ana.read(path)]


def test_a_bad_name_is_told_beside_it_and_the_rest_is_kept_but_the_secret(ana: Human) -> None:
    response = ana.send(
        "/settings/connections", **{**CONNECTION, "name": "bad name!", "targets": "acme/*"}
    )
    assert response.status_code == 422
    assert "Use 1 to 64 letters" in error_of(response.text, "name")
    assert 'value="bad name!"' in response.text
    assert "acme/*</textarea>" in response.text
    assert CANARY not in response.text


def test_a_missing_secret_is_told_beside_it(ana: Human) -> None:
    response = ana.send("/settings/connections", **{**CONNECTION, "secret": ""})
    assert error_of(response.text, "secret") == "Paste the token."


def test_secret_fields_are_passwords_and_never_filled_in(ana: Human, world: World) -> None:
    assert world.connection and world.source
    pages = ("/settings/connections", f"/settings/sources/{world.source.source['id']}")
    for path in (*pages, "/settings/sources"):
        fields = re.findall(r"<input[^>]*name=\"[^\"]*secret\"[^>]*>", ana.get(path).text)
        assert fields
        for field in fields:
            assert 'type="password"' in field and 'autocomplete="off"' in field
            assert 'value=""' in field


def test_a_second_connection_for_one_account_is_told_with_its_code(ana: Human) -> None:
    ana.send("/settings/connections", **CONNECTION)
    response = ana.send("/settings/connections", **{**CONNECTION, "name": "other"})
    assert "(conflict)" in error_of(response.text, "name")


def test_a_test_says_whose_the_token_is(ana: Human, world: World) -> None:
    address = f"/settings/connections/{world.connection['id']}/test"
    response = ana.send(address, seen_at="/settings/connections")
    assert response.status_code == 302
    assert "the token belongs to switchboard-bot" in ana.read("/settings/connections")


def test_allowlists_and_signature_are_edited(ana: Human, world: World) -> None:
    own, address = world.connection["id"], "/settings/connections"
    fields = {
        f"{own}-name": "renamed",
        f"{own}-targets": "acme/*\nacme/rocket",
        f"{own}-serves": "some",
        f"{own}-endpoints": [world.endpoint.endpoint["id"]],
        f"{own}-signature": "– fixer",
    }
    assert ana.send(f"{address}/{own}/edit", seen_at=address, **fields).status_code == 302
    (kept,) = world.operator("GET", "/connections").json["connections"]
    assert kept["name"] == "renamed"
    assert kept["targets"] == ["acme/*", "acme/rocket"]
    assert (kept["endpoints"], kept["signature"]) == (["fixer"], "– fixer")


def test_an_allowlist_keeps_an_endpoint_that_was_revoked(ana: Human, world: World) -> None:
    fixer, address = world.endpoint.endpoint["id"], "/settings/connections"
    own = world.connect("octo", endpoints=["fixer"])["id"]
    endpoints.revoke(world.lib, Machine(), fixer)
    assert "fixer (over)" in ana.read(address)
    fields = {f"{own}-name": "octo", f"{own}-serves": "some", f"{own}-endpoints": [fixer]}
    assert ana.send(f"{address}/{own}/edit", seen_at=address, **fields).status_code == 302
    (kept,) = world.operator("GET", "/connections").json["connections"]
    assert kept["endpoint_ids"] == [fixer]


@pytest.mark.parametrize(("serves", "ticked"), [("some", False), ("all", True), ("", False)])
def test_a_connection_opens_to_all_endpoints_only_by_that_choice(
    ana: Human, world: World, serves: str, ticked: bool
) -> None:
    fixer, address = world.endpoint.endpoint["id"], "/settings/connections"
    own = world.connect("octo", endpoints=["fixer"])["id"]
    fields = {f"{own}-name": "octo", f"{own}-serves": serves}
    if ticked:
        fields[f"{own}-endpoints"] = fixer
    assert ana.send(f"{address}/{own}/edit", seen_at=address, **fields).status_code == 422
    (kept,) = world.operator("GET", "/connections").json["connections"]
    assert kept["endpoint_ids"] == [fixer]


def test_an_edit_that_fails_opens_its_own_form_again(ana: Human, world: World) -> None:
    own, address = world.connection["id"], "/settings/connections"
    response = ana.send(
        f"{address}/{own}/edit",
        seen_at=address,
        **{f"{own}-name": "not good", f"{own}-targets": "a"},
    )
    assert response.status_code == 422
    assert "Use 1 to 64 letters" in error_of(response.text, f"{own}-name")
    assert f'id="{own}" open' in response.text


def test_a_rotated_token_shows_as_another_fingerprint(ana: Human, world: World) -> None:
    own, before = world.connection["id"], world.connection["fingerprint"]
    address = "/settings/connections"
    ana.send(f"{address}/{own}/secret", seen_at=address, **{f"{own}-secret": CANARY})
    page = ana.read(address)
    assert before not in page
    assert CANARY not in page


def test_a_deleted_connection_is_gone(ana: Human, world: World) -> None:
    address = "/settings/connections"
    ana.send(f"{address}/{world.connection['id']}/delete", seen_at=address)
    assert "There is no connection yet" in ana.read(address)


def test_the_log_stands_beside_the_connections(ana: Human, world: World) -> None:
    world.deliver(world.issue(1, "Beside the connections"))
    page = ana.read("/settings/connections")
    assert "Deliveries from GitHub" in page
    assert "Beside the connections" in page
    assert "kind=github" in page


def test_without_an_encryption_key_nothing_is_kept_and_the_home_page_says_so(
    ana: Human, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(world.lib.settings.values, "ENCRYPTION_KEY", None)  # type: ignore[arg-type]
    world.lib.__dict__["sealer"] = Sealer(None)
    response = ana.send("/settings/connections", **CONNECTION)
    assert "encryption_required" in response.text
    assert "No encryption key is set" in ana.read("/")


# sources


def test_a_source_is_added_with_its_secret_in_that_answer_only(ana: Human, world: World) -> None:
    assert world.endpoint
    response = ana.send(
        "/settings/sources", kind="github", name="site", letters=["n"], to=["fixer:default"]
    )
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", text(response))
    assert secret and text(response).count(secret[0]) == 1
    assert "Settings → Webhooks → Add webhook" in response.text
    own = world.operator("GET", "/sources").json["sources"][0]["id"]
    pages = (*EVERYWHERE, f"/settings/sources/{own}")
    assert not [path for path in pages if secret[0] in ana.read(path)]


def test_a_secret_the_sender_issued_is_not_shown_back(ana: Human) -> None:
    response = ana.send(
        "/settings/sources", kind="github", name="site", letters=["n"], secret=CANARY
    )
    assert response.status_code == 201
    assert CANARY not in response.text


def test_a_bad_pin_is_told_beside_it(ana: Human) -> None:
    response = ana.send("/settings/sources", kind="github", name="site", repos="a/b/c/d")
    assert response.status_code == 422
    assert "owner/name" in error_of(response.text, "repos")
    assert 'value="site"' in response.text


def test_a_rotated_secret_stands_in_that_answer_only(ana: Human, world: World) -> None:
    own = world.source.source["id"]
    page = f"/settings/sources/{own}"
    response = ana.send(f"{page}/secret", seen_at=page)
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", text(response))
    assert secret and secret[0] != world.source.secret
    assert secret[0] not in ana.read(page)


def test_a_source_is_paused_resumed_and_revoked(ana: Human, world: World) -> None:
    page = f"/settings/sources/{world.source.source['id']}"
    ana.send(f"{page}/pause", seen_at=page)
    assert world.deliver(world.issue(1)).status_code == 423
    ana.send(f"{page}/resume", seen_at=page)
    assert world.deliver(world.issue(2)).status_code == 202
    ana.send(f"{page}/revoke", seen_at=page)
    assert world.deliver(world.issue(3)).status_code == 404


def test_rules_changed_on_the_page_hold_for_the_next_delivery(ana: Human, world: World) -> None:
    page = f"/settings/sources/{world.source.source['id']}"
    assert world.vend("reviewer", queues=["reviews"])
    rules = {"to": ["reviewer:reviews"], "repos": "acme/*", "letters": ["n"]}
    assert ana.send(f"{page}/grants", seen_at=page, **rules).status_code == 302
    assert world.deliver(world.issue(1)).json["todos"][0]["queue"] == "reviews"


def test_a_letter_one_does_not_hold_cannot_be_granted(bob: Human) -> None:
    response = bob.send("/settings/sources", kind="github", name="site", letters=["n", "x"])
    assert "missing_capability" in error_of(response.text, "letters")


def test_a_source_without_a_live_target_says_so(ana: Human, world: World) -> None:
    page = f"/settings/sources/{world.source.source['id']}"
    endpoint = world.endpoint.endpoint["id"]
    ana.send(f"/settings/endpoints/{endpoint}/revoke", seen_at="/settings/endpoints")
    assert "no live endpoint to give work to" in ana.read(page)
    assert "no live endpoint to give work to" in ana.read("/")


@pytest.mark.parametrize("act", ["rules", "secret", "pause"])
def test_an_address_of_a_form_opened_by_hand_leads_to_its_page(
    ana: Human, world: World, act: str
) -> None:
    page = f"/settings/sources/{world.source.source['id']}"
    assert ana.get(f"{page}/{act}").location == page


# endpoints


def test_an_endpoint_is_vended_with_its_credential_in_that_answer_only(ana: Human) -> None:
    response = ana.send(
        "/settings/endpoints", name="fixer", queues="default urgent", verbs=["drain", "reply"]
    )
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    credential = re.search(r"sbk_[A-Za-z0-9_-]+", response.text)
    assert credential
    assert not [path for path in EVERYWHERE if credential[0] in ana.read(path)]


def test_the_pasted_commands_claim_answer_and_finish(ana: Human) -> None:
    page = text(ana.send("/settings/endpoints", name="fixer", verbs=["drain", "reply"]))
    assert "/api/v1/todos/claim-next" in page
    assert "/api/v1/todos/$TODO/replies" in page
    assert "/api/v1/todos/$TODO/complete" in page


def test_drain_is_ticked_and_reply_is_not(ana: Human) -> None:
    page = ana.get("/settings/endpoints").text
    ticked = re.findall(r'<input checked[^>]* name="verbs"[^>]* value="(\w+)"', page)
    assert ticked == ["drain"]


def test_the_reply_verb_needs_the_letter_for_it(bob: Human) -> None:
    response = bob.send("/settings/endpoints", name="fixer", verbs=["drain", "reply"])
    assert response.status_code == 422
    assert "missing_capability" in error_of(response.text, "verbs")


def test_a_revoked_endpoint_is_over(ana: Human, world: World) -> None:
    address = "/settings/endpoints"
    ana.send(f"{address}/{world.endpoint.endpoint['id']}/revoke", seen_at=address)
    assert world.agent("GET", "/todos").status_code == 401
    assert "revoked" in ana.read(address)


def test_no_page_names_the_mcp_address(ana: Human, world: World) -> None:
    assert world.endpoint
    assert "/mcp/" not in ana.read("/settings/endpoints")
