"""What a sink can subscribe to; docs/notifications.md lists the same."""

from __future__ import annotations

EVENTS = {
    "question": "an agent asks something and waits",
    "dead_letter": "a todo was given up after its last attempt",
    "comment": "somebody commented on a thread or todo that is yours or that you follow",
    "fault": "something is wrong that an operator must see",
    "reply_failed": "an answer was not posted, or nobody can tell",
}
TEST = "test"  # what a send test sends; nobody subscribes to it
PERSONAL_KINDS = ("email", "notify")  # reach one person at a time, who may answer
