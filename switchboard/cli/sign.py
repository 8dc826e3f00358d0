"""`sign`: sign a body for a signed source, and send it if asked. Needs no settings and no database."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from switchboard.cli import say
from switchboard.cli.verbs import Shown, Verb
from switchboard.errors import Invalid
from switchboard.lib import clock
from switchboard.lib.http import Answer, Client, OutboundError
from switchboard.providers.reading import plain_id
from switchboard.providers.signed_schemes import SCHEMES

MAX_BYTES = 5 * 1024 * 1024


@click.command("sign", cls=Verb)
@click.option("--secret-file", required=True, metavar="FILE", help="Holds the source's secret.")
@click.option("--body", required=True, metavar="FILE", help="What to sign; - is standard input.")
@click.option("--url", help="Send it there too: the source's ingest URL.")
@click.option("--id", "delivery_id", help="Your id of this delivery; the same again is a repeat.")
@click.option(
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    default="own",
    show_default=True,
    help="X-Switchboard-Inbound, or Standard Webhooks.",
)
def command(
    *, secret_file: str, body: str, url: str | None, delivery_id: str | None, scheme: str
) -> Shown:
    """Sign a body for a signed source: print the headers, or send it."""
    raw = _piped() if body == "-" else _read(body, "body")
    wanted_id = _checked_id(delivery_id)
    signed = SCHEMES[scheme].sign(raw, _secret(secret_file), wanted_id, clock.now())
    headers = {"Content-Type": "application/json", **signed}
    if url is None:
        lines = [f"{name}: {value}" for name, value in headers.items()]
        return Shown({"headers": headers}, "\n".join(lines))
    return _send(url, headers, raw)


def _piped() -> bytes:
    return _bounded(sys.stdin.buffer, "body")


def _read(path: str, field: str) -> bytes:
    """The file's bytes. Its name is not repeated: somebody may have given the secret itself."""
    try:
        with Path(path).open("rb") as file:
            return _bounded(file, field)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise Invalid(f"The {field} file cannot be read: {why}.", field=field) from None


def _bounded(file: BinaryIO, field: str) -> bytes:
    raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Invalid(f"The {field} has more than {MAX_BYTES} bytes.", field=field)
    return raw


def _secret(path: str) -> str:
    """The secret, without the newline that editors put at a file's end."""
    try:
        text = _read(path, "secret").decode()
    except UnicodeDecodeError:
        raise Invalid("The secret file is not text.", field="secret") from None
    secret = text.removesuffix("\n").removesuffix("\r")
    if not secret:
        raise Invalid("The secret file is empty.", field="secret")
    return secret


def _checked_id(delivery_id: str | None) -> str:
    if delivery_id is None:
        return f"sign_{secrets.token_hex(16)}"
    if plain_id(delivery_id) != delivery_id:
        raise Invalid("An id is 1 to 256 printable ASCII characters.", field="id")
    return delivery_id


def _send(url: str, headers: Mapping[str, str], raw: bytes) -> Shown:
    """Send it and show the answer. A developer's own box on loopback is as good as any."""
    try:
        answer = Client(allow_http=True).request(
            "POST", url, headers=headers, content=raw, to_self=True
        )
    except OutboundError as error:
        nothing = {"headers": headers, "status": None, "answer": None, "error": error.code}
        return Shown(nothing, f"No answer came ({error.code}).", good=False)
    said = _said(answer)
    shown = said if isinstance(said, str) else say.visible(json.dumps(said, indent=2))
    data = {"headers": headers, "status": answer.status, "answer": said, "error": None}
    return Shown(data, say.blocks(f"Answered {answer.status}.", shown), 200 <= answer.status < 300)


def _said(answer: Answer) -> Any:
    """The answer as JSON, or its text."""
    found = answer.json()
    return found if found is not None else say.visible(answer.body.decode("utf-8", "replace"))
