"""The types an event may have. What is not here cannot be written; docs/events.md lists the same."""

from __future__ import annotations

API_REQUEST = "api.request"

TYPES = {
    API_REQUEST: "The JSON API was called, well or in vain; shown only when it is asked for.",
    "connection.added": "A credential was sealed and kept.",
    "connection.edited": "The name, an allowlist, the cap or the signature of a connection changed.",
    "connection.rotated": "A connection got a new credential; the old one is gone.",
    "connection.tested": "A connection was tried with one harmless read, well or in vain.",
    "connection.deleted": "A connection and its credential were forgotten.",
    "endpoint.program_let_in": "A human let a program work as an endpoint (OAuth).",
    "endpoint.program_shut_out": "A human ended a program's token for an endpoint.",
    "mail.withdrawn": "Mails that an account was sent can be answered no more.",
    "source.added": "Somebody was allowed to write in.",
    "source.rotated": "A source got a new secret.",
    "source.revoked": "A source was ended for good.",
    "hook.set": "An endpoint got a notify hook, or another one; its secret was made and sealed.",
    "hook.rotated": "A hook got a new secret; the old one signs beside it for a day.",
    "hook.tested": "A hook was called once to try it, well or in vain.",
    "hook.removed": "A hook and its secret were forgotten.",
    "session.registered": "An agent at work on a work item can be reached from now on.",
    "session.paused": "A human paused a session: no answer is brought to it.",
    "session.resumed": "A human let a session go on.",
    "session.ended": "A session ended for good.",
    "session.awaiting_input": "An agent asked and waits for a human.",
    "session.reply_sent": "An agent's question was answered, here or on its ticket.",
    "sink.added": "Somebody is told of things somewhere.",
    "sink.edited": "A sink is told of other things.",
    "sink.tested": "A message was sent through a sink to try it, well or in vain.",
    "sink.deleted": "A sink was forgotten with what waited in it.",
    "vault.rotated": "Every sealed secret was sealed again under the current key.",
}
