"""An answer by mail that reaches no agent is kept as a comment, and whoever gave it is told by mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import pytest
from sqlalchemy import select

from switchboard.access.principals import Machine
from switchboard.mail import bounces
from switchboard.models import MailBounce
from switchboard.sessions import registry
from switchboard.sessions.registry import NewPane
from tests.mail.post import ANA, PostOffice
from tests.sessions import panes
from tests.sessions.desk import REF, Desk
from tests.sessions.panes import TMUX
from tests.standins.mail import MailServer


@pytest.fixture(scope="module")
def _server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def server(_server: MailServer) -> MailServer:
    _server._mails.clear()
    return _server


@pytest.fixture
def environ(environ: dict[str, str], server: MailServer) -> dict[str, str]:
    return environ | {"SWITCHBOARD_SMTP_URL": server.url}


def in_mailbox(desk: Desk) -> Callable[[str], None]:
    """The agent's session is a mailbox, to be paused or ended."""
    assert desk.register().status_code in (200, 201)
    return lambda act: getattr(registry, act)(desk.world.lib, Machine(), REF) and None


def in_pane(desk: Desk, tmux: panes.Tmux) -> Callable[[str], None]:
    """The agent sits in a pane of a real tmux, which then goes away."""
    agent = tmux.agent("asks")
    new = NewPane(REF, agent.pane.target, agent.pane.socket)
    registry.register_pane(desk.world.lib, Machine(), new)
    return lambda _: tmux("kill-session", "-t", "asks") and None


@pytest.mark.parametrize(
    ("happens", "code", "why"),
    [
        ("pause", "session_paused", "the session is paused"),
        ("end", "session_ended", "its session has ended"),
        pytest.param(
            "its pane goes away",
            "session_ended",
            "its pane is gone",
            marks=pytest.mark.skipif(TMUX is None, reason="needs tmux"),
        ),
    ],
)
def test_it_is_a_comment_and_the_person_is_told(
    post: PostOffice, server: MailServer, happens: str, code: str, why: str
) -> None:
    desk = Desk(post.world)
    assert desk.todo
    with panes.server() if "pane" in happens else nullcontext() as tmux:
        meanwhile = in_pane(desk, tmux) if tmux else in_mailbox(desk)
        desk.ask("Which fuse?")
        [question] = desk.open()
        answer = post.write(to=post.address(question["id"]))
        meanwhile(happens)
        delivery = post.deliver(answer)
    assert (delivery["status"], delivery["code"]) == ("accepted", code)
    assert why in delivery["reason"]
    path = f"/todos/{desk.todo['id']}/comments"
    said = post.world.operator("GET", path).json["comments"]
    [kept] = [each for each in said if each["via"] == "email"]
    assert kept["body"] == "Take fuse B." and why in kept["note"]
    with post.world.lib.db.read() as session:
        [bounce_id] = session.scalars(select(MailBounce.id))
    bounces.send(post.world.lib, bounce_id)
    [told] = server.mails
    assert told.recipient == ANA and why in told.text
    assert "/question?ref=github:acme/rocket%237" in told.text
