"""Who is acting: an operator (a human, or the machine's own command line) or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from switchboard.access import letters
from switchboard.access.ceilings import Ceiling
from switchboard.errors import Forbidden
from switchboard.events.log import Actor

CONFIGURING_ROLES = ("owner", "admin")
FAMILIES = ("drain", "webhook", "reply", "connection", "session")
# posting as the owner and holding its credentials are powers of their own: granted by name only
BASIC_FAMILIES = tuple(family for family in FAMILIES if family not in ("reply", "connection"))


@dataclass(frozen=True)
class Owner:
    """Exactly one account or one team. `id` is whichever it is, `label` its JSON form."""

    id: str
    name: str
    is_team: bool

    @property
    def columns(self) -> dict[str, str | None]:
        """The owner pair as column values."""
        return {
            "owner_account_id": None if self.is_team else self.id,
            "owner_team_id": self.id if self.is_team else None,
        }

    @property
    def label(self) -> dict[str, str]:
        """`{"account": name}` or `{"team": name}`."""
        return {"team" if self.is_team else "account": self.name}


@dataclass(frozen=True)
class Operator:
    """A signed-in human. `roles` maps team ids to the account's role in them."""

    account_id: str
    name: str
    letters: str
    is_admin: bool
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def visible(self) -> frozenset[str] | None:
        """Owner ids whose things this operator may see; None would mean all."""
        return frozenset({self.account_id, *self.roles})

    @property
    def configurable(self) -> frozenset[str] | None:
        """Owner ids whose things this operator may change."""
        teams = {team for team, role in self.roles.items() if role in CONFIGURING_ROLES}
        return frozenset({self.account_id, *teams})

    @property
    def creator_id(self) -> str | None:
        """What is remembered as who made a thing."""
        return self.account_id

    @property
    def endpoint_id(self) -> str | None:
        """The endpoint through which an agent acts; None for a human."""
        return None

    @property
    def actor(self) -> Actor:
        """Who the event log says did it."""
        return Actor(self.name, self.account_id or None)

    def may_configure(self, owner_id: str) -> None:
        """Raise Forbidden unless this operator may change that owner's things."""
        if not self.configures(owner_id):
            raise Forbidden("Only an owner or admin of the team may do this.")

    def configures(self, owner_id: str) -> bool:
        """Whether this operator may change that owner's things."""
        return self.configurable is None or owner_id in self.configurable

    def may_grant(self, granted: str, what: str) -> None:
        """Raise Forbidden `missing_capability` for a letter this operator does not hold."""
        for letter in granted:
            letters.require(self.letters, letter, f"Your account, granting {what},")


class Machine(Operator):
    """The command line: whoever can run it has the database anyway, so it may do everything."""

    def __init__(self) -> None:
        super().__init__("", "command line", "".join(letters.MEANING), True)

    @property
    def visible(self) -> None:
        """Everything."""
        return None

    @property
    def configurable(self) -> None:
        """Everything."""
        return None

    @property
    def creator_id(self) -> None:
        """Nobody in particular."""
        return None

    def may_grant(self, granted: str, what: str) -> None:
        """Always."""


@dataclass(frozen=True)
class Deputy(Operator):
    """An agent that manages its owner's things: it sees and changes those and nobody else's.

    What it may do to them is its grant's matter (`Agent.require`). Of the sources it manages those that
    its endpoint made. Its letters are those of whoever vended the endpoint.
    """

    owner_id: str = ""
    through: str = ""

    @property
    def visible(self) -> frozenset[str]:
        """The owner's things."""
        return frozenset({self.owner_id})

    @property
    def configurable(self) -> frozenset[str]:
        """The owner's things."""
        return self.visible

    @property
    def creator_id(self) -> None:
        """No account: the event log names the endpoint."""
        return None

    @property
    def endpoint_id(self) -> str:
        """The endpoint."""
        return self.through

    @property
    def actor(self) -> Actor:
        """The endpoint."""
        return Actor(f"agent {self.name}", self.through)

    def may_grant(self, granted: str, what: str) -> None:
        """Raise Forbidden `missing_capability` for a letter that whoever vended it does not hold."""
        for letter in granted:
            letters.require(self.letters, letter, f"Whoever vended this endpoint, granting {what},")


@dataclass(frozen=True)
class Agent:
    """An endpoint's bearer. `letters` are those of whoever vended it, None for the command line."""

    endpoint_id: str
    slug: str
    name: str
    owner_id: str
    verbs: tuple[str, ...]
    queues: tuple[str, ...]
    expires_at: datetime | None
    letters: str | None
    ceiling: Ceiling

    def require(self, family: str) -> None:
        """Raise Forbidden unless the verb family was granted and its letter is still held."""
        if family not in self.verbs:
            raise Forbidden(
                f"This endpoint was not granted the {family} verbs. A human can vend one that is."
            )
        if family == "reply" and self.letters is not None:
            letters.require(self.letters, "x", "Whoever vended this endpoint")

    @property
    def actor(self) -> Actor:
        """Who the event log says did it."""
        return Actor(f"agent {self.name}", self.endpoint_id)

    def deputy(self) -> Deputy:
        """The agent as a manager of its owner's things."""
        held = "".join(letters.MEANING) if self.letters is None else self.letters
        return Deputy("", self.name, held, False, owner_id=self.owner_id, through=self.endpoint_id)
