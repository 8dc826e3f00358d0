"""A mail's Reply-To proves who may answer where, for its time, however mailers write it."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from switchboard.access import accounts
from switchboard.lib import clock, ids
from switchboard.models import MailToken
from switchboard.sinks import places, tokens
from tests.world import World

DOMAIN = "mail.example.org"
PLACE = ids.new("thread")


def mint(world: World, place: str = PLACE) -> str:
    account_id = world.account["id"]
    with world.lib.db.write() as session:
        return tokens.mint(session, account_id, place, ids.new("message"), 90)


def bearer(world: World, token: str) -> tokens.Bearer | None:
    with world.lib.db.read() as session:
        found = tokens.bearer(session, token)
        session.expunge_all()
    return found


def test_a_token_stands_for_one_account_in_one_place(world: World) -> None:
    token = mint(world)
    found = bearer(world, token)
    assert found is not None
    assert (found.account.name, found.place_id, found.state) == ("ana", PLACE, "good")
    assert clock.ahead(89 * 86_400) < found.expires_at < clock.ahead(91 * 86_400)


def test_the_table_does_not_hold_it(world: World) -> None:
    token = mint(world)
    with world.lib.db.read() as session:
        [row] = session.scalars(select(MailToken))
        assert token not in str(vars(row))


def test_a_reply_address_fits_half_a_local_part_and_is_read_in_any_case(world: World) -> None:
    address = tokens.reply_address(mint(world), DOMAIN)
    assert len(address.partition("@")[0]) == 32
    for written in (address, address.upper(), f" {address}. "):
        token = tokens.token_in(written, DOMAIN)
        assert token is not None and bearer(world, token) is not None


@pytest.mark.parametrize(
    "address",
    [
        f"reply@{DOMAIN}",
        f"reply+{'a' * 25}@{DOMAIN}",
        f"reply+{'a' * 27}@{DOMAIN}",
        f"reply+{'1' * 26}@{DOMAIN}",
        f"reply+{'a' * 26}@other.example.org",
        f"reply+{'a' * 26}",
        f"x reply+{'a' * 26}@{DOMAIN}",
        "",
    ],
)
def test_another_address_has_none(address: str) -> None:
    assert tokens.token_in(address, DOMAIN) is None


def test_one_never_given_stands_for_nobody(world: World) -> None:
    assert bearer(world, "a" * tokens.LENGTH) is None


def test_time_ends_it(world: World) -> None:
    token = mint(world)
    with world.lib.db.write() as session:
        session.execute(update(MailToken).values(expires_at=clock.ago(1)))
    found = bearer(world, token)
    assert found is not None and found.state == "expired"


def test_a_revoke_ends_those_of_its_place_and_no_others(world: World) -> None:
    ended, kept = mint(world), mint(world, ids.new("todo"))
    with world.lib.db.write() as session:
        assert tokens.revoke(session, world.account["id"], PLACE) == 1
    states = [found.state for token in (ended, kept) if (found := bearer(world, token))]
    assert states == ["revoked", "good"]


def test_it_dies_with_its_account(world: World) -> None:
    token = mint(world)
    accounts.disable(world.lib, "ana")
    found = bearer(world, token)
    assert found is not None and found.state == "revoked"


def test_a_message_id_names_its_place_and_no_token() -> None:
    message = ids.new("message")
    for header in (places.message_id(message, PLACE, DOMAIN), places.root_id(PLACE, DOMAIN)):
        assert places.place_in(f"<foreign@example.com> {header.lower()}") == PLACE
    assert places.place_in("<CAF=x@mail.gmail.com>") is None


@pytest.mark.parametrize(
    ("answers", "word", "what"),
    [
        ("ticket-comment:cm_1", "ticket-comment", "cm_1"),
        ("question:github:acme/rocket#7", "question", "github:acme/rocket#7"),
    ],
)
def test_a_transaction_is_read_as_it_was_written(answers: str, word: str, what: str) -> None:
    read = places.read_transaction(places.transaction(answers, "ana"))
    assert read == places.Transaction(word, what, "ana")
    assert places.read_transaction(f"{answers}:ana:") is None
    assert places.read_transaction("mention") is None
