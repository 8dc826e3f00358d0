"""A recorded delivery as a shell command that sends it again, byte for byte and freshly signed.

The secret is not in it: whoever pastes it sets INGEST_URL, and SECRET where the kind signs.
"""

from __future__ import annotations

import base64
import shlex
import textwrap
from collections.abc import Iterator
from hashlib import sha256

from switchboard.access.principals import Operator
from switchboard.errors import NotFound
from switchboard.inbound import deliveries
from switchboard.inbound.draft import HIDDEN
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Delivery
from switchboard.providers import source_kind
from switchboard.providers.base import ShellSignature

# curl says these itself, for the body and connection that it has
OF_THE_CONNECTION = ("host", "content-length", "connection", "transfer-encoding", "expect")

_MASKED = (
    "# A secret in the body was not kept, so this is another body: "
    "under the id of the first it is a delivery_conflict."
)


def as_curl(lib: Plumbing, operator: Operator, delivery_id: str) -> str:
    """The command, for a POSIX shell with curl, base64 and openssl. Raises NotFound without a body."""
    row, _, raw = deliveries.found(lib, operator, delivery_id)
    if raw is None:
        raise NotFound("This delivery's body was not kept.")
    signature = source_kind(lib.settings, row.kind).shell
    secret = ' "${SECRET:?}"' if signature else ""
    lines = [f': "${{INGEST_URL:?}}"{secret}']
    if sha256(raw).hexdigest() != row.body_sha256:
        lines.append(_MASKED)
    lines.append(_body(raw))
    if signature:
        lines += _signing(row, signature)
    parts = ['body | curl -i "$INGEST_URL"', *_headers(row, signature), "--data-binary @-"]
    return "\n".join([*lines, " \\\n  ".join(parts)])


def _body(raw: bytes) -> str:
    """A shell function that prints the body: as it is where pasting cannot change it, else in base64."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = "\0"
    if all(character.isprintable() or character == "\n" for character in text):
        return f"body() {{ printf %s {shlex.quote(text)}; }}"
    encoded = textwrap.fill(base64.b64encode(raw).decode(), 76)
    return f"body() {{ base64 -d <<'END'\n{encoded}\nEND\n}}"


def _signing(row: Delivery, signature: ShellSignature) -> list[str]:
    signed = f'{{ printf %s "{signature.before}"; body; }}' if signature.before else "body"
    hmac = "openssl dgst -sha256 -hmac \"$SECRET\" -r | cut -d' ' -f1"
    lines = [f"# {signature.note}"] if signature.note else []
    needed = " ".join([signature.before, *signature.headers.values()])
    if "$now" in needed:
        lines.append("now=$(date +%s)")
    if "$id" in needed:
        lines.append(f"id={shlex.quote(row.sender_id or '')}")
    return [*lines, f"signature=$({signed} | {hmac})"]


def _headers(row: Delivery, signature: ShellSignature | None) -> Iterator[str]:
    computed = signature.headers if signature else {}
    left_out = {*OF_THE_CONNECTION, *(name.lower() for name in computed)}
    for name, value in row.headers.items():
        if name.lower() not in left_out and value != HIDDEN:
            yield f"-H {shlex.quote(f'{name}: {value}')}"
    for name, text in computed.items():
        yield f'-H "{name}: {text}"'
