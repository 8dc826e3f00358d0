"""The reply family: answer where a todo came from."""

from __future__ import annotations

from typing import Any

from switchboard.mcp import schemas
from switchboard.mcp.caller import Caller
from switchboard.mcp.tools import Family, Result, Tool, as_agent
from switchboard.replies import accept

INSTRUCTIONS = """\
If a doorbell carries reply_to, you may answer the origin with the reply tool, passing its todo_id; the \
text is posted publicly. Claim the todo first."""


def _reply(by: Caller, **wanted: Any) -> Result:
    return accept.accept(by.lib, by.agent, accept.Request(**wanted), by.waiting)


REPLY = Tool(
    name="reply",
    title="Answer the origin",
    description=(
        "Post text to the conversation this todo came from (its reply_to). You choose the words; the "
        "destination and credential are fixed by Switchboard. The text is posted publicly. Answers "
        "{reply_id, state, duplicate, display, permalink, error_class, error_code}. state is sent, failed, "
        "unknown (it may have been posted: look there before you answer again) or still pending (ask "
        "get_reply). The same text, or the same idempotency_key, is never posted twice: you get the "
        "first outcome with duplicate true."
    ),
    run=_reply,
    arguments={
        "todo_id": schemas.TODO_ID,
        "text": schemas.text(
            "What to post, in the origin's own markup (Markdown on a forge, mrkdwn on Slack).",
            accept.MAX_TEXT,
        ),
        "idempotency_key": schemas.text(
            "Your name for this one answer, printable ASCII; left out: made of todo and text.",
            accept.MAX_KEY,
        ),
        "attempt": schemas.ATTEMPT,
        "wait": {
            "type": "number",
            "minimum": 0,
            "description": "How many seconds to wait for the outcome; 0 answers at once. The box caps it.",
        },
    },
    required=("todo_id", "text"),
    repeatable=True,
    open_world=True,
)

GET_REPLY = Tool(
    name="get_reply",
    title="Get a reply",
    description="One reply of your endpoint as it stands, by the reply_id that reply answered.",
    run=as_agent(accept.get),
    arguments={"reply_id": schemas.text("The reply's id, rp_…")},
    required=("reply_id",),
    read_only=True,
)

FAMILY = Family(tools=(REPLY, GET_REPLY), instructions=INSTRUCTIONS)
