"""No connection's secret anywhere, whatever its kind: used well and badly, then everything is searched."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from switchboard.lib.http import OutboundError
from switchboard.providers import connection_kind, notifying_kinds
from switchboard.providers.base import Credential
from switchboard.replies.dial import dial
from tests.replies import places
from tests.replies.places import Place
from tests.standins import apprise, gotify, notify
from tests.test_canary import assert_clean, gets, signed_in, stored
from tests.world import World, password_hash

SECRETS = {
    "gitea": "canary-of-gitea-0123456789",
    "slack": "canary-of-slack-0123456789",
    "cairn": "canary-of-cairn-0123456789",
    "gotify": gotify.APPLICATION,
    "apprise": apprise.KEY,
    "apprise login": apprise.LOGIN.partition(":")[2],
    "notify": notify.SECRET,
}
FAULTS = ("reset_after_write", "redirect")


@pytest.fixture
def heard() -> Iterator[dict[str, Place]]:
    """The places that are answered, their stand-ins running."""
    with ExitStack() as stack:
        yield {
            kind: stack.enter_context(places.place(kind)) for kind in ("gitea", "slack", "cairn")
        }


@pytest.fixture
def environ(environ: dict[str, str], heard: dict[str, Place]) -> dict[str, str]:
    """The box's environment, Slack being the stand-in."""
    return environ | {"SWITCHBOARD_SLACK_API_URL": heard["slack"].standin.url}


@pytest.fixture
def accounts_of(heard: dict[str, Place]) -> Iterator[dict[str, tuple[Any, str, str]]]:
    """By kind: the stand-in, the account key and the secret."""
    with ExitStack() as stack:
        found: dict[str, tuple[Any, str, str]] = {
            kind: (place.standin, place.account, SECRETS[kind]) for kind, place in heard.items()
        }
        for kind, module, secret in (
            ("gotify", gotify, SECRETS["gotify"]),
            ("apprise", apprise, f"{apprise.LOGIN}@{apprise.KEY}"),
        ):
            standin = stack.enter_context(module.standin())
            found[kind] = (standin, standin.url, secret)
        service = stack.enter_context(notify.standin())
        found["notify"] = (service, service.url + notify.PATH, SECRETS["notify"])
        yield found


def live(
    world: World, heard: dict[str, Place], accounts_of: dict[str, tuple[Any, str, str]]
) -> list[str]:
    """Add, test and answer well and badly; every answer as text."""
    said = []
    for kind, (standin, account_key, secret) in accounts_of.items():
        new = {"kind": kind, "name": kind, "account_key": account_key, "secret": secret}
        said += [world.operator("POST", "/connections", new).text for _ in range(2)]
        said.append(world.operator("POST", f"/connections/{kind}/test").text)
        for fault in FAULTS:
            standin.program([fault])
            said.append(world.operator("POST", f"/connections/{kind}/test").text)
        if kind in notifying_kinds():
            sink = {"kind": kind, "name": kind, "connection": kind}
            said.append(world.operator("POST", "/sinks", sink).text)
            for answer in ([], ["reset_after_write"]):
                standin.program(answer)
                said.append(world.operator("POST", f"/sinks/{kind}/test").text)
        said.append(world.operator("PUT", f"/connections/{kind}/secret", {"secret": secret}).text)
        ignored = {"secret": secret}  # the contract knows no such thing
        path = f"/connections/{kind}"
        said.append(world._call("PATCH", path, ignored, world.operator_token).text)
    for place in heard.values():
        source = place.source(world)
        for number, fault in enumerate(("", *FAULTS)):
            place.standin.program([fault] if fault else [])
            place.hear(world, source, place.asks(number + 1))
            reply_id = world.reply(world.claim(), "hello").json["reply_id"]
            dial(world.lib, reply_id)
            said.append(world.agent("GET", f"/replies/{reply_id}").text)
    return said


def test_no_secret_of_any_kind_in_any_answer_page_log_or_stored_byte(
    world: World,
    heard: dict[str, Place],
    accounts_of: dict[str, tuple[Any, str, str]],
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    caplog.set_level(logging.DEBUG)
    assert password_hash() and world.endpoint
    said = live(world, heard, accounts_of)
    with subtests.test("the answers"):
        assert_clean("an answer", "\n".join(said), SECRETS)
    browser = signed_in(world)
    for path in gets(world):
        with subtests.test(path):
            answer = world.operator("GET", path.removeprefix("/api/v1"))
            page = browser.get(path)
            assert 500 not in (answer.status_code, page.status_code)
            assert_clean(path, answer.data + page.data, SECRETS)
    with subtests.test("the log"):
        assert_clean("the log", caplog.text, SECRETS)
    with subtests.test("the database"):
        assert_clean("the database", stored(world), SECRETS)


def test_no_address_called_holds_a_secret_but_apprises_which_has_no_other_place_for_it(
    world: World, heard: dict[str, Place], accounts_of: dict[str, tuple[Any, str, str]]
) -> None:
    assert world.endpoint
    live(world, heard, accounts_of)
    for kind, (standin, _, _) in accounts_of.items():
        paths = "\n".join(request.path for request in standin.requests)
        allowed = {"apprise"} if kind == "apprise" else set()
        found = {name for name, secret in SECRETS.items() if secret in paths}
        assert (kind, found) == (kind, allowed)


@pytest.mark.parametrize("kind", ["gitea", "slack", "cairn", "gotify", "apprise", "notify"])
def test_what_holds_or_carries_a_secret_does_not_show_it(
    world: World, accounts_of: dict[str, tuple[Any, str, str]], kind: str
) -> None:
    standin, account_key, secret = accounts_of[kind]
    credential = Credential(account_key, secret)
    standin.program("reset_after_write")
    with pytest.raises(OutboundError) as broken:
        connection_kind(world.lib.settings, kind).probe(world.lib.http, credential)
    chain = [broken.value, broken.value.__cause__, credential]
    if not broken.value.__suppress_context__:
        chain.append(broken.value.__context__)
    assert_clean("a repr", "\n".join(f"{each!r} {each!s}" for each in chain), SECRETS)
