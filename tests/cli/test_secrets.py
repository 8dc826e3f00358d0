"""Secrets come in by standard input, are shown once, and never again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.standins.github import GitHubStandIn

CANARY = "ghp_canary0123456789canary"
CONNECTION = (
    *("connection", "add", "github", "--owner", "ana", "--name", "octo"),
    *("--account-key", "github.com"),
)
SOURCE = ("source", "add", "github", "--owner", "ana", "--name", "octo")


@pytest.mark.parametrize(
    "args",
    [
        (*CONNECTION, "--secret", CANARY),
        (*CONNECTION, f"--secret={CANARY}"),
        (*CONNECTION, f"--secret-stdin={CANARY}"),
        (*CONNECTION, "--secret-stdin", CANARY),
        (*SOURCE, "--secret-stdin", CANARY),
        (*SOURCE, "--secret", CANARY),
        ("source", "rotate", "octo", CANARY),
        ("connection", "rotate", "octo", CANARY),
        ("account", "create", "bob", "--email", "b@e.org", "--password", CANARY),
        ("account", "create", "bob", "--email", "b@e.org", "--password-stdin", CANARY),
    ],
)
def test_a_secret_as_an_argument_is_a_usage_error_that_does_not_repeat_it(
    ana: CommandLine, args: tuple[str, ...]
) -> None:
    exit_code, sentence = ana.error(*args, stdin="x" * 12)
    assert (exit_code, CANARY in sentence) == (2, False)


def test_a_connection_without_the_flag_asks_for_it(ana: CommandLine) -> None:
    exit_code, sentence = ana.error(*CONNECTION, stdin=CANARY)
    assert (exit_code, "--secret-stdin" in sentence) == (2, True)


@pytest.mark.parametrize(("given", "kept"), [("12345678\n", "12345678"), ("12345678", "12345678")])
def test_one_trailing_newline_is_not_part_of_a_secret(
    ana: CommandLine, given: str, kept: str
) -> None:
    assert ana.json(*SOURCE, "--secret-stdin", stdin=given)["secret"] == kept


def test_white_space_inside_and_before_the_newline_is_kept(ana: CommandLine) -> None:
    assert ana.json(*SOURCE, "--secret-stdin", stdin=" 123 456 \r\n")["secret"] == " 123 456 "


@pytest.mark.parametrize("given", [b"", b"\n", b"\xff\xfe123456789", b"x" * 70_000, b"12345678\n\n"])
def test_a_secret_that_is_none_is_refused(ana: CommandLine, given: bytes) -> None:
    exit_code, _ = ana.error(*SOURCE, "--secret-stdin", stdin=given)
    assert (exit_code, ana.json("source", "list")) == (2, [])


def test_nothing_shows_a_secret_again(ana: CommandLine, github: GitHubStandIn) -> None:
    ana.json(*CONNECTION, "--secret-stdin", stdin=CANARY)
    source = ana.json(*SOURCE)
    rotated = ana.json("source", "rotate", "octo")
    vended = ana.json("endpoint", "vend", "bee", "--owner", "ana")
    token = ana.json("account", "token", "ana")
    secrets = (CANARY, source["secret"], rotated["secret"], vended["credential"], token["token"])
    ana.said.clear()
    for form in ((), ("--json",)):
        for noun in ("account", "source", "endpoint", "connection", "delivery", "todo", "team"):
            ana.run(noun, "list", *form)
        ana.run("source", "pause", "octo", *form)
        ana.run("connection", "test", "octo", *form)
        ana.run("connection", "edit", "octo", "--signature", "x", *form)
        ana.run("vault", "rotate", *form)
        ana.run("doctor", *form)
    ana.run("connection", "rotate", "octo", "--secret-stdin", stdin=f"{CANARY}2")
    ana.run("connection", "delete", "octo")
    ana.run("endpoint", "revoke", "bee")
    said = "\n".join(ana.said)
    assert len(ana.said) == 27
    assert [secret for secret in secrets if secret in said] == []


def test_what_is_shown_once_is_shown_exactly_once(ana: CommandLine) -> None:
    for args, prefix in (
        (SOURCE, "whsec_"),
        (("endpoint", "vend", "bee", "--owner", "ana"), "sbk_"),
        (("account", "token", "ana"), "sbp_"),
    ):
        text = ana.text(*args)
        assert (text.count(prefix), "this once" in text) == (1, True)


def test_no_secret_lies_in_the_database_in_clear(ana: CommandLine, lib: Any) -> None:
    from sqlalchemy import select

    from switchboard.models import Base

    ana.json(*CONNECTION, "--secret-stdin", stdin=CANARY)
    secrets = [
        CANARY,
        ana.json(*SOURCE)["secret"],
        ana.json("endpoint", "vend", "bee", "--owner", "ana")["credential"],
        ana.json("account", "token", "ana")["token"],
    ]
    tables = Base.metadata.sorted_tables
    with lib.db.read() as session:
        everything = str([session.execute(select(table)).all() for table in tables])
    assert [secret for secret in secrets if secret in everything] == []
