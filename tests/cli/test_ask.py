"""`ask`: an agent's question at the command line, with nothing running but the provider it goes to."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from switchboard.replies.marker import MARKER
from tests.cli.conftest import CommandLine, process
from tests.standins.github import GitHubStandIn

REF = "github:acme/rocket#7"
ASK = ("ask", "--work-item", REF)
MARKDOWN = """\
Which database?

- `Postgres`: what **production** has, "really"
- SQLite: $(nothing) to set up; it's "free" \\o/

```sh
make test && echo 'größer' # 漢字
```"""
NOBODY = "redis://127.0.0.1:1/0"  # no Valkey listens there

one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def asking(ana: CommandLine) -> CommandLine:
    """Ana can be asked on GitHub; neither web process, worker nor Valkey is there."""
    add = ("connection", "add", "github", "--owner", "ana", "--name", "octo")
    ana.json(*add, "--account-key", "github.com", "--secret-stdin", stdin="a-token-for-tests")
    return CommandLine({**ana.environ, "SWITCHBOARD_REDIS_URL": NOBODY})


def waits(cli: CommandLine) -> list[dict[str, Any]]:
    """The events of questions, newest first."""
    return cli.json("events", "--type", "session.awaiting_input")


@one_database
def test_it_posts_records_and_exits_with_0_while_nothing_else_runs(
    asking: CommandLine, github: GitHubStandIn
) -> None:
    command = (*ASK, "--question-file", "-", "--json")
    child = process(asking.environ, *command, stdin=subprocess.PIPE)
    out, err = child.communicate(MARKDOWN.encode(), timeout=60)
    assert (child.returncode, err) == (0, b"")
    [post] = github.posts
    assert post.json["body"].startswith(f"{MARKDOWN}\n\n{MARKER}")
    told = json.loads(out)
    assert told["comment_posted"] and told["comment_url"].startswith("https://github.com/")
    [event] = waits(asking)
    assert event["data"]["question"] == MARKDOWN and event["data"]["comment_posted"]
    assert event["data"]["comment_url"] == told["comment_url"]


def test_its_answer_to_people_names_where_it_stands(
    asking: CommandLine, github: GitHubStandIn
) -> None:
    said = asking.text(*ASK, "--question", "Which database?", "--actor", "importer")
    assert said.startswith(f"{REF}: Posted. https://github.com/acme/rocket/issues/7")
    assert waits(asking)[0]["data"]["actor"] == "importer"


def test_a_comment_whose_answer_cannot_be_read_is_posted_without_an_address(
    asking: CommandLine, github: GitHubStandIn
) -> None:
    github.program("created_garbage")
    told = asking.json(*ASK, "--question", "Which database?")
    assert (told["comment_posted"], told["comment_url"]) == (True, "")


def test_who_asks_is_the_login_name_unless_it_is_said(
    asking: CommandLine, github: GitHubStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "robot")
    asking.text(*ASK, "--question", "Which database?")
    assert waits(asking)[0]["data"]["actor"] == "robot"


@pytest.mark.parametrize("trouble", ["bad_credentials", "close_after_write", "nobody there"])
def test_a_provider_that_takes_no_comment_is_exit_1_and_the_wait_is_recorded(
    asking: CommandLine, github: GitHubStandIn, trouble: str
) -> None:
    if trouble == "nobody there":
        asking = CommandLine({**asking.environ, "SWITCHBOARD_GITHUB_API_URL": "http://127.0.0.1:1"})
    else:
        github.program(trouble)
    result = asking.run(*ASK, "--question", "Which database?")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    assert "(comment_not_posted)" in result.stderr and "operator sees it" in result.stdout
    [event] = waits(asking)
    assert event["data"]["comment_posted"] is False and event["data"]["level"] == "warning"


def test_without_a_connection_the_wait_is_recorded_all_the_same(ana: CommandLine) -> None:
    result = ana.run(*ASK, "--question", "Which database?", "--json")
    assert (result.exit_code, json.loads(result.stdout)["comment_posted"]) == (1, False)
    assert [event["ref"] for event in waits(ana)] == [REF]


@one_database
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (("--work-item", "acme/rocket#7", "--question", "x"), "malformed_ref"),
        (("--work-item", "github:acme/rocket#0", "--question", "x"), "malformed_ref"),
        (("--work-item", "jira:X-1", "--question", "x"), "malformed_ref"),
        (("--work-item", "", "--question", "x"), "malformed_ref"),
        (("--work-item", REF, "--question", ""), "empty_text"),
        (("--work-item", REF, "--question", " \n\t\u200b"), "empty_text"),
        (("--work-item", REF, "--question-file", "-"), "empty_text"),
        (("--work-item", REF, "--question-file", "/nowhere"), "invalid_argument"),
        (("--work-item", REF, "--question", "x" * 20_000), "invalid_argument"),
        (("--work-item", REF, "--question", "x", "--owner", "bob"), "not_found"),
        (("--work-item", REF, "--question", "x", "--question-file", "-"), "invalid_argument"),
        (("--work-item", REF), "invalid_argument"),
        (("--question", "x"), "invalid_argument"),
    ],
)
def test_what_cannot_be_asked_is_exit_2_without_row_or_post(
    asking: CommandLine, github: GitHubStandIn, wrong: tuple[str, ...], code: str
) -> None:
    exit_code, sentence = asking.error("ask", *wrong, stdin="  \n")
    assert exit_code == (1 if code == "not_found" else 2)
    assert sentence.endswith(f"({code})")
    assert (github.requests, asking.json("events")[0]["type"]) == ([], "connection.added")


@one_database
@pytest.mark.parametrize(("stdin", "word"), [(b"\xff\xfe", "UTF-8"), (b"x" * 65_537, "64 KiB")])
def test_a_file_that_holds_no_question_is_refused(
    asking: CommandLine, stdin: bytes, word: str
) -> None:
    code, sentence = asking.error(*ASK, "--question-file", "-", stdin=stdin)
    assert code == 2 and word in sentence


def test_the_same_question_is_asked_once(asking: CommandLine, github: GitHubStandIn) -> None:
    first = asking.json(*ASK, "--question", "Which database?")
    again = asking.json(*ASK, "--question", "Which database?")
    assert (again["duplicate"], again["comment_url"]) == (True, first["comment_url"])
    assert (len(github.posts), len(waits(asking))) == (1, 1)


def test_of_several_owners_one_has_to_be_named(asking: CommandLine, github: GitHubStandIn) -> None:
    asking.json("account", "create", "bob", "--email", "bob@example.org")
    code, sentence = asking.error(*ASK, "--question", "Which?")
    assert code == 2 and "--owner" in sentence
    asking.text(*ASK, "--question", "Which?", "--owner", "ana")
    assert len(github.posts) == 1


def test_a_secret_in_a_question_is_not_posted(asking: CommandLine, github: GitHubStandIn) -> None:
    canary = "ghp_" + "aB3" * 12
    result = asking.run(*ASK, "--question", f"Is {canary} right?")
    assert (result.exit_code, github.posts) == (1, [])
    assert canary not in result.stdout + result.stderr


def test_a_question_on_a_ticket_of_ours_is_a_comment_there(asking: CommandLine) -> None:
    create = ("thread", "create", "--kind", "ticket", "--repo", "acme/rocket", "--owner", "ana")
    asking.json(*create, "--title", "Importer")
    asked = asking.json("ask", "--work-item", "ticket:acme/rocket#1", "--question", "Which?")
    shown = asking.json("thread", "show", "ticket:acme/rocket#1")
    assert asked["comment_posted"] and shown["id"] in asked["comment_url"]
    assert [each["body"].splitlines()[0] for each in shown["comments"]] == ["Which?"]


def test_a_question_from_a_file_is_read_from_it(
    asking: CommandLine, github: GitHubStandIn, tmp_path: Path
) -> None:
    file = tmp_path / "question.md"
    file.write_text(MARKDOWN)
    asking.text(*ASK, "--question-file", str(file))
    assert github.posts[0].json["body"].startswith(MARKDOWN)
