"""A source's jq rules: the first that matches picks the queue, narrows the targets, or drops.

The language is https://jqlang.org/manual/. A rule whose program fails or takes too long does not match,
and its line of the trace says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.inbound.ack_store import FoundSource, Target
from switchboard.lib.jq import Jq, Verdict
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean, clean_json
from switchboard.providers.base import Event

MAX_RULES = 20
MAX_PROGRAM = 2000  # characters
EFFECTS = ("queue", "to", "drop")


@dataclass(frozen=True)
class Choice:
    """The targets that the rules leave, whether they drop the delivery, a line for each rule asked."""

    targets: tuple[Target, ...]
    dropped: bool = False
    trace: list[dict[str, Any]] = field(default_factory=list)


def check(lib: Plumbing, operator: Operator, given: Any) -> list[dict[str, Any]]:
    """The rules in the form they are kept in. Raises Invalid naming the rule and what is wrong."""
    if not isinstance(given, list) or len(given) > MAX_RULES:
        raise Invalid(f"Rules are a list of up to {MAX_RULES}.", field="rules")
    for number, rule in enumerate(given, 1):
        if wrong := _shape(rule):
            raise _invalid(number, wrong)
    if not given:
        return []
    if first := lib.own(Jq).check(
        f"{operator.account_id} trying", [rule["when"] for rule in given]
    ):
        place, why = first
        raise _invalid(place + 1, f"its program does not compile: {why}")
    return [{name: rule[name] for name in ("when", *EFFECTS) if name in rule} for rule in given]


def check_targets(rules: list[dict[str, Any]], granted: Mapping[str, Collection[str]]) -> None:
    """Raise Invalid where a rule names an endpoint or queue that the source cannot give work to.

    `granted` are the endpoints it gives work to, each with the queues granted to it.
    """
    for number, rule in enumerate(rules, 1):
        kept = rule.get("to", list(granted))
        if strange := [name for name in kept if name not in granted]:
            raise _invalid(number, f"the source gives no work to an endpoint {strange[0]}")
        for name in kept:
            if "queue" in rule and rule["queue"] not in granted[name]:
                raise _invalid(
                    number, f"the endpoint {name} was not granted the queue {rule['queue']}"
                )


def _invalid(number: int, wrong: str) -> Invalid:
    return Invalid(f"Rule {number}: {wrong}.", field="rules")


def _shape(rule: Any) -> str | None:
    """What is wrong with a rule's form, None when nothing is."""
    if not isinstance(rule, dict):
        return "it is no object"
    if strange := set(rule) - {"when", *EFFECTS}:
        return f"it has when and {', '.join(EFFECTS)}, and no {clean(min(strange), 40)}"
    return _program(rule.get("when")) or _effect(rule)


def _program(when: Any) -> str | None:
    if not isinstance(when, str) or not 0 < len(when) <= MAX_PROGRAM:
        return f"when is a jq program of up to {MAX_PROGRAM} characters"
    return None if clean(when) == when else "when holds a character that is no text"


def _effect(rule: Mapping[str, Any]) -> str | None:
    queue, to = rule.get("queue", "-"), rule.get("to", ["-"])
    if not isinstance(queue, str):
        return "queue is the name of a queue"
    if not isinstance(to, list) or not to or not all(isinstance(name, str) for name in to):
        return "to is a list of endpoint names"
    if rule.get("drop", True) is not True:
        return "drop is true or left out"
    if "drop" in rule and ("queue" in rule or "to" in rule):
        return "what is dropped goes to no queue and no endpoint"
    if not set(rule) & set(EFFECTS):
        return "it says what to match and not what to do: give queue, to or drop"
    return None


def choose(
    lib: Plumbing, source: FoundSource, event: Event, body: Any, *, tried: bool = False
) -> Choice:
    """What the source's rules make of a delivery. Without rules nothing is asked.

    A source's rules compute in a share of its own, so that one that anybody may send to does not switch
    off the rules of another. So does what is only `tried`: it must not switch off the rules in use.
    """
    if not source.rules:
        return Choice(source.targets)
    purpose = " trying" if tried else ""
    given = {"event": event.kind, "title": event.title, "subject": event.subject}
    # jq takes no lone surrogate, and what a sender may write must not switch a rule off
    given["body"] = clean_json(body)
    verdicts = lib.own(Jq).ask(
        source.id + purpose,
        [rule["when"] for rule in source.rules],
        given,
        owner=source.owner_id + purpose,
    )
    trace = [
        {"rule": number, "when": rule["when"], "result": _result(rule, verdict)}
        for number, (rule, verdict) in enumerate(zip(source.rules, verdicts, strict=False), 1)
    ]
    if not verdicts[-1].matched:
        return Choice(source.targets, trace=trace)
    rule = source.rules[len(verdicts) - 1]
    if rule.get("drop"):
        return Choice((), dropped=True, trace=trace)
    return Choice(_left(rule, source.targets), trace=trace)


def _result(rule: Mapping[str, Any], verdict: Verdict) -> str:
    if not verdict.matched:
        return f"error: {verdict.error}" if verdict.error else "no match"
    if rule.get("drop"):
        return "matched: dropped"
    done = [f"queue {rule['queue']}"] if "queue" in rule else []
    return f"matched: {', '.join([*done, *(f'to {name}' for name in rule.get('to', []))])}"


def _left(rule: Mapping[str, Any], targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The targets a rule keeps, on the queue it says; one that lost the grant of it since is out."""
    kept = [each for each in targets if each.endpoint_name in rule.get("to", [each.endpoint_name])]
    if queue := rule.get("queue"):
        # an endpoint that takes work of two queues gets one todo on this one
        kept = [replace(each, queue=queue) for each in kept if queue in each.endpoint_queues]
    return tuple(dict.fromkeys(kept))
