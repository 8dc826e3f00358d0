"""`session`: registered, shown, paused, resumed and ended at the command line."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine

REF = "github:acme/rocket#7"
REGISTER = ("session", "register", REF, "--target", "work:0.1", "--socket", "/nowhere/socket")


# what is refused before anything is looked up does not depend on the database
one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def at_work(ana: CommandLine) -> CommandLine:
    """An agent of ana's works on the ref, in a pane of a tmux that is not there."""
    ana.json(*REGISTER)
    return ana


def state(cli: CommandLine) -> list[str]:
    return [each["state"] for each in cli.json("session", "list")]


def test_a_pane_is_registered_and_listed(ana: CommandLine) -> None:
    result = ana.run(*REGISTER)
    assert result.exit_code == 0 and f"Answers on {REF} go to the pane work:0.1" in result.stdout
    assert "no agent runs in the pane" in result.stderr
    [listed] = ana.json("session", "list")
    assert (listed["ref"], listed["state"], listed["owner"]) == (REF, "active", {"account": "ana"})
    assert (listed["target"], listed["socket"]) == ("work:0.1", "/nowhere/socket")
    assert "work:0.1 at /nowhere/socket" in ana.text("session", "list")


def test_inside_tmux_this_pane_is_meant(ana: CommandLine) -> None:
    inside = {**ana.environ, "TMUX": "/tmp/tmux-0/own,123,0", "TMUX_PANE": "%4"}
    made = CommandLine(inside).json("session", "register", REF)
    assert (made["target"], made["socket"]) == ("%4", "/tmp/tmux-0/own")


def test_elsewhere_the_pane_has_to_be_named(ana: CommandLine) -> None:
    outside = CommandLine({**ana.environ, "TMUX": "", "TMUX_PANE": ""})
    code, sentence = outside.error("session", "register", REF)
    assert code == 2 and "--target" in sentence


@one_database
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ((REF, "--target", "work"), "invalid_argument"),
        ((REF, "--target", "work:0.1;kill-server"), "invalid_argument"),
        ((REF, "--target", "work:0.1", "--socket", "relative"), "invalid_argument"),
        (("rocket", "--target", "work:0.1"), "malformed_ref"),
        ((REF, "--target", "work:0.1", "--transport", "carrier-pigeon"), "invalid_argument"),
    ],
)
def test_what_is_no_pane_or_no_work_item_is_refused(
    ana: CommandLine, wrong: tuple[str, ...], code: str
) -> None:
    exit_code, sentence = ana.error("session", "register", *wrong)
    assert exit_code == 2 and sentence.endswith(f"({code})")
    assert state(ana) == []


def test_a_mailbox_is_opened_for_an_endpoint_that_was_not_seen_yet(ana: CommandLine) -> None:
    mailbox = ("session", "register", REF, "--transport", "mailbox")
    code, sentence = ana.error(*mailbox)
    assert code == 2 and "--endpoint" in sentence
    made = ana.json(*mailbox, "--endpoint", "fixer")
    assert (made["transport"], made["endpoint"], made["last_seen_at"]) == ("mailbox", "fixer", None)
    assert ana.json(*mailbox, "--endpoint", "fixer")["id"] == made["id"]
    assert "endpoint fixer" in ana.text("session", "list")


@one_database
@pytest.mark.parametrize(
    "mixed",
    [
        ("--transport", "mailbox", "--endpoint", "fixer", "--target", "work:0.1"),
        ("--endpoint", "fixer", "--target", "work:0.1"),
    ],
)
def test_a_pane_and_a_mailbox_are_not_mixed(ana: CommandLine, mixed: tuple[str, ...]) -> None:
    code, sentence = ana.error("session", "register", REF, *mixed)
    assert (code, state(ana)) == (2, []) and "mailbox" in sentence


def test_registering_again_moves_it_and_leaves_one_at_work(at_work: CommandLine) -> None:
    at_work.json("session", "register", REF, "--target", "other:1.0")
    assert state(at_work) == ["active", "ended"]
    assert at_work.json("session", "list", "--state", "active")[0]["target"] == "other:1.0"


def test_it_is_paused_resumed_and_ended_by_its_work_item(at_work: CommandLine) -> None:
    assert "is paused" in at_work.text("session", "pause", REF) and state(at_work) == ["paused"]
    assert "answers again" in at_work.text("session", "resume", REF)
    assert state(at_work) == ["active"]
    assert "has ended" in at_work.text("session", "end", REF) and state(at_work) == ["ended"]
    said = [event["type"] for event in at_work.json("events") if "session." in event["type"]]
    assert said == [f"session.{what}" for what in ("ended", "resumed", "paused", "registered")]


def test_one_that_has_ended_does_not_go_on(at_work: CommandLine) -> None:
    [listed] = at_work.json("session", "list")
    at_work.text("session", "end", listed["id"])
    code, sentence = at_work.error("session", "resume", listed["id"])
    assert code == 1 and "(conflict)" in sentence


def test_one_that_is_not_there_is_not_found(ana: CommandLine) -> None:
    for verb in ("pause", "resume", "end"):
        assert ana.error("session", verb, REF)[1].endswith("(not_found)")


def test_the_list_is_narrowed_and_says_when_it_is_empty(at_work: CommandLine) -> None:
    assert at_work.json("session", "list", "--ref", "github:acme/rocket#8") == []
    assert at_work.text("session", "list", "--state", "ended").strip() == "No session matches."
    assert len(at_work.json("session", "list", "--ref", REF)) == 1


def test_without_any_the_first_step_is_named(ana: CommandLine) -> None:
    assert "session register REF --target" in ana.text("session", "list")
