"""`endpoint hook`: the doorbell of an endpoint."""

from __future__ import annotations

from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, say
from switchboard.cli.verbs import Shown, Verb
from switchboard.notify import hooks


@click.command("hook", cls=Verb)
@click.argument("endpoint")
@click.option(
    "--url", metavar="URL", help="Call this when a todo is ready; prints its secret once."
)
@click.option(
    "--rotate", is_flag=True, help="Print a new secret once; the old one signs for a day."
)
@click.option("--test", is_flag=True, help="Call it once; exit 1 when that is not taken.")
@click.option("--remove", is_flag=True, help="Forget it and its secret.")
def hook(*, endpoint: str, url: str | None, rotate: bool, test: bool, remove: bool) -> Shown:
    """Show an endpoint's notify hook, or set, rotate, test or remove it."""
    if [url is not None, rotate, test, remove].count(True) > 1:
        raise click.UsageError("Do one thing at a time: --url, --rotate, --test or --remove.")
    lib, who = box.ready(), Machine()
    if url is not None:
        return _made(hooks.put(lib, who, endpoint, url), f"The hook of {endpoint} is set.")
    if rotate:
        return _made(hooks.rotate(lib, who, endpoint), "Both secrets sign for a day.")
    if test:
        return _tested(endpoint, hooks.test(lib, who, endpoint))
    if remove:
        gone = hooks.remove(lib, who, endpoint)
        return Shown(gone, f"The hook of {endpoint} is removed, its secret with it.")
    found = hooks.get(lib, who, endpoint)
    return Shown(found, _fields(found))


def _made(made: hooks.Made, said: str) -> Shown:
    once = "The secret, shown this once, to verify calls with (docs/hooks.md):"
    text = say.blocks(said, _fields(made.hook), once, f"  {made.secret}")
    return Shown(made.hook | {"secret": made.secret}, text)


def _fields(found: dict[str, Any]) -> str:
    failed = found["last_failure"]
    why = f"{failed['class']} {failed['code']}, {say.when(failed['at'])}" if failed else None
    return say.fields(
        [
            ("url", found["url"]),
            ("health", found["health"]),
            ("last success", say.when(found["last_success_at"])),
            ("last failure", why),
            ("fingerprint", found["fingerprint"]),
            ("old one signs until", say.when(found["previous_until"])),
        ]
    )


def _tested(endpoint: str, result: dict[str, Any]) -> Shown:
    if result["ok"]:
        return Shown(result, f"The hook of {endpoint} took the call.")
    why = f"{result['class']} {result['code']}"
    return Shown(result, f"The hook of {endpoint} did not take the call ({why}).", good=False)
