"""Send test: a good sample and a forged one, through the public address, and the rows they left.

It shows that senders reach this box, that what is signed is let in and that what is forged is not.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import Conflict, RateLimited
from switchboard.inbound import (
    deliveries,
    log_store,
    sample_ids,
    source_changes,
    source_views,
    store,
)
from switchboard.inbound.ack_store import RECEIVING
from switchboard.lib import clock, crypto
from switchboard.lib.http import Answer, OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.ratelimit import SIX_A_MINUTE
from switchboard.providers import source_kind
from switchboard.providers.base import Sample, SourceKind

FORGED = ("bad_signature", "unknown_source")


@dataclass(frozen=True)
class _Tested:
    """The source under test: `secret` is None where its kind signs nothing."""

    source_id: str
    kind: SourceKind
    host: str
    url: str
    secret: str | None


def run(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """`{good, forged}`, each `{ok, http_status, code, delivery, error_class, detail}`.

    `delivery` is the recorded row, None where there is none in the operator's view; `detail` is what to
    do when `ok` is false. Raises NotFound, Forbidden, RateLimited, Conflict `encryption_required`.
    """
    tested = _open(lib, operator, ref)
    if wait := lib.buckets.take(f"sourcetest:{tested.source_id}", SIX_A_MINUTE):
        raise RateLimited("This source was tested often just now.", retry_after=wait)
    good = _send(lib, operator, tested, tested.url, tested.secret, wanted=("accepted",))
    # what signs nothing is let in by its address alone: a forger has a wrong one
    url = tested.url if tested.kind.signs else _another(tested.url)
    forged = _send(lib, operator, tested, url, crypto.new_webhook_secret(), wanted=FORGED)
    return {"good": good, "forged": forged}


def _open(lib: Plumbing, operator: Operator, ref: str) -> _Tested:
    with lib.db.read() as session:
        source = source_changes.configurable(session, operator, ref)
        url = source_views.described(lib, session, source)["ingest_url"]
        if url is None:
            raise Conflict(
                "The address of this source does not open with the encryption key in use.",
                "encryption_required",
            )
        kind = source_kind(lib.settings, source.kind)
        current = store.current_secret(session, source.id) if kind.signs else None
        secret = lib.sealer.open(current.sealed, current.id) if current else None
        return _Tested(source.id, kind, source.host, url, secret)


def _another(url: str) -> str:
    """An address like this one that no source has."""
    return f"{url.rpartition('/')[0]}/{secrets.token_urlsafe(24)}"


def _send(
    lib: Plumbing,
    operator: Operator,
    tested: _Tested,
    url: str,
    secret: str | None,
    *,
    wanted: tuple[str, ...],
) -> dict[str, Any]:
    now = clock.now()
    test_id = sample_ids.new()
    sample = tested.kind.sample(tested.host, test_id)
    headers = tested.kind.sign(sample, secret or "", now)
    try:
        answer = lib.http.request("POST", url, headers=headers, content=sample.raw, to_self=True)
    except OutboundError as error:
        return _result(None, error.code, None, _UNREACHED, error_class="network")
    delivery = _recorded(lib, operator, tested.source_id, sample, test_id, now)
    code = delivery["code"] if delivery else _code(answer)
    elsewhere = _ELSEWHERE if delivery is None else delivery["reason"]
    return _result(answer.status, code, delivery, None if code in wanted else elsewhere)


def _recorded(
    lib: Plumbing,
    operator: Operator,
    source_id: str,
    sample: Sample,
    test_id: str,
    since: datetime,
) -> dict[str, Any] | None:
    """The row of this sample, told by its body, and by its id where the body is the same each time."""
    with lib.db.read() as session:
        found = log_store.newest_with_body(
            session,
            sha256(sample.raw).hexdigest(),
            since - RECEIVING,
            source_id,
            operator.visible,
            with_unknown=operator.is_admin,
        )
    own = test_id.encode() in sample.raw
    rows = [(row, name) for row, name in found if own or test_id in row.headers.values()]
    return deliveries.describe(*rows[0]) if rows else None


def _code(answer: Answer) -> str | None:
    said = answer.json()
    code = said.get("code") if isinstance(said, Mapping) else None
    return code if isinstance(code, str) else None


_UNREACHED = (
    "The public address of this box does not answer, so senders do not reach it either. "
    "Set SWITCHBOARD_BASE_URL to the address that they use, and see that it leads here."
)
_ELSEWHERE = (
    "Something answered at the public address, and nothing was recorded here. "
    "Set SWITCHBOARD_BASE_URL to the address under which senders reach this box."
)


def _result(
    status: int | None,
    code: str | None,
    delivery: dict[str, Any] | None,
    detail: str | None,
    *,
    error_class: str | None = None,
) -> dict[str, Any]:
    return {
        "ok": detail is None,
        "http_status": status,
        "code": code,
        "delivery": delivery,
        "error_class": error_class,
        "detail": detail,
    }
