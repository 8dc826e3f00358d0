"""The drain family: find, claim, hold, finish todos, and comment on them."""

from __future__ import annotations

from typing import Any

from switchboard.mcp import schemas
from switchboard.mcp.caller import Caller
from switchboard.mcp.tools import Family, Result, Tool, as_agent
from switchboard.threads import comments
from switchboard.threads.texts import MAX_BODY_BYTES
from switchboard.todos import leases, views

VIA = "mcp"

INSTRUCTIONS = """\
Take work with claim_next. A claim is a lease: call heartbeat before lease_expires_at if you need more \
time, then complete, or fail if you could not do it, or release to give it back untouched. Pass the \
claimed todo's attempt along. A lease that runs out burns one of its attempts, and somebody else gets it."""


def _list_todos(by: Caller, **wanted: Any) -> Result:
    page = views.search(by.lib, by.agent, with_payloads=False, **wanted)
    return {"todos": page.todos, "next": page.next}


def _claim_next(by: Caller, **wanted: Any) -> Result:
    todo = leases.claim_next(by.lib, by.agent, **wanted)
    return {"id": None} if todo is None else todo


def _comment(by: Caller, todo_id: str, body: str) -> Result:
    return comments.add_on_todo(by.lib, by.agent, todo_id, body, via=VIA)


def _list_comments(by: Caller, todo_id: str, **wanted: Any) -> Result:
    page = comments.of_todo(by.lib, by.agent, todo_id, **wanted)
    return {"comments": page.comments, "next": page.next}


_QUEUE = schemas.text("One of your queues; left out: all of them.")
_RESULT = {
    # said in full, since some clients refuse a schema without a type
    "type": ["object", "array", "string", "number", "boolean", "null"],
    "description": "Anything worth keeping about the outcome: any JSON, up to 16 KiB.",
}

LIST_TODOS = Tool(
    name="list_todos",
    title="List todos",
    description=(
        "Your endpoint's todos, oldest first, without their payloads (get_todo has it). Claims nothing: "
        "to take work, call claim_next. Answers {todos, next}; pass next as after for the next page."
    ),
    run=_list_todos,
    arguments={
        "state": {
            "type": "string",
            "enum": list(views.STATES),
            "description": "Only todos in this state; left out: all.",
        },
        "queue": _QUEUE,
        "after": schemas.AFTER,
        "limit": schemas.LIMIT,
    },
    read_only=True,
)

GET_TODO = Tool(
    name="get_todo",
    title="Get a todo",
    description=(
        "One todo, whole: title, payload (the body that the webhook brought), subject, reply_to (where "
        "it may be answered, or null), replies so far, state, attempt."
    ),
    run=as_agent(views.get),
    arguments={"todo_id": schemas.TODO_ID},
    required=("todo_id",),
    read_only=True,
)

CLAIM_NEXT = Tool(
    name="claim_next",
    title="Claim the next todo",
    description=(
        "Take the oldest todo that waits, so that nobody else works on it while your lease lasts. Answers "
        'the todo, whole, or {"id": null} when there is nothing to do. Keep its id and attempt.'
    ),
    run=_claim_next,
    arguments={"queue": _QUEUE, "lease_seconds": schemas.LEASE_SECONDS},
)

CLAIM = Tool(
    name="claim",
    title="Claim a todo",
    description=(
        "Take one pending todo by its id, as a doorbell or list_todos named it. Refused as conflict when "
        "somebody else has it."
    ),
    run=as_agent(leases.claim),
    arguments={"todo_id": schemas.TODO_ID, "lease_seconds": schemas.LEASE_SECONDS},
    required=("todo_id",),
)

HEARTBEAT = Tool(
    name="heartbeat",
    title="Extend a claim",
    description="Let the lease of a todo you claimed run anew from now. Do it well before it ends.",
    run=as_agent(leases.heartbeat),
    arguments={
        "todo_id": schemas.TODO_ID,
        "attempt": schemas.ATTEMPT,
        "lease_seconds": schemas.LEASE_SECONDS,
    },
    required=("todo_id",),
    repeatable=True,
)

RELEASE = Tool(
    name="release",
    title="Give a todo back",
    description=(
        "Give a claimed todo back at once for somebody else, with none of its attempts burned. For work "
        "you do not want to do; if you tried and failed, call fail."
    ),
    run=as_agent(leases.release),
    arguments={"todo_id": schemas.TODO_ID, "attempt": schemas.ATTEMPT},
    required=("todo_id",),
)

COMPLETE = Tool(
    name="complete",
    title="Finish a todo",
    description=(
        "The work of a todo you claimed is done. Nothing is posted by it: if the origin should hear of "
        "it, reply first."
    ),
    run=as_agent(leases.complete),
    arguments={"todo_id": schemas.TODO_ID, "attempt": schemas.ATTEMPT, "result": _RESULT},
    required=("todo_id",),
)

FAIL = Tool(
    name="fail",
    title="Report a failure",
    description=(
        "You could not do a todo you claimed. It comes back after a pause, one attempt burned, until it "
        "has none left; with retry false it is failed for good now."
    ),
    run=as_agent(leases.fail),
    arguments={
        "todo_id": schemas.TODO_ID,
        "attempt": schemas.ATTEMPT,
        "result": _RESULT,
        "retry": {
            "type": "boolean",
            "description": "Whether another attempt makes sense; true when left out.",
        },
    },
    required=("todo_id",),
    destructive=True,
)

COMMENT = Tool(
    name="comment",
    title="Comment on a todo",
    description=(
        "Write a note on a todo you claimed, or on the ticket it stands for. People of this Switchboard "
        "read it; nothing is posted to the origin."
    ),
    run=_comment,
    arguments={
        "todo_id": schemas.TODO_ID,
        "body": schemas.text("The note, in Markdown.", MAX_BODY_BYTES),
    },
    required=("todo_id", "body"),
)

LIST_COMMENTS = Tool(
    name="list_comments",
    title="Read a todo's comments",
    description="What was said on a todo, or on the ticket it stands for, oldest first: {comments, next}.",
    run=_list_comments,
    arguments={
        "todo_id": schemas.TODO_ID,
        "after": schemas.AFTER,
        "limit": schemas.LIMIT,
    },
    required=("todo_id",),
    read_only=True,
)

FAMILY = Family(
    tools=(
        LIST_TODOS,
        GET_TODO,
        CLAIM_NEXT,
        CLAIM,
        HEARTBEAT,
        RELEASE,
        COMPLETE,
        FAIL,
        COMMENT,
        LIST_COMMENTS,
    ),
    instructions=INSTRUCTIONS,
)
