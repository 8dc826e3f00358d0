"""An endpoint's ceiling: how many webhooks its agent may make, of which kinds, onto which queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.config import Settings
from switchboard.errors import Forbidden, Invalid
from switchboard.providers import source_kinds

DEFAULT_WEBHOOKS = 3
MAX_WEBHOOKS = 100


@dataclass(frozen=True)
class Ceiling:
    """What an endpoint with the webhook verbs may make; the first queue is the usual one."""

    webhooks: int
    kinds: tuple[str, ...]
    queues: tuple[str, ...]

    @property
    def columns(self) -> dict[str, Any]:
        """As JSON: `{webhooks, kinds, queues}`."""
        return {"webhooks": self.webhooks, "kinds": [*self.kinds], "queues": [*self.queues]}

    def admit(self, kind: str, queue: str) -> None:
        """Raise Forbidden `forbidden_source_type` or `ceiling_exceeded` for what it leaves out."""
        if not self.webhooks:
            raise _exceeded("none")
        if kind not in self.kinds:
            raise Forbidden(
                f"This endpoint may make webhooks of {', '.join(self.kinds)}; "
                "a source of another kind is for a human to add.",
                "forbidden_source_type",
                field="kind",
            )
        if queue not in self.queues:
            raise _exceeded(f"onto {', '.join(self.queues)} only", "queue")

    def admit_one_more(self, made: int) -> None:
        """Raise Forbidden `ceiling_exceeded` when `made` of them leave no room."""
        if made >= self.webhooks:
            raise _exceeded(f"up to {self.webhooks} at a time and has {made}, so delete one first")


def _exceeded(limit: str, field: str | None = None) -> Forbidden:
    detail = (
        f"This endpoint's ceiling is webhooks: {limit}. A human can vend one that may make more."
    )
    return Forbidden(detail, "ceiling_exceeded", field=field)


NONE = Ceiling(0, (), ())


def in_words(ceiling: Mapping[str, Any] | None) -> str:
    """For people: `up to 3 of github, gitea onto default`."""
    if not ceiling or not ceiling["webhooks"]:
        return "none"
    kinds, queues = ", ".join(ceiling["kinds"]), ", ".join(ceiling["queues"])
    return f"up to {ceiling['webhooks']} of {kinds} onto {queues}"


def webhook_kinds(settings: Settings) -> tuple[str, ...]:
    """The kinds an agent can be allowed: those of providers. What files under a repo is a human's."""
    return tuple(name for name, kind in source_kinds(settings).items() if not kind.filed)


def usual_letters(settings: Settings, kinds: Sequence[str]) -> str:
    """The letters that webhooks of these kinds have."""
    every = source_kinds(settings)
    return "".join(sorted({letter for kind in kinds for letter in every[kind].default_letters}))


def check(
    settings: Settings, given: Mapping[str, Any], *, wanted: bool, queues: Sequence[str]
) -> Ceiling | None:
    """The ceiling of a new endpoint with these queues; None where the webhook verbs are not `wanted`.

    `given` has `webhooks`, `kinds`, `queues` or some of them; what it lacks is three webhooks, every
    kind there is, all the endpoint's queues. Raises Invalid.
    """
    if not wanted:
        if any(value is not None for value in given.values()):
            raise Invalid("Only the webhook verbs have a ceiling.", field="ceiling")
        return None
    most, offered = given.get("webhooks"), webhook_kinds(settings)
    if most is not None and not 0 <= most <= MAX_WEBHOOKS:
        raise Invalid(f"A ceiling is 0 to {MAX_WEBHOOKS} webhooks.", field="ceiling")
    return Ceiling(
        DEFAULT_WEBHOOKS if most is None else most,
        _among(offered, given.get("kinds"), "An agent can make webhooks of"),
        _among(queues, given.get("queues"), "The endpoint was given the queues"),
    )


def _among(offered: Sequence[str], given: Sequence[str] | None, there_are: str) -> tuple[str, ...]:
    if given is None:
        return tuple(offered)
    if not given or not set(given) <= set(offered):
        raise Invalid(f"{there_are} {', '.join(offered)}; name one or more.", field="ceiling")
    return tuple(dict.fromkeys(given))
