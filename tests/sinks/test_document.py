"""docs/notifications.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from switchboard.outbox.topics import EVENTS
from switchboard.sinks import given
from switchboard.sinks.mail import reply_line

REPLY_LINE = reply_line(None)
TEXT = (Path(__file__).parents[2] / "docs" / "notifications.md").read_text()


def rows(section: str) -> list[tuple[str, str]]:
    text = TEXT.partition(f"## {section}")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE)


def test_it_lists_every_event_in_its_words() -> None:
    assert dict(rows("What there is to be told of")) == EVENTS


def test_it_lists_every_kind() -> None:
    assert tuple(kind for kind, _ in rows("The kinds")) == given.kinds()


def test_it_shows_the_line_above_which_one_replies() -> None:
    assert REPLY_LINE in TEXT
