"""Hostile requests by the thousand, made from good ones: for a short test and for the long run.

Each is made from a seed, so a finding can be had again: `Maker(places, seed).request(number)`.
"""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import func, select

from switchboard.inbound.sources import Added
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Delivery
from switchboard.providers.base import Sample, SourceKind

CONNECTIONS = 16
HANG_SECONDS = 20.0
OF_THE_SERVER = (400, 405, 414, 431, 501, 505)  # HTTP that is none; no application saw it
OUTSIDE = ("not_found", "method_not_allowed")  # no source has such an address

STRANGE = (
    "\x00", "\ud800", "\u202e", "'; DROP TABLE deliveries;--", "{{7*7}}", "../../etc/passwd", "%00",
    "<script>alert(1)</script>", "\r\nX-Injected: 1", "A" * 70_000, "１２", "K", "ａ/ｂ", "", " ",
)  # fmt: skip
NUMBERS = (0, -1, 1.5, 2**53, 2**63, 10**40, True, None, "7", [7], {"n": 7})
RAW = (
    b"", b"{", b"[]", b"null", b"\xff\xfe{}", b"\xef\xbb\xbf{}", b'{"a":NaN}', b'{"a":1e999}',
    b'{"a":1,"a":2}', b'{"a":"\\ud800"}', b'{"a":"\\u0000"}', b"[" * 100_000, b'{"a":' * 3000,
    b'{"n":' + b"9" * 5000 + b"}", b"payload=%7B%7D", b"payload=", b"payload=%00&payload=1",
    b'{"a":"' + b"x" * 200_000 + b'"}', b"\x00" * 100, b"\x1f\x8b\x08\x00broken",
)  # fmt: skip
HEADERS = (
    ("Content-Encoding", "gzip"), ("Content-Encoding", "deflate, br"), ("Content-Type", "text/xml"),
    ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Type", ""), ("Expect", "x"),
    ("Content-Type", "multipart/form-data; boundary=x"), ("X-GitHub-Event", "é" * 50),
    ("X-GitHub-Delivery", "y" * 300), ("X-Gitea-Event", "../x"), ("webhook-id", "a b\tc"),
    ("X-Slack-Request-Timestamp", "9" * 30), ("X-Switchboard-Inbound-Timestamp", "-5"),
    ("webhook-timestamp", "1e3"), ("webhook-signature", "v1,AAAA v1,\xff v2"),
    ("Cookie", "a=" + "b" * 4000),
    ("X-Hub-Signature-256", "sha256="), ("X-Slack-Signature", "v0=\xe9"), ("X-Cairn-Event-Id", "\x7f"),
    ("X-Forwarded-For", "::1, <b>"), ("Host", "evil.example"), ("X-Event-Type", "Z" * 5000),
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A source to send to, its kind and good bodies of it with their headers."""

    kind: SourceKind
    source: Added
    bodies: Sequence[tuple[Mapping[str, str], Any]]

    @property
    def path(self) -> str:
        return urlsplit(self.source.source["ingest_url"]).path


class Maker:
    """Makes the requests, one by its number."""

    def __init__(self, places: Sequence[Place], seed: int) -> None:
        self._places = places
        self._seed = seed

    def request(self, number: int) -> bytes:
        """The bytes to send; every request is a delivery of its own if it is one at all."""
        dice = random.Random(self._seed * 1_000_003 + number)
        place = dice.choice(self._places)
        headers, body = dice.choice(place.bodies)
        headers, raw = dict(headers), self._body(dice, body, number)
        headers |= {
            name: f"{number}-{self._seed}"
            for name in headers
            if name.lower().endswith(("delivery", "-id"))
        }
        headers.setdefault("Content-Type", "application/json")
        if dice.random() < 0.7:
            headers = place.kind.sign(Sample(headers, raw), place.source.secret or "", clock.now())
        for _ in range(dice.choice((0, 0, 1, 3))):
            name, value = dice.choice(HEADERS)
            headers[name] = value
        if headers and dice.random() < 0.1:
            del headers[dice.choice(list(headers))]
        return self._wire(dice, place.path, headers, raw)

    def _body(self, dice: random.Random, body: Any, number: int) -> bytes:
        turn = dice.random()
        if turn < 0.15:
            return dice.choice(RAW) + _own_space(number)
        if turn < 0.9:
            body = json.loads(json.dumps(body))
            for _ in range(dice.choice((1, 1, 2, 5))):
                _spoil(dice, body)
            if isinstance(body, dict):
                body["nonce"] = f"{number}-{self._seed}"
                for name in ("event_id", "id"):
                    if isinstance(body.get(name), str):
                        body[name] = f"e{number}-{self._seed}"
            raw = json.dumps(body).encode("utf-8", "surrogatepass")
            return (
                raw[: dice.randrange(len(raw))] + _own_space(number)
                if dice.random() < 0.05
                else raw
            )
        return dice.randbytes(dice.choice((1, 40, 3000))) + _own_space(number)

    def _wire(
        self, dice: random.Random, path: str, headers: Mapping[str, str], raw: bytes
    ) -> bytes:
        turn = dice.random()
        if turn < 0.04:
            path = dice.choice(
                (
                    path + "x",
                    path + "/",
                    path[:-3],
                    "/hooks/%00",
                    "/hooks/" + "a" * 3000,
                    path + "?a=%ff",
                )
            )
        method = "POST" if turn < 0.98 else dice.choice(("GET", "PUT", "DELETE", "post"))
        lines = [f"{method} {path} HTTP/1.1", "Connection: close"]
        if "Host" not in headers:
            lines.append("Host: 127.0.0.1")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if dice.random() < 0.1:
            lines.append("Transfer-Encoding: chunked")
            cut = dice.randrange(len(raw) + 1)
            pieces = [piece for piece in (raw[:cut], raw[cut:]) if piece]
            raw = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            lines.append(f"Content-Length: {len(raw)}")
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + raw


def _own_space(number: int) -> bytes:
    """White space that no other request ends with, so that equal bodies are no repeats."""
    return bytes(b" \t"[number >> place & 1] for place in range(20))


def _spoil(dice: random.Random, body: Any) -> None:
    """Replace, remove or nest something somewhere in a JSON body."""
    here = body
    while isinstance(here, dict | list) and here:
        key = dice.choice(list(here)) if isinstance(here, dict) else dice.randrange(len(here))
        inside = here[key]
        if isinstance(inside, dict | list) and inside and dice.random() < 0.7:
            here = inside
            continue
        if dice.random() < 0.2 and isinstance(here, dict):
            del here[key]
        else:
            # a copy, as a later spoiling may reach into it
            here[key] = copy.deepcopy(dice.choice((*STRANGE, *NUMBERS, {}, [], [[]])))
        return


@dataclass
class Verdict:
    """What came back: answers by status, what must not be, and how many rows there have to be."""

    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    broken: list[int] = field(default_factory=list)  # numbers of requests answered 5xx
    hung: list[int] = field(default_factory=list)
    recorded: Counter[str] = field(default_factory=Counter)  # answers that promise a row, by code
    repeats: int = 0


def send(port: int, maker: Maker, count: int, *, first: int = 0) -> Verdict:
    """Send `count` requests, 16 at a time, and judge every answer."""
    verdict = Verdict()
    asyncio.run(_send_all(port, maker.request, range(first, first + count), verdict))
    return verdict


async def _send_all(
    port: int, request: Callable[[int], bytes], numbers: range, verdict: Verdict
) -> None:
    waiting = iter(numbers)

    async def one_connection_after_the_other() -> None:
        for number in waiting:
            try:
                answer = await asyncio.wait_for(_exchange(port, request(number)), HANG_SECONDS)
            except TimeoutError:
                verdict.hung.append(number)
            else:
                _judge(number, answer, verdict)

    await asyncio.gather(*(one_connection_after_the_other() for _ in range(CONNECTIONS)))


async def _exchange(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def _judge(number: int, answer: bytes, verdict: Verdict) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head[9:12]) if head.startswith(b"HTTP/1.") else 0
    verdict.statuses[status] += 1
    if status >= 500 and status not in OF_THE_SERVER:
        verdict.broken.append(number)
    try:
        told = json.loads(body)
    except ValueError:
        told = {}
    code = str(told.get("code", ""))
    verdict.codes[code or ("accepted" if status in (200, 202) else "none")] += 1
    if told.get("duplicate"):
        verdict.repeats += 1
    elif status in (200, 202) or (status not in OF_THE_SERVER and code and code not in OUTSIDE):
        verdict.recorded[code or "accepted"] += 1


def recorded(lib: Plumbing) -> Counter[str]:
    """How many requests the log has, by code; what was dropped was accepted."""
    dropped = {"self_reply": "accepted", "rule": "accepted"}
    counts: Counter[str] = Counter()
    with lib.db.read() as session:
        statement = select(Delivery.code, func.sum(Delivery.count)).group_by(Delivery.code)
        for code, count in session.execute(statement):
            counts[dropped.get(code, code)] += count
    return counts
