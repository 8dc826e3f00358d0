"""What is no character, and names in an address that mean nothing: pages show and ignore them."""

from __future__ import annotations

import pytest

from tests.web.conftest import Human
from tests.world import World


@pytest.mark.parametrize("path", ["/deliveries/{}", "/deliveries/{}/inside", "/todos/{todo}"])
def test_a_lone_surrogate_in_a_body_is_shown_as_what_it_is_not(
    ana: Human, world: World, path: str
) -> None:
    body = world.issue(1) | {"odd": "a\ud800b"}
    made = world.deliver(body).json
    page = ana.read(path.format(made["delivery"], todo=made["todos"][0]["id"]))
    assert "a?b" in page


def test_a_refused_body_of_one_surrogate_is_shown_too(ana: Human, world: World) -> None:
    world.deliver(b'"\\ud800"')
    assert "refused" in ana.read(f"/deliveries/{world.log()[0]['id']}")


@pytest.mark.parametrize("path", ["/deliveries", "/threads", "/verdicts"])
@pytest.mark.parametrize("name", ["endpoint", "_method", "_external", "_scheme", "values"])
def test_a_name_in_the_address_that_means_nothing_is_ignored(
    ana: Human, path: str, name: str
) -> None:
    answer = ana.get(f"{path}?after=&{name}=https")
    assert answer.status_code == 302 and answer.headers["Location"] == path
