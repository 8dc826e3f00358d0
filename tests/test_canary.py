"""No secret anywhere: a box is lived in, then every log, answer, page and stored byte is searched."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import inspect, text

from switchboard.access import login
from switchboard.replies.dial import dial
from switchboard.vault import connections
from tests.servers import serve, wait_until, worker
from tests.standins.github import GitHubStandIn
from tests.world import PASSWORD, World, password_hash

SECRETS = {
    "connection": "canary-of-the-connection-0123456789",
    "rotated": "canary-of-the-rotation-0123456789",
    "source": "canary-of-the-source-0123456789",
}


def live(world: World, github: GitHubStandIn) -> dict[str, str]:
    """Use everything that holds a secret, well and badly; return the secrets there are."""
    new = {"kind": "github", "name": "gh", "account_key": "github.com"}
    assert world.endpoint and world.operator_token
    world.operator("POST", "/connections", new | {"secret": SECRETS["connection"]})
    assert (
        world.operator("POST", "/connections", new | {"secret": SECRETS["connection"]}).status_code
        == 409
    )
    source = world.add_source("canary", secret=SECRETS["source"], to=["fixer"])
    world.source = source
    world.operator("POST", "/connections/gh/test")
    for number, answer in enumerate(
        ("created", "bad_credentials", "reset_after_write", "redirect_302")
    ):
        github.program([answer])
        world.deliver(world.issue(number + 1))
        id = world.reply(world.claim(), f"answer {number}").json["reply_id"]
        dial(world.lib, id)
    world.operator("PUT", "/connections/gh/secret", {"secret": SECRETS["rotated"]})
    world.deliver(world.issue(90), headers={"X-Hub-Signature-256": "sha256=" + "0" * 64})
    world.deliver(b"not json", headers={"Cookie": f"a={SECRETS['source']}"})
    for secret in SECRETS.values():  # where they do not belong, but people do it
        world.operator("PATCH", "/connections/nothing", {"name": secret + "\n"})
        world.operator("GET", f"/connections?after={secret}")
        world.client.get("/api/v1/sources", headers={"Authorization": f"Bearer sbp_{secret}"})
    return SECRETS | {
        "token": urlsplit(source.source["ingest_url"]).path.rpartition("/")[2],
        "operator token": world.operator_token,
        "endpoint credential": world.endpoint.credential,
        "password": PASSWORD,
        "encryption key": "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
    }


def assert_clean(where: str, haystack: str | bytes, secrets: dict[str, str]) -> None:
    raw = haystack if isinstance(haystack, bytes) else haystack.encode("utf-8", "replace")
    for name, secret in secrets.items():
        assert secret.encode() not in raw, f"the {name} stands in {where}"


def stored(world: World) -> bytes:
    """Every byte the database keeps."""
    if world.lib.db.is_sqlite:
        path = Path(world.lib.db.url.removeprefix("sqlite:///"))
        return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))
    with world.lib.db.read() as session:
        tables = inspect(session.connection()).get_table_names()
        rows = [session.execute(text(f'SELECT t::text FROM "{t}" t')).scalars() for t in tables]
        return "\n".join(row for each in rows for row in each).encode()


def gets(world: World) -> list[str]:
    """Every address that can be read, placeholders filled with what is there."""
    ids = {
        "todo_id": world.operator("GET", "/todos").json["todos"][0]["id"],
        "delivery_id": world.log()[0]["id"],
    }
    with world.lib.db.read() as session:
        ids["reply_id"] = session.execute(text("SELECT max(id) FROM replies")).scalar_one()
    found = []
    for rule in world.app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda name: ids.get(name[1], "x"), rule.rule)
        if "GET" in (rule.methods or ()):
            found.append(path)
    return sorted(found)


def signed_in(world: World) -> Any:
    """A browser of ana's: whatever form signing in takes, through the page itself."""
    client = world.app.test_client()
    page = client.get("/login").text
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    form = {"name": "ana", "password": PASSWORD, "csrf_token": token[1] if token else ""}
    client.post("/login", data=form)
    return client


def test_no_secret_in_any_answer_page_log_or_stored_byte(
    world: World,
    github: GitHubStandIn,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    caplog.set_level(logging.DEBUG)
    assert password_hash()
    secrets = live(world, github)
    # an ingest URL is shown to whoever may see the source: its token is no secret from him
    shown = {name: secret for name, secret in secrets.items() if name != "token"}
    browser = signed_in(world)
    for path in gets(world):
        for who in (world.operator_token, world.endpoint.credential):
            with subtests.test(path):
                answer = world.client.get(path, headers={"Authorization": f"Bearer {who}"})
                assert answer.status_code != 500
                assert_clean(path, answer.data + str(answer.headers).encode(), shown)
        with subtests.test(f"{path} in a browser"):
            page = browser.get(path)
            assert page.status_code != 500
            assert_clean(path, page.data, shown)
    with subtests.test("the log"):
        assert_clean("the log", caplog.text, secrets)
    with subtests.test("the database"):
        assert_clean("the database", stored(world), secrets)


def test_no_secret_in_the_output_of_the_processes(
    world: World, github: GitHubStandIn, environ: dict[str, str]
) -> None:
    secrets = live(world, github)
    todo = world.agent("GET", "/todos?state=claimed").json["todos"][0]
    path = urlsplit(world.source.source["ingest_url"]).path
    with serve(environ, processes=1) as server, worker(environ) as working:
        server.call("POST", path, b"{}", {"X-Hub-Signature-256": "x"})
        server.call(
            "GET", "/api/v1/todos", headers={"Authorization": f"Bearer {secrets['operator token']}"}
        )
        posts = len(github.posts)
        world.reply(todo, "one more")
        wait_until(lambda: len(github.posts) > posts, 30)
        assert_clean("the web's output", server.log, secrets)
        assert_clean("the worker's output", working.log, secrets)


def test_what_holds_a_secret_does_not_show_it(world: World) -> None:
    from switchboard.models import Connection
    from switchboard.replies import dial_store

    assert world.connection
    secret = "canary-connection-secret-0123456789"
    todo = world.claimed()
    id = world.reply(todo, "hello").json["reply_id"]
    with world.lib.db.read() as session:
        row = session.query(Connection).one()
        credential = connections.credential_of(world.lib, row)
        undialled = dial_store.find_undialled(world.lib.express, id)
        things = [row, credential, undialled, world.lib.settings, world.lib.sealer, world.lib]
        for thing in things:
            shown = f"{thing!r} {thing!s}"
            assert secret not in shown and "enc:v1:" not in shown
            assert "kkkkkkkk" not in shown and "a2tr" not in shown


def test_no_refusal_repeats_what_was_given_as_a_secret(world: World) -> None:
    from switchboard.errors import Problem

    for act in (
        lambda: login.with_token(world.lib, SECRETS["connection"]),
        lambda: login.with_password(world.lib, "ana", SECRETS["connection"], "192.0.2.1"),
        lambda: world.connect("x", secret=SECRETS["connection"] + "\n\x00"),
        lambda: world.add_source("x", secret=SECRETS["source"] + "\x00"),
    ):
        with pytest.raises(Problem) as refusal:
            act()
        assert_clean("a refusal", repr(refusal.value) + str(refusal.value.as_dict()), SECRETS)
