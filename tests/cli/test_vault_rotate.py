"""`vault rotate`: everything sealed moves under the key in use."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from sqlalchemy import select, update

from switchboard.access import oauth_programs
from switchboard.config import read_settings
from switchboard.errors import Conflict
from switchboard.lib.crypto import Sealer
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Connection, EndpointHook, OAuthClient, Source, SourceSecret
from tests.cli.conftest import CommandLine

OLD, NEW = b"k" * 32, b"n" * 32
SECRET = "canary-token-0123456789"


def text_of(key: bytes) -> str:
    return base64.b64encode(key).decode()


@pytest.fixture
def filled(ana: CommandLine) -> CommandLine:
    """A connection, a source with two secrets and a revoked one, a rotated hook, a program: the old key."""
    add = ("connection", "add", "github", "--owner", "ana", "--name", "octo")
    ana.json(*add, "--account-key", "github.com", "--secret-stdin", stdin=SECRET)
    ana.json("source", "add", "github", "--owner", "ana", "--name", "octo")
    ana.json("source", "rotate", "octo")
    ana.json("source", "add", "github", "--owner", "ana", "--name", "gone")
    ana.json("source", "revoke", "gone")
    ana.json("endpoint", "hook", "fixer", "--url", "https://example.org/bell")
    ana.json("endpoint", "hook", "fixer", "--rotate")
    lib = Plumbing(read_settings(ana.environ))
    oauth_programs.register(
        lib, "a-program", {"redirect_uris": ["https://client.example.org/"]}, SECRET
    )
    lib.db.dispose()
    return ana


@pytest.fixture
def between(filled: CommandLine) -> CommandLine:
    """The same, with the new key set and the old one still readable."""
    keys = {"ENCRYPTION_KEY": text_of(NEW), "ENCRYPTION_KEY_OLD": text_of(OLD)}
    return with_keys(filled, **keys)


def with_keys(cli: CommandLine, **keys: str) -> CommandLine:
    kept = {name: value for name, value in cli.environ.items() if "ENCRYPTION_KEY" not in name}
    return CommandLine({**kept, **{f"SWITCHBOARD_{name}": value for name, value in keys.items()}})


def sealed(cli: CommandLine) -> list[tuple[str, str]]:
    """(sealed text, what it is bound to) of everything sealed."""
    lib = Plumbing(read_settings(cli.environ))
    with lib.db.read() as session:
        connections = session.execute(select(Connection.secret, Connection.id, Connection.kind))
        found = [(text, f"{row_id}:{kind}") for text, row_id, kind in connections]
        found += [tuple(row) for row in session.execute(select(Source.token_sealed, Source.id))]
        secrets = select(SourceSecret.sealed, SourceSecret.id).order_by(SourceSecret.id)
        found += [tuple(row) for row in session.execute(secrets)]
        hook = session.scalars(select(EndpointHook)).one()
        bound_to = f"{hook.endpoint_id}:hook"
        found += [(text, bound_to) for text in (hook.secret, hook.previous_secret)]
        programs = session.execute(select(OAuthClient.secret_sealed, OAuthClient.id))
        found += [tuple(row) for row in programs]
    lib.db.dispose()
    return found


def opened(sealer: Sealer, texts: list[tuple[str, str]]) -> list[str | None]:
    def one(text: str, bound_to: str) -> str | None:
        try:
            return sealer.open(text, bound_to)
        except Conflict:
            return None

    return [one(*each) for each in texts]


def test_afterwards_everything_opens_with_the_new_key_alone(between: CommandLine) -> None:
    before = opened(Sealer(OLD), sealed(between))
    result = between.json("vault", "rotate")
    assert (result["resealed"], result["unchanged"], result["unreadable"]) == (9, 0, 0)
    assert result["connections"] == {"unchanged": 0, "resealed": 1, "unreadable": 0}
    assert result["programs"] == {"unchanged": 0, "resealed": 1, "unreadable": 0}
    assert result["hooks"] == {"unchanged": 0, "resealed": 2, "unreadable": 0}
    after = sealed(between)
    assert opened(Sealer(NEW), after) == before and None not in before
    assert set(opened(Sealer(OLD), after)) == {None}


def test_a_second_run_changes_nothing(between: CommandLine) -> None:
    between.json("vault", "rotate")
    once = sealed(between)
    result = between.json("vault", "rotate")
    assert (result["resealed"], result["unchanged"]) == (0, 9)
    assert sealed(between) == once


def test_a_ciphertext_moved_to_another_row_does_not_open(between: CommandLine) -> None:
    between.json("vault", "rotate")
    found = sealed(between)
    rows = {bound_to for _, bound_to in found}  # a hook has two secrets in its one
    moved = [(text, row) for text, _ in found for row in rows]
    assert sum(each is not None for each in opened(Sealer(NEW), moved)) == len(found)


def test_what_opens_with_neither_key_stays_and_is_told(between: CommandLine) -> None:
    lib = Plumbing(read_settings(between.environ))
    stranger = Sealer(b"x" * 32).seal("other", "nobody")
    with lib.db.write() as session:
        session.execute(update(Connection).values(secret=stranger))
    lib.db.dispose()
    result = between.run("vault", "rotate")
    assert result.exit_code == 1
    assert result.stdout.startswith("Sealed 8 stored secrets anew")
    assert "1 open with neither key" in result.stdout
    assert opened(Sealer(NEW), sealed(between))[0] is None


def test_what_nothing_needs_any_more_is_no_loss(between: CommandLine) -> None:
    lib = Plumbing(read_settings(between.environ))
    stranger = Sealer(b"x" * 32).seal("other", "nobody")
    with lib.db.write() as session:
        session.execute(
            update(Source).where(Source.state == "revoked").values(token_sealed=stranger)
        )
    lib.db.dispose()
    assert between.json("vault", "rotate")["unreadable"] == 0


def test_without_a_key_nothing_is_touched(filled: CommandLine) -> None:
    if "sqlite" in filled.environ["SWITCHBOARD_DATABASE_URL"]:
        return  # SQLite always has a key: it makes its own
    before = sealed(filled)
    exit_code, sentence = with_keys(filled, ENCRYPTION_KEY_OLD=text_of(OLD)).error(
        "vault", "rotate"
    )
    assert (exit_code, sentence.rpartition(" ")[2]) == (1, "(encryption_required)")
    assert sealed(filled) == before


def test_a_lost_key_is_told_and_does_not_stop_lists_or_revoking(filled: CommandLine) -> None:
    lost = with_keys(filled, ENCRYPTION_KEY=text_of(b"z" * 32))
    assert lost.run("vault", "rotate").exit_code == 1
    assert lost.json("source", "list")[0]["ingest_url"] is None
    assert lost.json("source", "revoke", "octo")["state"] == "revoked"
    exit_code, sentence = lost.error("connection", "test", "octo")
    assert (exit_code, sentence.rpartition(" ")[2]) == (1, "(encryption_required)")


def test_a_failure_midway_changes_nothing(
    between: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sealed(between)
    honest, calls = Sealer.seal, []

    def broken(self: Sealer, *args: Any) -> str:
        calls.append(args)
        if len(calls) > 3:
            raise RuntimeError("a fault")
        return honest(self, *args)

    monkeypatch.setattr(Sealer, "seal", broken)
    assert between.run("vault", "rotate").exit_code == 1
    after = sealed(between)
    assert after[1:] == before[1:]  # the sources, one transaction; connections are another
