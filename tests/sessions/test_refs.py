"""A work item is called in one way, whoever names it."""

from __future__ import annotations

import pytest

from switchboard.errors import BadRequest
from switchboard.sessions import refs
from tests.replies.places import KINDS
from tests.world import World

TODO = "todo:td_01M8W0VEZNQ8M34VF2CN66T19N"
CANONICAL = {
    "github:Acme/Rocket#7": "github:acme/rocket#7",
    "github:github.com/acme/rocket#007": "github:acme/rocket#7",
    "github:GHE.example.org:443/acme/rocket#7": "github:ghe.example.org/acme/rocket#7",
    "gitea:git.example.org:3000/Acme/rocket#7": "gitea:git.example.org:3000/acme/rocket#7",
    "slack:T1/C1/1767258000.000007": "slack:T1/C1/1767258000.000007",
    "cairn:cairn.example.org/sQ7_pL-2": "cairn:cairn.example.org/sQ7_pL-2",
    "ticket:Acme/rocket#7": "ticket:acme/rocket#7",
    "ticket:rocket#07": "ticket:rocket#7",
    TODO: TODO,
}
NONE = (
    "",
    "github",
    "github:",
    "github:acme/rocket",
    "github:acme/rocket#0",
    "github:acme/rocket#-7",
    "github:acme/rocket#٧",
    "github:acme/../rocket#7",
    "github:../rocket#7",
    "github:acme/rocket#7 ",
    "github:acme/rocket#7\n",
    "github:a@b/acme/rocket#7",
    "github:" + "a" * 90 + "/" + "b" * 400 + "#7",
    "GitHub:acme/rocket#7",
    "gitea:acme/rocket#7",
    "gitea:https://git.example.org/acme/rocket#7",
    "slack:t1/C1/1.2",
    "slack:T1/C1",
    "cairn:sQ7",
    "cairn:host/a b",
    "forum:rocket#7",
    "ticket:rocket#99999999999",
    "todo:td_1",
    "generic:x",
    "\x00",
)


@pytest.mark.parametrize("given", CANONICAL)
def test_a_ref_has_one_canonical_form(world: World, given: str) -> None:
    assert str(refs.parse(world.lib, given)) == CANONICAL[given]


def test_what_is_no_ref_is_refused(world: World) -> None:
    for given in NONE:
        with pytest.raises(BadRequest, match="no work item") as refused:
            refs.parse(world.lib, given)
        assert refused.value.code == "malformed_ref", given


@pytest.mark.parametrize("kind", KINDS)
def test_a_work_item_and_its_address_name_each_other(world: World, kind: str) -> None:
    for given in (each for each in CANONICAL.values() if each.startswith(kind)):
        address = refs.address_of(world.lib, refs.parse(world.lib, given))
        assert address is not None
        assert str(refs.for_address(world.lib, address)) == given
