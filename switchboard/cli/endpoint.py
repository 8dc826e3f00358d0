"""`endpoint`: what a human vends to an agent."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

import click

from switchboard.access import ceilings, clients, endpoints
from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.endpoint_hook import hook
from switchboard.cli.verbs import Noun, Shown


@click.group("endpoint", cls=Noun)
def command() -> None:
    """What agents work with: queues, verbs and a credential."""


@command.command("vend")
@click.argument("name")
@given.owner
@click.option("--queue", "queues", multiple=True, help="A queue it works on; repeatable.")
@click.option(
    "--verbs",
    default="drain",
    show_default=True,
    metavar="VERBS",
    help="Comma-separated, such as drain,reply; or basic (all but reply and connection), or all.",
)
@click.option(
    "--webhooks",
    type=click.IntRange(0, ceilings.MAX_WEBHOOKS),
    metavar="N",
    help=f"With the webhook verbs: how many it may make.  [default: {ceilings.DEFAULT_WEBHOOKS}]",
)
@click.option(
    "--webhook-kind", "kinds", multiple=True, help="A kind it may make; repeatable; else every one."
)
@click.option(
    "--webhook-queue",
    "onto",
    multiple=True,
    help="A queue of its own that they may feed; repeatable; else all of them.",
)
@click.option(
    "--expires-in", type=given.Duration(), metavar="TIME", help="Seconds, or such as 30d."
)
def vend(
    name: str,
    owner: str,
    queues: tuple[str, ...],
    verbs: str,
    webhooks: int | None,
    kinds: tuple[str, ...],
    onto: tuple[str, ...],
    expires_in: int | None,
) -> Shown:
    """Vend an endpoint and print its credential once, with what to paste into a client."""
    lib = box.ready()
    granted = [verb.strip() for verb in verbs.split(",") if verb.strip()]
    vended = endpoints.vend(
        lib,
        Machine(),
        name,
        owner=owner,
        verbs=granted,
        queues=queues,
        ceiling={"webhooks": webhooks, "kinds": kinds or None, "queues": onto or None},
        expires_in=expires_in,
    )
    endpoint = vended.endpoint
    head = say.fields(
        [
            ("id", endpoint["id"]),
            ("slug", endpoint["slug"]),
            ("owner", say.owner(endpoint["owner"])),
            ("verbs", endpoint["verbs"]),
            ("queues", endpoint["queues"]),
            ("webhooks", ceilings.in_words(endpoint["ceiling"])),
            ("expires", say.when(endpoint["expires_at"]) if expires_in else "never"),
            ("MCP URL", endpoint["mcp_url"]),
        ]
    )
    return Shown(
        endpoint | {"credential": vended.credential},
        say.blocks(
            f"Endpoint {name} is there.",
            head,
            "The credential, shown this once (only its hash is kept), ready to paste:",
            f"  export CREDENTIAL={vended.credential}",
            "For an MCP client; in a file, write the credential itself for $CREDENTIAL:",
            *_pasted(endpoint),
            "What an agent calls without one:",
            _calls(lib.settings.base_url, endpoint),
        ),
    )


def _pasted(endpoint: dict[str, Any]) -> list[str]:
    """What each client takes, indented; the credential stays where it was shown."""
    return [
        f"{each.client}, {each.where}:\n{textwrap.indent(each.text, '  ')}"
        for each in clients.pastes(endpoint, "$CREDENTIAL")
    ]


def _calls(base_url: str, endpoint: dict[str, Any]) -> str:
    """Claim, reply where it is granted, complete: as curl."""
    todos = f"{base_url}/api/v1/todos"
    calls = [(f"{todos}/claim-next", "")]
    if "reply" in endpoint["verbs"]:
        calls.append((f"{todos}/$TODO/replies", '{"text": "On it."}'))
    calls.append((f"{todos}/$TODO/complete", ""))
    lines = [_curl(url, body) for url, body in calls]
    lines.insert(1, "  export TODO=td_…   # the id that claim-next answered")
    return "\n".join(lines)


def _curl(url: str, body: str) -> str:
    json = f" -H 'Content-Type: application/json' -d {shlex.quote(body)}" if body else ""
    return f'  curl -sS -X POST "{url}" -H "Authorization: Bearer $CREDENTIAL"{json}'


@command.command("list")
def show_all() -> Shown:
    """All endpoints, oldest first."""
    found = endpoints.in_view(box.ready(), Machine())
    if not found:
        hint = "python -m switchboard endpoint vend NAME --owner NAME --verbs drain,reply"
        return Shown([], f"No endpoints yet. Vend one: {hint}")
    rows = [
        (
            e["name"],
            say.owner(e["owner"]),
            e["state"],
            e["verbs"],
            e["queues"],
            say.when(e["last_seen_at"]),
            e["slug"],
        )
        for e in found
    ]
    headers = ("NAME", "OWNER", "STATE", "VERBS", "QUEUES", "LAST SEEN", "SLUG")
    return Shown(found, say.table(headers, rows))


@command.command("revoke")
@click.argument("endpoint")
def revoke(endpoint: str) -> Shown:
    """End an endpoint (by id, slug or name) for good: its credential stops at once."""
    done = endpoints.revoke(box.ready(), Machine(), endpoint)
    return Shown(done, f"Endpoint {done['name']} is revoked: its credential no longer works.")


command.add_command(hook)
