"""Refusals and headers: HTML for pages with the stable code, problems for JSON routes."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Human
from tests.world import World


def test_an_unknown_page_is_a_page(ana: Human) -> None:
    response = ana.get("/nothing-here")
    assert response.status_code == 404
    assert response.mimetype == "text/html"
    assert "404 not_found" in response.text


def test_an_unknown_json_route_is_a_problem(ana: Human) -> None:
    response = ana.get("/api/v1/nothing-here")
    assert response.mimetype == "application/problem+json"
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize(
    "path",
    [
        "/deliveries?source=%00",
        "/deliveries?after=%00",
        "/deliveries/%00",
        "/deliveries/%FF%FE",
        "/todos?state=%00",
        "/todos/%00",
        "/settings/sources/%00",
        "/deliveries?after=" + "x" * 5000,
        "/deliveries?event=%F0%9F%94%A5",
        "/deliveries/log?lines=-5",
        "/deliveries/log?lines=a",
        "/settings/connections?kind=<script>",
    ],
)
def test_a_strange_address_is_never_a_bug(ana: Human, path: str) -> None:
    assert ana.get(path).status_code in (200, 404, 422)


def test_a_form_too_large_is_refused(ana: Human) -> None:
    response = ana.client.post("/settings/connections", data={"secret": "x" * 600_000})
    assert response.status_code == 413
    assert response.mimetype == "text/html"


def test_a_wrong_method_is_a_page(ana: Human) -> None:
    response = ana.client.post("/todos")
    assert response.status_code == 405
    assert "405 method_not_allowed" in response.text


def test_a_bug_is_told_as_a_page_without_its_details(
    ana: Human, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("canary of a bug")

    monkeypatch.setattr("switchboard.todos.views.board", broken)
    response = ana.get("/todos")
    assert response.status_code == 500
    assert response.mimetype == "text/html"
    assert "500 internal" in response.text
    assert "canary of a bug" not in response.text


def test_an_unknown_filter_value_is_a_page_with_its_code(ana: Human) -> None:
    response = ana.get("/todos?state=sleeping")
    assert response.status_code == 422
    assert "invalid_argument" in response.text


@pytest.mark.parametrize("path", ["/", "/login", "/deliveries", "/settings/connections", "/x"])
def test_a_page_lets_nothing_in_from_elsewhere(ana: Human, path: str) -> None:
    headers = ana.get(path).headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_no_page_has_inline_script_or_style(ana: Human, world: World) -> None:
    world.claimed()
    for path in ("/", "/deliveries", "/todos", "/settings/connections", "/settings/sources"):
        page = ana.read(path)
        assert " style=" not in page and "<style" not in page
        assert not re.search(r"<script(?! src=)", page)
        assert not re.search(r"\son[a-z]+=", page)


def test_assets_are_cached_for_good_under_their_version(ana: Human) -> None:
    address = re.search(r'href="(/assets/style[^"]+)"', ana.get("/").text)
    assert address
    assert "immutable" in ana.get(address[1]).headers["Cache-Control"]
    assert ana.get("/assets/style.css?v=older").headers["Cache-Control"] == "public, no-cache"


def test_an_asset_outside_the_folder_is_not_there(ana: Human) -> None:
    assert ana.get("/assets/../__init__.py").status_code == 404
    assert ana.get("/assets/%2e%2e/log.py").status_code == 404
