"""`thread`: opened, found, shown, commented on at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

CREATE = ("thread", "create", "--kind", "forum", "--repo", "acme/rocket")


@pytest.fixture
def talk(ana: CommandLine) -> CommandLine:
    """One thread of ana's is there."""
    ana.json(*CREATE, "--owner", "ana", "--title", "Which fuel?")
    return ana


def test_a_thread_is_opened_for_an_owner(ana: CommandLine, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("Kerosene or not?\n")
    made = ana.json(*CREATE, "--owner", "ana", "--title", "Fuel", "--body-file", str(text))
    assert (made["ref"], made["owner"]) == ("forum:acme/rocket#1", {"account": "ana"})
    assert (made["author"], made["via"]) == (None, "cli")
    assert made["body"] == "Kerosene or not?\n"


def test_a_known_repo_needs_no_owner(talk: CommandLine) -> None:
    assert talk.json(*CREATE, "--title", "More")["number"] == 2


def test_a_new_repo_needs_one(ana: CommandLine) -> None:
    code, sentence = ana.error(*CREATE, "--title", "x")
    assert code == 2 and "invalid_argument" in sentence


def test_the_list_is_for_people_and_for_scripts(talk: CommandLine) -> None:
    assert "forum:acme/rocket#1" in talk.text("thread", "list")
    assert [each["title"] for each in talk.json("thread", "list")] == ["Which fuel?"]
    assert talk.text("thread", "list", "--kind", "ticket").strip() == "No thread matches."


def test_a_thread_is_shown_by_ref_with_what_was_said(talk: CommandLine) -> None:
    talk.json("thread", "comment", "acme/rocket#1", "--body-file", "-", stdin="None at all.")
    shown = talk.text("thread", "show", "forum:acme/rocket#1")
    assert "Which fuel?" in shown and "None at all." in shown and "command line" in shown


def test_more_comments_than_a_page_are_all_shown(talk: CommandLine, world: object) -> None:
    for number in range(201):
        body = f"n{number}"
        talk.run("thread", "comment", "acme/rocket#1", "--body-file", "-", stdin=body)
    said = talk.json("thread", "show", "acme/rocket#1")["comments"]
    assert [each["body"] for each in said] == [f"n{number}" for number in range(201)]


def test_what_strangers_wrote_does_not_steer_the_terminal(talk: CommandLine) -> None:
    talk.json("thread", "comment", "acme/rocket#1", "--body-file", "-", stdin="\x1b[31mred")
    assert "\x1b" not in talk.text("thread", "show", "acme/rocket#1")


def test_it_is_closed_and_reopened(talk: CommandLine) -> None:
    assert talk.json("thread", "close", "acme/rocket#1")["state"] == "closed"
    assert talk.json("thread", "reopen", "acme/rocket#1")["state"] == "open"


def test_a_ticket_is_adopted_once(talk: CommandLine) -> None:
    made = talk.json(
        "thread", "create", "--kind", "ticket", "--repo", "acme/rocket", "--title", "x"
    )
    assert talk.json("thread", "adopt", made["id"])["adopted_at"]
    assert talk.text("thread", "list").count("command line") == 3  # by, and adopted by
    assert talk.error("thread", "adopt", made["id"])[0] == 1


@pytest.mark.parametrize(
    ("stdin", "word"), [(b"\xff\xfe", "not UTF-8"), (b"x" * 32_769, "32 KiB"), (b"", "empty")]
)
def test_a_text_that_is_none_is_refused(talk: CommandLine, stdin: bytes, word: str) -> None:
    code, sentence = talk.error(
        "thread", "comment", "acme/rocket#1", "--body-file", "-", stdin=stdin
    )
    assert code == 2 and word in sentence


def test_an_unknown_thread_is_said_so(ana: CommandLine) -> None:
    assert ana.error("thread", "show", "acme/rocket#9") == (
        1,
        "error: There is no such thread. (not_found)",
    )
