"""`account mails`: what can be answered by mail, and the end of that, from the command line."""

from __future__ import annotations

from switchboard.access.accounts import everyone
from switchboard.lib import ids
from switchboard.sinks import tokens
from tests.cli.conftest import CommandLine
from tests.world import World


def test_mails_are_listed_and_withdrawn(ana: CommandLine, world: World) -> None:
    assert "no mail that ana could answer" in ana.text("account", "mails", "ana")
    thread = ana.json(
        *("thread", "create", "--kind", "forum", "--repo", "acme/rocket", "--title", "It smokes"),
        *("--owner", "ana"),
    )
    [account] = everyone(world.lib)
    with world.lib.db.write() as session:
        token = tokens.mint(session, account["id"], thread["id"], ids.new("message"), 90)
    listed = ana.text("account", "mails", "ana")
    assert "It smokes (acme/rocket#1)" in listed and thread["id"] in listed
    [mail] = ana.json("account", "mails", "ana")["mails"]
    assert (mail["kind"], mail["mails"], mail["used_at"]) == ("forum", 1, None)
    said = ana.text("account", "mails", "ana", "--revoke", thread["id"])
    assert said == "1 mail to ana can be answered no more.\n"
    assert ana.json("account", "mails", "ana", "--revoke-all") == {"revoked": 0}
    assert token not in "".join(ana.said)


def test_what_is_not_there_cannot_be_withdrawn(ana: CommandLine) -> None:
    assert ana.error("account", "mails", "ana", "--revoke", "th_x")[0] == 1
    assert ana.error("account", "mails", "nobody")[0] == 1
    assert ana.error("account", "mails", "ana", "--revoke", "th_x", "--revoke-all")[0] == 2


def test_the_language_of_the_line_is_chosen(ana: CommandLine) -> None:
    said = ana.text("account", "language", "ana", "DE")
    assert said.endswith("begin with: Bitte oberhalb dieser Zeile antworten\n")
    assert [each["language"] for each in ana.json("account", "list")] == ["de"]
    exit_code, sentence = ana.error("account", "language", "ana", "tlh")
    assert (exit_code, "there are: en, de, fr" in sentence) == (2, True)
