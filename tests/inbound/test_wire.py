"""Bodies as they come over the wire of a real server: chunked, too long, too slow, broken off."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from switchboard import create_app
from switchboard.config import read_settings
from tests.conftest import environ_on
from tests.servers import Answer, Server, read_answer, serve, wait_until
from tests.world import World, sign

CAP = 100_000


@pytest.fixture(scope="module")
def box(
    sqlite_template: Path, valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, Server]]:
    """One server for all of these: reading a body touches no store, so one database is enough."""
    data = tmp_path_factory.mktemp("wire")
    environ = environ_on(
        data, sqlite_template, valkey_url, MAX_HOOK_BYTES=str(CAP), BODY_SECONDS="1"
    )
    world = World(create_app(read_settings(environ)))
    assert world.endpoint
    with serve(environ, processes=1, threads=4) as running:
        yield world, running


@pytest.fixture
def world(box: tuple[World, Server]) -> World:
    """The box's world, with a source of its own for each test."""
    world = box[0]
    world.sent += 1
    world.source = world.add_source(f"wire{world.sent}")
    return world


@pytest.fixture
def server(box: tuple[World, Server]) -> Server:
    return box[1]


def codes(world: World) -> list[str]:
    """What this test's source was answered, newest first."""
    mine = world.source.source["name"]
    return [row["code"] for row in world.log() if row["source"] == mine]


def body(world: World, size: int = 0, number: int = 1) -> bytes:
    """A good body, padded to `size` bytes."""
    value = world.issue(number) | {"pad": ""}
    value["pad"] = "x" * max(0, size - len(json.dumps(value)))
    return json.dumps(value).encode()


def head(world: World, raw: bytes, *extra: str, id: str = "wire") -> bytes:
    """The request's head, signed over `raw`, with `extra` header lines."""
    lines = [
        f"POST {urlsplit(world.source.source['ingest_url']).path} HTTP/1.1",
        "Host: switchboard.example",
        "Connection: close",
        "Content-Type: application/json",
        "X-GitHub-Event: issues",
        f"X-GitHub-Delivery: {id}",
        f"X-Hub-Signature-256: {sign(world.source.secret, raw)}",
        *extra,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def chunked(raw: bytes, size: int = 8000) -> bytes:
    pieces = [raw[start : start + size] for start in range(0, len(raw), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def post(server: Server, world: World, raw: bytes, id: str) -> Answer:
    return server.raw(head(world, raw, f"Content-Length: {len(raw)}", id=id), raw)


def test_a_chunked_body_is_taken_up_to_the_cap(world: World, server: Server) -> None:
    raw = body(world, CAP)
    answer = server.raw(head(world, raw, "Transfer-Encoding: chunked"), chunked(raw))
    assert answer.status == 202, answer.body


def test_a_chunked_body_over_the_cap_is_refused_not_cut(world: World, server: Server) -> None:
    raw = body(world, CAP + 1)
    answer = server.raw(head(world, raw, "Transfer-Encoding: chunked"), chunked(raw))
    assert (answer.status, answer.json["code"]) == (413, "too_large")
    assert codes(world) == ["too_large"]


def test_whoever_sends_too_much_still_hears_why(world: World, server: Server) -> None:
    answers = [post(server, world, body(world, CAP * times + 1), "long") for times in (1, 90)]
    assert [(each.status, each.json["code"]) for each in answers] == [(413, "too_large")] * 2


def test_a_length_over_the_cap_is_refused_before_a_byte_of_it_came(
    world: World, server: Server
) -> None:
    started = time.monotonic()
    with server.connect() as connection:
        connection.sendall(head(world, b"", f"Content-Length: {CAP + 1}"))
        answer = read_answer(connection)
    assert answer.status == 413
    assert time.monotonic() - started < 5


def test_a_slow_body_is_cut_off_and_hurts_nobody(world: World, server: Server) -> None:
    raw = body(world)
    slow = [server.connect() for _ in range(2)]
    for connection in slow:
        connection.sendall(head(world, raw, f"Content-Length: {len(raw)}") + raw[:5])
    started = time.monotonic()
    assert post(server, world, raw, "fast").status == 202
    assert time.monotonic() - started < 1
    for connection in slow:
        answer = read_answer(connection)
        assert (answer.status, answer.json["code"]) == (408, "incomplete_body")
        connection.close()
    assert time.monotonic() - started < 10
    assert codes(world) == ["incomplete_body"] * 2 + ["accepted"]


def test_a_slow_chunked_body_is_cut_off_too(world: World, server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(head(world, b"{}", "Transfer-Encoding: chunked") + b"5\r\nab")
        assert read_answer(connection).status == 408


def test_a_connection_that_breaks_mid_body_is_recorded(world: World, server: Server) -> None:
    raw = body(world)
    with server.connect() as connection:
        connection.sendall(head(world, raw, f"Content-Length: {len(raw)}") + raw[:50])
    wait_until(lambda: codes(world))
    row = world.log()[0]
    assert (row["code"], row["http_status"], row["verified"]) == ("incomplete_body", 408, False)
    assert post(server, world, raw, "wire").status == 202


def test_chunks_that_are_none_are_a_clean_refusal(world: World, server: Server) -> None:
    for chunks in (
        b"zz\r\nab\r\n",
        b"-1\r\n",
        b"5\r\nabcdefgh\r\n0\r\n\r\n",
        b"ffffffffffffffff\r\n",
    ):
        answer = server.raw(head(world, b"{}", "Transfer-Encoding: chunked"), chunks)
        assert (answer.status, answer.json["code"]) == (408, "incomplete_body"), chunks
    assert "Traceback" not in server.log


def test_a_refused_body_is_not_read_as_the_next_request(world: World, server: Server) -> None:
    raw = b"POST /hooks/smuggled HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" * 4000
    request = head(world, raw, f"Content-Length: {len(raw)}")
    answer = server.raw(request.replace(b"Connection: close\r\n", b""), raw)
    assert answer.status == 413 and answer.body.count(b"HTTP/1.1") == 0
    assert codes(world) == ["too_large"]
