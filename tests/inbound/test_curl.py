"""Copy as curl: a command that sends the same bytes again with a good signature, in any shell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from switchboard import create_app
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound.curl import as_curl
from switchboard.inbound.sources import Added
from switchboard.lib import clock
from switchboard.providers.signed_schemes import STANDARD
from tests.conftest import environ_on
from tests.servers import Server, serve
from tests.world import World, payload

NASTY = b"@/etc/passwd '\"$(id)`id`\\ !! %s\n\n"
BINARY = b"\x00\xff\xfe{\r\n\t'END'\n" + bytes(range(256)) * 40


@pytest.fixture(scope="module")
def box(
    sqlite_template: Path, valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, Server]]:
    """One server for all of these: what a shell sends is no matter of the store."""
    data = tmp_path_factory.mktemp("curl")
    environ = environ_on(data, sqlite_template, valkey_url)
    world = World(create_app(read_settings(environ)))
    assert world.endpoint
    with serve(environ, processes=1) as server:
        yield world, server
    world.lib.db.dispose()


@pytest.fixture
def world(box: tuple[World, Server]) -> World:
    return box[0]


@pytest.fixture
def server(box: tuple[World, Server]) -> Server:
    return box[1]


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A source's name of the test's own."""
    return f"s{abs(hash(request.node.nodeid))}"


def pasted(
    server: Server, source: Added, command: str, secret: str = "", shell: str = "bash"
) -> Any:
    """(status, JSON) that the command is answered with in a shell that knows nothing else."""
    assert all(shutil.which(tool) for tool in ("curl", "openssl", "base64"))
    path = urlsplit(source.source["ingest_url"]).path
    variables = {"INGEST_URL": server.url + path, "SECRET": secret or source.secret or ""}
    env = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run([shell, "-c", command], env=env, capture_output=True, timeout=30)
    head, _, body = done.stdout.decode().rpartition("\r\n\r\n")
    assert head, done.stderr
    return int(head.split()[1]), json.loads(body)


def newest(world: World) -> str:
    return world.log()[0]["id"]


def command_of(world: World, delivery: str) -> str:
    return as_curl(world.lib, Machine(), delivery)


CAIRN = {
    "event_id": "ev_1", "created_at": "", "kind": "artifact.created",
    "artifact": {"id": "a1", "url": "https://cairn.example.org/a/a1", "title": "It's \"new\""},
}  # fmt: skip
KINDS = {
    "github": ({}, payload("github/issues.opened"),
               {"X-GitHub-Event": "issues", "X-GitHub-Delivery": "one"}),
    "gitea": ({"host": "https://git.example.org"}, payload("gitea/issues.opened"),
              {"X-Gitea-Event": "issues", "X-Gitea-Delivery": "one"}),
    "slack": ({"host": "T0AB1CD2E"}, {**payload("slack/message"), "token": ""}, {}),
    "cairn": ({"host": "https://cairn.example.org"}, CAIRN, {}),
    "signed": ({"repo": "rocket", "letters": "n"}, {"kind": "ticket", "title": "It's"},
               {"X-Switchboard-Delivery": "one"}),
    "generic": ({}, {"title": "It's down"}, {"X-Delivery-Id": "one"}),
}  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_is_a_good_copy_of_what_came(
    world: World, server: Server, name: str, kind: str, shell: str
) -> None:
    wanted, body, headers = KINDS[kind]
    if kind == "cairn":
        body = {**body, "created_at": clock.iso(clock.now())}
    source = world.add_source(name, kind, **wanted)
    first = world.signed(source, body, headers)
    assert first.status_code == 202, first.data
    command = command_of(world, first.json["delivery"])
    status, answer = pasted(server, source, command, shell=shell)
    assert (status, answer["duplicate"]) == (200, True)
    assert answer["delivery"] == first.json["delivery"]


@pytest.mark.parametrize("kind", ["github", "slack", "signed"])
def test_it_carries_no_secret_and_without_one_it_is_forged(
    world: World, server: Server, name: str, kind: str
) -> None:
    wanted, body, headers = KINDS[kind]
    source = world.add_source(name, kind, **wanted)
    command = command_of(world, world.signed(source, body, headers).json["delivery"])
    token = source.source["ingest_url"].rpartition("/")[2]
    assert (source.secret or "") not in command and (kind == "signed" or token not in command)
    status, answer = pasted(server, source, command, secret="another secret")
    assert (status, answer["code"]) == (401, "bad_signature")


@pytest.mark.parametrize("body", [NASTY, BINARY], ids=["nasty", "binary"])
def test_every_byte_of_a_body_is_sent_again(world: World, server: Server, body: bytes) -> None:
    """Another body under the id would be a conflict."""
    assert world.deliver(body, id=f"{len(body)} bytes").status_code == 422
    status, answer = pasted(server, world.source, command_of(world, newest(world)))
    assert (status, answer["code"]) == (422, "invalid_json")


def test_a_masked_body_is_said_to_be_another(world: World, server: Server, name: str) -> None:
    source = world.add_source(name, "slack", host="T0AB1CD2E")
    body = {**payload("slack/message"), "token": "canary"}
    command = command_of(world, world.signed(source, body, {}).json["delivery"])
    assert "canary" not in command and "# A secret in the body was not kept" in command
    status, answer = pasted(server, source, command)
    assert (status, answer["code"]) == (409, "delivery_conflict")


def test_what_came_by_standard_webhooks_goes_by_the_own_scheme(
    world: World, server: Server, name: str
) -> None:
    source = world.add_source(name, "signed", repo="rocket", letters="n")
    raw = json.dumps({"kind": "ticket", "title": "Nightly run failed"}).encode()
    signed = STANDARD.sign(raw, source.secret or "", "msg_1", clock.now())
    first = world.send(source, raw, {"Content-Type": "application/json", **signed})
    assert first.status_code == 202
    status, answer = pasted(server, source, command_of(world, first.json["delivery"]))
    assert (status, answer["duplicate"]) == (200, True)


def test_a_readable_body_stays_readable(world: World) -> None:
    delivery = world.deliver({"action": "it's", "repository": {}}, "star").json["delivery"]
    assert '"repository": {}' in command_of(world, delivery)


def test_nothing_of_a_body_can_steer_the_terminal_it_is_pasted_into(world: World) -> None:
    world.deliver(b'"\x1b[201~\nrm -rf ~\n\xe2\x80\xae"')
    command = command_of(world, newest(world))
    assert [c for c in command if not c.isprintable() and c != "\n"] == []
    assert "rm -rf" not in command
