"""`connection`: the credentials that answers are posted with."""

from __future__ import annotations

from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.vault import connections, testing
from switchboard.vault.given import MAX_REPLIES_PER_TODO


@click.group("connection", cls=Noun)
def command() -> None:
    """The credentials that answers are posted with."""


_targets = click.option(
    "--target", "targets", multiple=True, metavar="GLOB", help="Only there; repeatable."
)
_endpoints = click.option(
    "--endpoint", "endpoints", multiple=True, help="Only for this endpoint; repeatable."
)
_cap = click.option(
    "--replies-per-todo",
    type=click.IntRange(1, MAX_REPLIES_PER_TODO),
    help="How many answers one todo takes; the installation's number without it.",
)
_signature = click.option("--signature", metavar="LINE", help="A line to put under every answer.")


@command.command("add")
@click.argument("kind")
@given.owner
@click.option("--name", required=True, help="What to call it, unique with its owner.")
@click.option(
    "--account-key", required=True, metavar="KEY", help="github.com, a base URL, a Slack team id."
)
@given.secret_stdin
@_targets
@_endpoints
@_signature
@_cap
def add(
    *,
    kind: str,
    owner: str,
    name: str,
    account_key: str,
    secret_stdin: bool,
    targets: tuple[str, ...],
    endpoints: tuple[str, ...],
    signature: str | None,
    replies_per_todo: int | None,
) -> Shown:
    """Seal and keep a credential, read from standard input."""
    lib = box.ready()
    new = connections.NewConnection(
        kind,
        name,
        account_key,
        _secret(secret_stdin),
        owner=owner,
        targets=targets,
        endpoints=endpoints,
        signature=signature,
        replies_per_todo=replies_per_todo,
    )
    return _shown(connections.add(lib, Machine(), new), "is there; its secret is sealed")


def _secret(secret_stdin: bool) -> str:
    if not secret_stdin:
        raise click.UsageError("Give --secret-stdin and the secret on standard input.")
    return given.read_secret("Secret")


def _shown(connection: dict[str, Any], said: str) -> Shown:
    table = say.fields(
        [
            ("id", connection["id"]),
            ("account", f"{connection['kind']} {connection['account_key']}"),
            ("owner", say.owner(connection["owner"])),
            ("fingerprint", connection["fingerprint"]),
            ("targets", connection["targets"] or "all"),
            ("endpoints", connection["endpoints"] or "all of the owner's"),
            ("signature", connection["signature"]),
            ("replies a todo", connection["replies_per_todo"] or "the installation's number"),
        ]
    )
    try_it = f"Try it: python -m switchboard connection test {connection['name']}"
    return Shown(connection, say.blocks(f"Connection {connection['name']} {said}.", table, try_it))


@command.command("list")
def show_all() -> Shown:
    """All connections by fingerprint; their secrets are never shown."""
    found = connections.in_view(box.ready(), Machine())
    if not found:
        hint = "connection add github --owner NAME --name NAME --account-key github.com"
        return Shown(
            [], f"No connections yet. Add one: python -m switchboard {hint} --secret-stdin"
        )
    rows = [
        (
            c["name"],
            c["kind"],
            say.owner(c["owner"]),
            c["account_key"],
            c["fingerprint"],
            c["targets"] or "all",
            _tested(c["last_test"]),
            c["id"],
        )
        for c in found
    ]
    headers = ("NAME", "KIND", "OWNER", "ACCOUNT", "FINGERPRINT", "TARGETS", "LAST TEST", "ID")
    return Shown(found, say.table(headers, rows))


def _tested(result: dict[str, Any] | None) -> str:
    if result is None:
        return "never"
    return f"{'ok' if result['ok'] else result['class']} {say.when(result['at'])}"


@command.command("test")
@click.argument("connection")
def test(connection: str) -> Shown:
    """One harmless read with the credential; exit 1 when the provider turns it down."""
    result = testing.test(box.ready(), Machine(), connection)
    if result["ok"]:
        return Shown(result, f"{connection} works; the provider knows it as {result['identity']}.")
    why = f"{result['class']}, {result['code']}"
    rotate = f"python -m switchboard connection rotate {connection} --secret-stdin"
    text = f"{connection} does not work ({why}). With another secret: {rotate}"
    return Shown(result, text, good=False)


@command.command("rotate")
@click.argument("connection")
@given.secret_stdin
def rotate(connection: str, secret_stdin: bool) -> Shown:
    """Replace the secret by one read from standard input; the old one is gone."""
    lib = box.ready()
    done = connections.rotate(lib, Machine(), connection, _secret(secret_stdin))
    return _shown(done, "has its new secret")


@command.command("edit")
@click.argument("connection")
@click.option("--name", help="A new name.")
@_targets
@click.option("--all-targets", is_flag=True, help="No longer only to some targets.")
@_endpoints
@click.option("--all-endpoints", is_flag=True, help="No longer only for some endpoints.")
@_signature
@_cap
def edit(
    *,
    connection: str,
    name: str | None,
    targets: tuple[str, ...],
    all_targets: bool,
    endpoints: tuple[str, ...],
    all_endpoints: bool,
    signature: str | None,
    replies_per_todo: int | None,
) -> Shown:
    """Change name, targets, endpoints, cap or signature ('' for none); the rest stays."""
    if (targets and all_targets) or (endpoints and all_endpoints):
        raise click.UsageError("Name some, or say all, not both.")
    changes: dict[str, Any] = {
        "name": name,
        "targets": targets or ([] if all_targets else None),
        "endpoints": endpoints or ([] if all_endpoints else None),
        "signature": signature,
        "replies_per_todo": replies_per_todo,
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    if not changes:
        raise click.UsageError("Say what to change.")
    return _shown(connections.edit(box.ready(), Machine(), connection, changes), "is changed")


@command.command("delete")
@click.argument("connection")
def delete(connection: str) -> Shown:
    """Forget a connection and its secret; answers still waiting for it will fail."""
    done = connections.delete(box.ready(), Machine(), connection)
    return Shown(done, f"Connection {done['name']} is deleted, its secret with it.")
