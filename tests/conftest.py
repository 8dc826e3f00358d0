"""Fixtures: real servers for the session, a fresh database a test, the application, a world in it.

Whatever takes `settings` (so `app`, `lib`, `world`) runs on SQLite and on Postgres.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from switchboard import create_app, factory
from switchboard.config import Settings, read_settings
from switchboard.errors import Unavailable
from switchboard.events import calls
from switchboard.inbound import floods
from switchboard.lib import migrate
from switchboard.lib.db import Database
from switchboard.lib.plumbing import Plumbing
from tests import backends
from tests.backends import Postgres
from tests.standins.github import GitHubStandIn
from tests.world import World

ENCRYPTION_KEY = base64.b64encode(b"k" * 32).decode()


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> None:
    for name in [name for name in os.environ if name.startswith("SWITCHBOARD_")]:
        if name != "SWITCHBOARD_TEST_CACHE":
            del os.environ[name]


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    with backends.valkey() as url:
        yield url


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with backends.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "switchboard.db"
    db = Database(f"sqlite:///{path}")
    migrate.upgrade(db)
    db.dispose()
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A migrated, empty database: the test runs once on each kind."""
    if request.param == "sqlite":
        path = tmp_path / "switchboard.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
    else:
        with request.getfixturevalue("postgres").clean() as url:
            yield url


def environ_on(data: Path, template: Path, valkey_url: str, **more: str) -> dict[str, str]:
    """The environment of one box for a whole module, on a SQLite of its own in `data`."""
    shutil.copy(template, data / "switchboard.db")
    values = {
        "DATA": str(data),
        "REDIS_URL": valkey_url,
        "SECRET_KEY": "tests",
        "ENCRYPTION_KEY": ENCRYPTION_KEY,
        **more,
    }
    return {f"SWITCHBOARD_{name}": value for name, value in values.items()}


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    """A stand-in GitHub that counts what is posted to it."""
    with GitHubStandIn() as standin:
        yield standin


@pytest.fixture
def environ(
    request: pytest.FixtureRequest,
    database_url: str,
    valkey_url: str,
    github: GitHubStandIn,
    tmp_path: Path,
) -> dict[str, str]:
    """The environment of a box under test. `@pytest.mark.setting(NAME="value")` changes some."""
    backends.flush(valkey_url)
    values = {
        "DATA": str(tmp_path),
        "DATABASE_URL": database_url,
        "REDIS_URL": valkey_url,
        "SECRET_KEY": "tests",
        "ENCRYPTION_KEY": ENCRYPTION_KEY,
        "GITHUB_API_URL": github.url,
        "ALLOW_HTTP": "1",
        "ALLOW_CIDRS": "127.0.0.1/32",
        "REPLY_WAIT_SECONDS": "0",
    }
    for mark in request.node.iter_markers("setting"):
        values |= mark.kwargs
    return {f"SWITCHBOARD_{name}": value for name, value in values.items()}


@pytest.fixture
def settings(environ: dict[str, str]) -> Settings:
    return read_settings(environ)


@pytest.fixture(scope="session")
def doors() -> Flask:
    """The application without plumbing: making its routes takes longer than most tests do."""
    return factory.doors()


@pytest.fixture
def app(settings: Settings, doors: Flask) -> Iterator[Flask]:
    app = create_app(settings) if settings["PROXY_HOPS"] else factory.fit(doors, settings)
    app.testing = False  # errors are answered as in production
    yield app
    lib: Plumbing = app.extensions["switchboard"]
    with contextlib.suppress(Unavailable):
        calls.settle(lib)
        floods.settle(lib)  # or it is written into the next test's database
    app.extensions["switchboard.mcp"].close()
    lib.db.dispose()


@pytest.fixture
def lib(app: Flask) -> Any:
    return app.extensions["switchboard"]


@pytest.fixture
def world(app: Flask) -> World:
    return World(app)
