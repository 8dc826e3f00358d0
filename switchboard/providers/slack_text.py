"""Slack's text: three characters are escaped, and links stand in angle brackets.

https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re

MAX_ESCAPED = 40_000  # beyond that Slack cuts the message
# `<https://example.org>` and `<https://example.org|example.org>`; mentions such as `<@U1>` are none
_LINK = re.compile(r"<(?:https?://|mailto:)[^<>|]*(?:\|(?P<label>[^<>]*))?>")


def escaped(text: str) -> str:
    """`text` as it is posted: nothing in it mentions anybody or hides a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain(text: str) -> str:
    """What somebody typed, from what Slack made of it: links as they read, characters unescaped."""
    shown = _LINK.sub(_typed, text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _typed(link: re.Match[str]) -> str:
    return link["label"] if link["label"] is not None else link[0][1:-1]
