"""`source rules` and `source test`: what a source does with its deliveries, tried out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, say
from switchboard.cli.verbs import Shown, Verb
from switchboard.errors import Invalid
from switchboard.inbound import dry_run, send_test, source_changes, source_views
from switchboard.lib import strictjson

MAX_BYTES = 256 * 1024


@click.command("rules", cls=Verb)
@click.argument("source")
@click.option("--file", metavar="FILE", help="Replace them by the JSON list in there; - is stdin.")
@click.option(
    "--dry-run", "dry", is_flag=True, help="Only show what they make of recent deliveries."
)
def rules(source: str, file: str | None, dry: bool) -> Shown:
    """Show a source's jq rules, replace them, or try them out."""
    lib = box.ready()
    given = None if file is None else _read(file)
    if dry:
        tried = dry_run.run(lib, Machine(), source, given)
        return Shown(tried, _tried(tried))
    if given is None:
        found = source_views.one(lib, Machine(), source)
        return Shown(found["rules"], _listed(found))
    kept = source_changes.edit(lib, Machine(), source, {"rules": given})
    return Shown(kept["rules"], _listed(kept))


def _read(file: str) -> Any:
    """The JSON in a file or on standard input. Raises Invalid."""
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise Invalid(f"The file of rules cannot be read: {why}.", field="file") from None
    if len(raw) > MAX_BYTES:
        raise Invalid(f"The file of rules has more than {MAX_BYTES} bytes.", field="file")
    try:
        return strictjson.loads(raw)
    except ValueError as error:
        raise Invalid(f"The file of rules is not JSON: {error}.", "invalid_json") from None


def _listed(source: dict[str, Any]) -> str:
    if not source["rules"]:
        return f"Source {source['name']} has no rules: all its targets get all its work."
    rows = [(number, rule["when"], _effect(rule)) for number, rule in enumerate(source["rules"], 1)]
    return say.table(("RULE", "WHEN", "THEN"), rows)


def _effect(rule: dict[str, Any]) -> str:
    if rule.get("drop"):
        return "drop"
    queue = f"queue {rule['queue']}" if "queue" in rule else ""
    to = f"to {', '.join(rule['to'])}" if "to" in rule else ""
    return " ".join(filter(None, (queue, to)))


def _tried(tried: list[dict[str, Any]]) -> str:
    if not tried:
        return "There is no accepted delivery with a body to try them on."
    rows = [
        (each["id"], each["event_type"], each["subject"], each["result"], _last(each))
        for each in tried
    ]
    return say.table(("DELIVERY", "EVENT", "SUBJECT", "RESULT", "RULE"), rows)


def _last(tried: dict[str, Any]) -> str:
    """The rule that decided, or what went wrong with one."""
    telling = [line for line in tried["trace"] if line["result"] != "no match"]
    return f"{telling[-1]['rule']}: {telling[-1]['result']}" if telling else "none"


@click.command("test", cls=Verb)
@click.argument("source")
def test(source: str) -> Shown:
    """Send a good and a forged sample through the public address; the box has to run."""
    result = send_test.run(box.ready(), Machine(), source)
    lines = [_sent(f"The {name} sample", one) for name, one in result.items()]
    return Shown(result, "\n".join(lines), all(one["ok"] for one in result.values()))


def _sent(what: str, one: dict[str, Any]) -> str:
    if one["error_class"]:
        return f"{what} did not arrive ({one['error_class']} {one['code']}). {one['detail']}"
    row = f", recorded as {one['delivery']['id']}" if one["delivery"] else ""
    why = "" if one["ok"] else f" {one['detail']}"
    code = say.visible(one["code"] or "no code")
    return f"{what} was answered {one['http_status']} {code}{row}.{why}"
