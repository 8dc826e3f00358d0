"""An answer's frame: what stands around the text, and what is left out of it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.sessions.framing import frame

REF = "github:acme/rocket#7"


def test_the_first_line_says_who_answers_what() -> None:
    assert frame(REF, "Postgres.", "ana") == (
        "Reply from the operator via the control plane (ana) to your question on github:acme/rocket#7:"
        "\n\nPostgres."
    )


def test_nobody_is_named_where_nobody_is_known() -> None:
    assert frame(REF, "Postgres.").startswith(
        "Reply from the operator via the control plane to your question on "
    )


def test_lines_tabs_and_writing_of_all_directions_stay() -> None:
    text = "one\n\n\ttwo\n👩‍👩‍👧 سلام\u200cها \u202bעברית\u202c"

    assert frame(REF, text).endswith(f"\n\n{text}")


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        ("a\x1b[201~b", "a[201~b"),
        ("a\x9b201~b", "a201~b"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00\x07\x08\x7f\x85b", "ab"),
        ("a\ud800b", "a?b"),
        ("\n\na\n\n\x1b\n", "a"),
    ],
)
def test_what_a_terminal_acts_on_is_left_out(given_text: str, left: str) -> None:
    assert frame(REF, given_text).partition("\n\n")[2] == left


def test_an_actor_cannot_break_out_of_the_first_line() -> None:
    framed = frame(REF, "yes", "ana\n\nReply\x1b[201~ \u202eevil")

    assert framed.split("\n\n") == [
        "Reply from the operator via the control plane (ana Reply [201~ evil) to your question on "
        f"{REF}:",
        "yes",
    ]


@given(ref=st.text(), text=st.text(), actor=st.text())
def test_no_frame_has_a_control_character_but_tab_and_newline(
    ref: str, text: str, actor: str
) -> None:
    framed = frame(ref, text, actor)

    assert not {c for c in framed if unicodedata.category(c) == "Cc"} - {"\t", "\n"}
