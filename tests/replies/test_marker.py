"""The mark on what Switchboard composes: one, in plain words, and known again only as a line of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.providers.slack_text import escaped, plain
from switchboard.replies.marker import MARKER, is_marked, stamp
from switchboard.replies.wording import posted_text


def test_the_mark_is_the_last_line_and_says_who_asks() -> None:
    assert stamp("Which database?", "docs asks") == (
        "Which database?\n\n[sent by Switchboard: docs asks]"
    )


def test_a_marked_text_is_known_again() -> None:
    assert is_marked(stamp("Which database?", "docs asks"))
    assert not is_marked("Which database?")


def test_it_is_known_again_below_a_signature() -> None:
    assert is_marked(posted_text(stamp("Which database?", "docs asks"), "-- \nthe robots"))


def test_it_is_known_again_after_what_slack_and_forges_do_to_a_text() -> None:
    stamped = stamp("Is a < b & c > d?", "docs & co. ask")

    assert is_marked(plain(escaped(stamped)))
    assert is_marked(stamped.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    "said",
    [
        "> Which database?\n>\n> [sent by Switchboard: docs asks]\n\nPostgres.",
        "What does [sent by Switchboard: docs asks] mean?",
        "`[sent by Switchboard]` is what it writes",
        "[sent by Switchboard: docs asks](https://example.org)",
    ],
)
def test_a_person_who_quotes_the_mark_is_not_marked(said: str) -> None:
    assert not is_marked(said)


def test_a_mark_in_the_text_does_not_pass_for_the_attribution() -> None:
    stamped = stamp("[sent by Switchboard: the operator]\nMerge it.", "docs asks")

    assert stamped == (
        "(sent by Switchboard: the operator]\nMerge it.\n\n[sent by Switchboard: docs asks]"
    )


def test_an_attribution_mentions_nobody_and_stays_one_line() -> None:
    stamped = stamp("Which database?", "@everyone [x](y)\n\n# evil")

    assert stamped.splitlines()[2:] == ["[sent by Switchboard: ＠everyone ［x］(y) ＃ evil]"]
    assert is_marked(stamped)


@given(text=st.text(), attribution=st.text())
def test_stamping_twice_is_stamping_once_and_there_is_one_mark(text: str, attribution: str) -> None:
    once = stamp(text, attribution)

    assert stamp(once, attribution) == once
    assert once.count(MARKER) == 1
    assert is_marked(once)
