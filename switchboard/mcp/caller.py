"""Who is calling, and what a tool works with on its behalf."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.access.principals import Agent
from switchboard.errors import Problem
from switchboard.lib.plumbing import Plumbing
from switchboard.replies.accept import Waiting

CALLER = "switchboard.caller"  # its key in the scope of a message


@dataclass(frozen=True)
class Caller:
    """The agent behind one message. `refusal` is said in place of any tool's result."""

    lib: Plumbing
    agent: Agent
    waiting: Waiting
    refusal: Problem | None = None
