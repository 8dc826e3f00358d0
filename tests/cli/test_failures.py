"""How failures are told: one line on stderr with the stable code, 2 for bad input, 1 for the rest."""

from __future__ import annotations

import pytest

from switchboard.cli import account
from tests.cli.conftest import CommandLine

ADD = ("source", "add", "github", "--owner", "ana", "--name", "octo")
SIGNED = ("source", "add", "signed", "--owner", "ana", "--name", "ci", "--repo", "acme/rocket")


def test_a_name_that_is_not_there(cli: CommandLine) -> None:
    said = cli.error("account", "token", "bob")
    assert said == (1, "error: There is no account bob. (not_found)")


def test_with_json_errors_stay_a_sentence_on_stderr(cli: CommandLine) -> None:
    said = cli.error("account", "token", "bob", "--json")
    assert said == (1, "error: There is no account bob. (not_found)")


REFUSALS: list[tuple[tuple[str, ...], int, str]] = [
    (("account", "create", "b b", "--email", "b@e.org"), 2, "invalid_argument"),
    (("account", "create", "bob", "--email", "nonsense"), 2, "invalid_argument"),
    (
        ("account", "create", "bob", "--email", "b@e.org", "--letters", "nq"),
        2,
        "invalid_argument",
    ),
    (("account", "create", "ANA", "--email", "b@e.org"), 1, "conflict"),
    (("account", "create", "me", "--email", "b@e.org"), 1, "conflict"),
    (("team", "create", "ana"), 1, "conflict"),
    (("team", "add", "core", "ana"), 1, "not_found"),
    (("team", "add", "core", "ana", "--role", "king"), 2, "invalid_argument"),
    (("endpoint", "vend", "fixer", "--owner", "ana"), 1, "conflict"),
    (("endpoint", "vend", "e", "--owner", "nobody"), 1, "not_found"),
    (("endpoint", "vend", "e", "--owner", "ana", "--verbs", "fly"), 2, "invalid_argument"),
    (("endpoint", "vend", "e", "--owner", "ana", "--verbs", ""), 2, "invalid_argument"),
    (("endpoint", "vend", "e", "--owner", "ana", "--queue", "a b"), 2, "invalid_argument"),
    (("endpoint", "vend", "e", "--owner", "ana", "--webhooks", "1"), 2, "invalid_argument"),
    (
        (
            *("endpoint", "vend", "e", "--owner", "ana", "--verbs", "basic"),
            *("--webhook-kind", "signed"),
        ),
        2,
        "invalid_argument",
    ),
    (
        ("endpoint", "vend", "e", "--owner", "ana", "--expires-in", "soon"),
        2,
        "invalid_argument",
    ),
    (("endpoint", "vend", "e", "--owner", "ana", "--expires-in", "0"), 2, "invalid_argument"),
    (
        ("endpoint", "vend", "e", "--owner", "ana", "--expires-in", "999w"),
        2,
        "invalid_argument",
    ),
    (("endpoint", "vend", "e"), 2, "invalid_argument"),
    (("endpoint", "revoke", "nothing"), 1, "not_found"),
    ((*ADD, "--to", "nothing"), 1, "not_found"),
    ((*ADD, "--to", "fixer:other"), 2, "invalid_argument"),
    ((*ADD, "--repos", "a/b/c"), 2, "invalid_argument"),
    (("source", "add", "myspace", "--owner", "ana", "--name", "o"), 2, "invalid_argument"),
    ((*ADD, "--todo-on-red"), 2, "invalid_argument"),
    ((*SIGNED, "--host", "https://example.org"), 2, "invalid_argument"),
    (SIGNED[:-2], 2, "invalid_argument"),
    (("source", "pause", "nothing"), 1, "not_found"),
    (("connection", "test", "nothing"), 1, "not_found"),
    (("connection", "edit", "nothing"), 2, "invalid_argument"),
    (("delivery", "show", "dl_nothing"), 1, "not_found"),
    (("delivery", "list", "--since", "yesterday"), 2, "invalid_argument"),
    (("delivery", "list", "--status", "lost"), 2, "invalid_argument"),
    (("todo", "list", "--limit", "0"), 2, "invalid_argument"),
    (("todo", "retry", "td_nothing"), 1, "not_found"),
    (("thread", "list", "--limit", "0"), 2, "invalid_argument"),
    (("account", "fly"), 2, "invalid_argument"),
]


def test_each_refusal_has_its_exit_code_and_code(ana: CommandLine) -> None:
    told = []
    for args, _, _ in REFUSALS:
        exit_code, sentence = ana.error(*args)
        assert sentence.startswith("error: ")
        told.append((args, exit_code, sentence.rpartition(" ")[2].strip("()")))
    assert told == REFUSALS


def test_a_usage_error_names_the_help(cli: CommandLine) -> None:
    _, sentence = cli.error("account", "create", "bob")
    assert "Missing option '--email'. See python -m switchboard account create --help." in sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("NONSENSE", "1"),
        ("DATABASE_URL", "mysql://root@host/db"),
        ("DATABASE_URL", "postgresql://u:p@host:port/db"),
        ("REDIS_URL", "http://host"),
        ("ENCRYPTION_KEY", "short"),
        ("ENCRYPTION_KEY_FILE", "/nowhere"),
        ("BASE_URL", "example.org"),
    ],
)
def test_a_setting_that_cannot_be_read_is_bad_input(
    fresh: CommandLine, name: str, value: str
) -> None:
    broken = CommandLine({**fresh.environ, f"SWITCHBOARD_{name}": value})
    exit_code, sentence = broken.error("account", "list")
    assert exit_code == 2
    assert sentence.startswith(f"error: SWITCHBOARD_{name}") and "(invalid_settings)" in sentence


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/at/all.db", "postgresql://u:canary@127.0.0.1:1/db"]
)
def test_a_database_that_is_away_is_a_failure(fresh: CommandLine, url: str) -> None:
    more = {"SWITCHBOARD_DATABASE_URL": url, "SWITCHBOARD_SECRET_KEY": "s"}
    away = CommandLine({**fresh.environ, **more, "SWITCHBOARD_ENCRYPTION_KEY": "a" * 43 + "="})
    exit_code, sentence = away.error("account", "list")
    assert (exit_code, "canary" in sentence) == (1, False)
    assert sentence.endswith("(storage_unavailable)")


def test_a_data_folder_that_cannot_be_made_is_a_failure(fresh: CommandLine) -> None:
    away = CommandLine({"SWITCHBOARD_DATA": "/proc/nowhere"})
    exit_code, sentence = away.error("account", "list")
    assert exit_code == 1
    assert sentence.startswith("error: The system refused: /proc/nowhere: No such file")


def test_a_name_of_two_owners_must_be_given_by_id(ana: CommandLine) -> None:
    ana.json("account", "create", "bob", "--email", "b@e.org")
    ids = [
        ana.json("source", "add", "github", "--owner", who, "--name", "octo")["id"]
        for who in ("ana", "bob")
    ]
    exit_code, sentence = ana.error("source", "revoke", "octo")
    assert (exit_code, "name it by its id. (conflict)" in sentence) == (1, True)
    ana.json("source", "revoke", ids[1])
    assert [source["id"] for source in ana.json("source", "list")] == [ids[0]]


def test_without_an_encryption_key_no_secret_is_stored(cli: CommandLine) -> None:
    cli.json("account", "create", "ana", "--email", "a@e.org")
    keyless = {name: value for name, value in cli.environ.items() if "ENCRYPTION" not in name}
    if "sqlite" in cli.environ["SWITCHBOARD_DATABASE_URL"]:
        assert CommandLine(keyless).run(*ADD).exit_code == 0  # it makes a key of its own
        return
    exit_code, sentence = CommandLine(keyless).error(*ADD)
    assert (exit_code, sentence.rpartition(" ")[2]) == (1, "(encryption_required)")


def test_a_fault_of_ours_is_told_with_its_trace_and_without_secrets(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("opened sbk_canary0123456789")

    monkeypatch.setattr(account.accounts, "everyone", fault)
    result = cli.run("account", "list")
    trace, sentence = result.stderr.strip().split("\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert sentence == "error: This should not happen (RuntimeError); see above. (internal)"
    assert "everyone" in trace and "canary" not in trace
