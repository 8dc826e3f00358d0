"""Secrets come in by standard input, are shown once, and never again."""

from __future__ import annotations

from typing import Any

from tests.cli.conftest import CommandLine
from tests.standins.github import GitHubStandIn

CANARY = "ghp_canary0123456789canary"
CONNECTION = (
    *("connection", "add", "github", "--owner", "ana", "--name", "octo"),
    *("--account-key", "github.com"),
)
SOURCE = ("source", "add", "github", "--owner", "ana", "--name", "octo")


AS_ARGUMENTS: list[tuple[str, ...]] = [
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
]


def test_a_secret_as_an_argument_is_a_usage_error_that_does_not_repeat_it(
    ana: CommandLine,
) -> None:
    told = [ana.error(*args, stdin="x" * 12) for args in AS_ARGUMENTS]
    assert [code for code, _ in told] == [2] * len(AS_ARGUMENTS)
    assert CANARY not in str(told)


def test_a_connection_without_the_flag_asks_for_it(ana: CommandLine) -> None:
    exit_code, sentence = ana.error(*CONNECTION, stdin=CANARY)
    assert (exit_code, "--secret-stdin" in sentence) == (2, True)


def test_one_trailing_newline_is_not_part_of_a_secret(ana: CommandLine) -> None:
    ana.json(*SOURCE)
    rotate = ("source", "rotate", "octo", "--secret-stdin")
    given = ("12345678\n", "12345678", " 123 456 \r\n")
    kept = [ana.json(*rotate, stdin=each)["secret"] for each in given]
    assert kept == ["12345678", "12345678", " 123 456 "]


def test_a_secret_that_is_none_is_refused(ana: CommandLine) -> None:
    given = (b"", b"\n", b"\xff\xfe123456789", b"x" * 70_000, b"12345678\n\n")
    told = [ana.error(*SOURCE, "--secret-stdin", stdin=each)[0] for each in given]
    assert (told, ana.json("source", "list")) == ([2] * 5, [])


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
