"""Bodies of JSON calls and of forms over the wire of a real server: slow, broken, compressed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from switchboard import create_app
from switchboard.config import read_settings
from tests.conftest import environ_on
from tests.servers import Server, read_answer, serve
from tests.world import World

THREADS = 4


@pytest.fixture(scope="module")
def box(
    sqlite_template: Path, valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, Server]]:
    """One small server for all of these: reading a body touches no store."""
    data = tmp_path_factory.mktemp("bodies")
    environ = environ_on(data, sqlite_template, valkey_url, BODY_SECONDS="1")
    world = World(create_app(read_settings(environ)))
    assert world.endpoint
    with serve(environ, processes=1, threads=THREADS) as running:
        yield world, running


def head(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


def call(world: World, *lines: str) -> bytes:
    """The head of an agent's call."""
    bearer = f"Authorization: Bearer {world.endpoint.credential}"
    return head("/api/v1/todos/claim-next", bearer, "Connection: close", *lines)


FORM = head("/login", "Content-Type: application/x-www-form-urlencoded", "Content-Length: 100")


def test_slow_forms_of_strangers_are_cut_off_and_hold_no_thread(box: tuple[World, Server]) -> None:
    _, server = box
    with ExitStack() as stack:
        slow = [stack.enter_context(server.connect()) for _ in range(2 * THREADS)]
        for connection in slow:
            connection.sendall(FORM + b"name=a")
        started = time.monotonic()
        answers = [read_answer(connection) for connection in slow]
        assert time.monotonic() - started < 10
    assert {answer.status for answer in answers} == {408}
    assert "text/html" in answers[0].headers["Content-Type"]
    assert server.call("GET", "/healthz").status == 200


def test_a_slow_json_body_is_cut_off(box: tuple[World, Server]) -> None:
    world, server = box
    with server.connect() as connection:
        connection.sendall(call(world, "Content-Length: 100") + b"{")
        answer = read_answer(connection)
    assert (answer.status, answer.json["code"]) == (408, "incomplete_body")


def test_chunks_that_are_none_are_a_clean_refusal(box: tuple[World, Server]) -> None:
    world, server = box
    answer = server.raw(call(world, "Transfer-Encoding: chunked"), b"zz\r\n{}\r\n")
    assert (answer.status, answer.json["code"]) == (408, "incomplete_body")


def test_a_chunked_json_body_is_read(box: tuple[World, Server]) -> None:
    world, server = box
    raw = b'11\r\n{"queue":"other"}\r\n0\r\n\r\n'
    answer = server.raw(call(world, "Transfer-Encoding: chunked"), raw)
    assert (answer.status, answer.json["code"]) == (403, "forbidden")


def test_a_compressed_json_body_is_refused(box: tuple[World, Server]) -> None:
    world, server = box
    answer = server.raw(call(world, "Content-Encoding: gzip", "Content-Length: 2"), b"{}")
    assert (answer.status, answer.json["code"]) == (415, "unsupported_encoding")
