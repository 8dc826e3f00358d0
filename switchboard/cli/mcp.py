"""`mcp`: the stdio bridge for clients that cannot speak HTTP. Needs no settings and no database."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import click

from switchboard.config import CREDENTIAL, PREFIX
from switchboard.errors import Invalid

MAX_CREDENTIAL_BYTES = 4096
VARIABLE = PREFIX + CREDENTIAL


@click.command("mcp")
@click.option("--url", required=True, help="The endpoint's MCP URL, …/mcp/<slug>.")
@click.option(
    "--credential-file",
    metavar="FILE",
    help=f"Holds the endpoint's sbk_… credential; left out: {VARIABLE} of the environment does.",
)
@click.option(
    "--bells",
    type=click.FloatRange(0, 3600),
    default=5.0,
    show_default=True,
    help="Look for new todos every so many seconds and ring; 0 for never.",
)
def command(url: str, credential_file: str | None, bells: float) -> None:
    """A bridge for MCP clients that speak only stdio.

    It relays between standard input and output and the endpoint, and rings for new todos.
    """
    import anyio  # late, as the bridge: it brings the SDK

    from switchboard.cli import bridge

    place, credential = _checked(url), _credential(credential_file)
    anyio.run(lambda: bridge.run(place, credential, every=bells))


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or "/mcp/" not in parts.path:
        raise Invalid("Give an endpoint's MCP URL: https://…/mcp/<slug>.", field="url")
    return url


def _credential(path: str | None) -> str:
    given = os.environ.get(VARIABLE, "").strip() if path is None else _read(path)
    if not given.startswith("sbk_") or not given.isascii() or not given.isprintable():
        where = f"{VARIABLE}, as no file is named," if path is None else "The file"
        raise Invalid(f"{where} holds no credential of an endpoint (sbk_…).", field="credential")
    return given


def _read(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_CREDENTIAL_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise Invalid("The file of the credential cannot be read.", field="credential") from None
