"""Signing in: alike for a wrong name and a wrong password, slow to guess, ended at once."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from switchboard.access import accounts, login
from switchboard.errors import Conflict, Forbidden, Invalid, Problem, RateLimited, Unauthenticated
from tests.world import PASSWORD, World


def attempt(world: World, name: str, password: str, where: str = "192.0.2.1") -> str:
    try:
        login.with_password(world.lib, name, password, where)
    except Unauthenticated as refusal:
        return refusal.detail
    except RateLimited:
        return "wait"
    return "in"


def test_the_right_password_opens_a_session_that_ends_with_the_account(world: World) -> None:
    assert world.account
    account_id, epoch = login.with_password(world.lib, "ana", PASSWORD, "192.0.2.1")
    assert login.of_cookie(world.lib, {"account": account_id, "epoch": epoch}) is not None
    accounts.disable(world.lib, "ana")
    assert login.of_cookie(world.lib, {"account": account_id, "epoch": epoch}) is None
    assert attempt(world, "ana", PASSWORD) != "in"


def test_a_wrong_name_and_a_wrong_password_are_told_alike(world: World) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("tokens-only", "t@example.org"))
    said = {
        attempt(world, "ana", "wrong"),
        attempt(world, "nobody", PASSWORD),
        attempt(world, "tokens-only", "nobody has this password"),
        attempt(world, "a\x00na", "wrong"),
        attempt(world, "\ud800", "wrong"),
        attempt(world, "", ""),
    }
    assert len(said) == 1 and said.isdisjoint({"in", "wait"})


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_wrong_name_takes_as_long_as_a_wrong_password(world: World) -> None:
    # with a password of the real, slow kind: the world's own is quick to compare with
    accounts.create(world.lib, accounts.NewAccount("eve", "eve@example.org", PASSWORD))

    def seconds(name: str, number: int) -> float:
        started = time.process_time()
        attempt(world, name, "wrong", f"192.0.2.{number}")
        return time.process_time() - started

    known = statistics.median(seconds("eve", number) for number in range(5))
    unknown = statistics.median(seconds("nobody", number) for number in range(5))
    assert 0.5 < unknown / known < 2


def test_after_ten_tries_one_has_to_wait_even_with_the_right_password(world: World) -> None:
    assert world.account
    spellings = ("ana", "Ana", "ANA", "aNa", "anA")
    said = [attempt(world, name, "wrong") for name in spellings * 2]
    assert "wait" not in said
    assert attempt(world, "ana", PASSWORD) == "wait"
    assert attempt(world, "ana", PASSWORD, "198.51.100.7") == "in"


def test_the_first_account_is_made_once_even_when_two_race(world: World) -> None:
    def create(number: int) -> str:
        new = accounts.NewAccount(f"first{number}", "f@example.org", PASSWORD)
        try:
            accounts.create_first(world.lib, new)
        except Forbidden as refusal:
            return refusal.code
        return "made"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(create, range(4))) == ["made"] + ["setup_closed"] * 3
    assert len(accounts.everyone(world.lib)) == 1


def test_one_name_is_given_once_even_when_two_race(world: World) -> None:
    assert world.account

    def create(_: int) -> str:
        try:
            accounts.create(world.lib, accounts.NewAccount("ben", "b@example.org"))
        except Conflict as refusal:
            return refusal.code
        return "made"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(create, range(4))) == ["conflict"] * 3 + ["made"]


def test_accounts_and_teams_share_their_names_in_any_case(world: World) -> None:
    assert world.account
    for make in (
        lambda: accounts.create(world.lib, accounts.NewAccount("ANA", "a@example.org")),
        lambda: accounts.create_team(world.lib, "Ana"),
        lambda: accounts.create_team(world.lib, "me"),
    ):
        with pytest.raises(Conflict):
            make()


def test_bad_input_makes_no_account(world: World, subtests: pytest.Subtests) -> None:
    for changes in [
        {"name": ""},
        {"name": "a b"},
        {"name": "a\x00"},
        {"name": "-a"},
        {"name": "x" * 65},
        {"email": "nobody"},
        {"email": "a@b"},
        {"email": "a b@example.org"},
        {"email": "a@example.org\n"},
        {"email": "a" * 250 + "@example.org"},
        {"password": "short"},
        {"password": "x" * 1025},
        {"letters": "z"},
        {"letters": "n\x00"},
    ]:
        with subtests.test(changes=changes):
            given = {"name": "ben", "email": "b@example.org", "password": PASSWORD} | changes
            with pytest.raises(Invalid) as refusal:
                accounts.create(world.lib, accounts.NewAccount(**given))
            assert refusal.value.field == next(iter(changes))
            assert PASSWORD not in str(refusal.value)
            assert accounts.everyone(world.lib) == []


def test_the_setup_link_is_this_instances(world: World) -> None:
    token = login.setup_token(world.lib)
    assert login.is_setup_token(world.lib, token)
    for forged in ("", token + "x", token[:-1], "first-account", token.upper(), "é", "\x00"):
        assert not login.is_setup_token(world.lib, forged)


def test_a_problem_never_carries_a_password(world: World) -> None:
    with pytest.raises(Problem) as refusal:
        login.with_password(world.lib, "ana", "canary-password", "192.0.2.1")
    assert "canary" not in repr(refusal.value) + str(refusal.value)
