"""The house rules, executable: one schema, one error shape, names that resolve, arrows that hold."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import Engine

import switchboard
from switchboard import errors
from switchboard.lib import migrate, queue, schema
from switchboard.lib.db import Database
from switchboard.models import Base
from tests.backends import Postgres
from tests.world import World

PACKAGE = Path(switchboard.__file__).parent
CODES = set(re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", errors.__doc__ or ""))
PROBLEMS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.Problem)
}


# ── one schema ───────────────────────────────────────────────────────────────────────────────────


def test_there_is_one_migration_head_and_the_files_names_say_so(lib: Any) -> None:
    script = ScriptDirectory.from_config(migrate._config())
    assert len(script.get_heads()) == 1
    state = schema.state(lib.db)
    assert state.head == script.get_current_head() and state.is_current
    assert set(state.known) == {revision.revision for revision in script.walk_revisions()}


# SQLAlchemy does not reflect indexes on expressions; `_indexes` asks the database for them
unreflected = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection")


@unreflected
def test_the_models_are_the_migrated_schema_on_sqlite(
    sqlite_template: Path, tmp_path: Path
) -> None:
    made = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    Base.metadata.create_all(made)
    assert_alike(made, create_engine(f"sqlite:///{sqlite_template}"))


@unreflected
def test_the_models_are_the_migrated_schema_on_postgres(postgres: Postgres) -> None:
    with postgres.fresh() as migrated_url, postgres.fresh() as made_url:
        made = create_engine(made_url)
        with made.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        Base.metadata.create_all(made)
        migrated = create_engine(migrated_url)
        assert_alike(made, migrated)
        made.dispose()
        migrated.dispose()


def assert_alike(made: Engine, migrated: Engine) -> None:
    left, right = described(made), described(migrated)
    assert set(left) == set(right)
    for table in left:
        assert left[table] == right[table], table


def described(engine: Engine) -> dict[str, Any]:
    found = inspect(engine)
    tables = {name for name in found.get_table_names() if name != "alembic_version"}
    return {name: _table(found, engine, name) for name in sorted(tables)}


def _table(found: Any, engine: Engine, name: str) -> dict[str, Any]:
    return {
        "columns": {
            column["name"]: (str(column["type"]), column["nullable"], column["default"])
            for column in found.get_columns(name)
        },
        "key": found.get_pk_constraint(name)["constrained_columns"],
        "references": sorted(map(str, found.get_foreign_keys(name))),
        "unique": sorted(str(each["column_names"]) for each in found.get_unique_constraints(name)),
        "checks": sorted(str(each) for each in found.get_check_constraints(name)),
        "indexes": _indexes(engine, name),
    }


def _indexes(engine: Engine, table: str) -> list[str]:
    """As the database itself tells them: expressions and conditions included."""
    statement = (
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = :t"
        if engine.dialect.name == "sqlite"
        else "SELECT indexdef FROM pg_indexes WHERE tablename = :t"
    )
    with engine.connect() as connection:
        rows = connection.execute(text(statement), {"t": table}).scalars()
        return sorted(" ".join(row.split()).lower() for row in rows)


def test_migrating_twice_changes_nothing(lib: Any) -> None:
    migrate.upgrade(lib.db)
    assert schema.state(lib.db).is_current


def test_a_fresh_database_is_brought_up_from_nothing(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path / 'new.db'}")
    assert schema.state(db).is_empty
    migrate.upgrade(db)
    assert schema.state(db).is_current
    db.dispose()


# ── one error shape ──────────────────────────────────────────────────────────────────────────────


def refused(world: World) -> Iterator[tuple[str, Any]]:
    """One refusal of every family that a plain request can cause."""
    bearer = {"Authorization": f"Bearer {world.endpoint.credential}"}
    client = world.client
    yield "401", client.get("/api/v1/todos")
    yield "401 hook", world.deliver(world.issue(1), headers={"X-Hub-Signature-256": None})
    yield "403", world.agent("POST", "/todos/claim-next", {"queue": "x"})
    yield "404", world.agent("GET", "/todos/nothing")
    yield "404 route", client.get("/api/v1/nothing")
    yield "404 hook", client.post("/hooks/nothing")
    yield "405", client.get("/hooks/x")
    yield "405 api", client.delete("/api/v1/todos")
    yield "409", world.agent("POST", f"/todos/{pending(world)}/complete")
    yield "413", client.post("/api/v1/todos/claim-next", data=b" " * 300_000, headers=bearer)
    yield "415", world.deliver(world.issue(2), headers={"Content-Encoding": "gzip"})
    yield "421", client.get("/api/v1/todos", headers={"Host": "evil.example"})
    yield "422", world.agent("GET", "/todos?limit=x")
    yield "422 json", client.post("/api/v1/todos/claim-next", data=b"{", headers=bearer)
    yield "422 NUL", client.get("/api/v1/todos?state=%00", headers=bearer)
    yield "404 NUL", client.get("/api/v1/todos/%00", headers=bearer)
    yield "422 hook", world.deliver(b"no")


def pending(world: World) -> str:
    return world.deliver(world.issue(9)).json["todos"][0]["id"]


def test_every_error_is_a_problem_with_a_code_of_the_tree(
    world: World, subtests: pytest.Subtests
) -> None:
    for what, answer in refused(world):
        with subtests.test(what):
            assert answer.status_code == int(what.split()[0])
            assert answer.mimetype == "application/problem+json"
            body = answer.json
            assert {"type", "title", "status", "code", "detail"} <= set(body)
            assert set(body) <= {
                "type", "title", "status", "code", "detail", "field", "letter", "retry_after",
            }  # fmt: skip
            assert body["status"] == answer.status_code
            assert body["type"] == f"urn:switchboard:problem:{body['code']}"
            assert body["code"] in CODES
            assert body["detail"].strip() and body["title"].strip()


def test_a_bug_is_told_in_the_same_shape_and_without_details(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("canary")

    monkeypatch.setattr("switchboard.inbound.source_views.in_view", broken)
    bearer = {"Authorization": f"Bearer {world.operator_token}"}
    answer = world.client.get("/api/v1/sources", headers=bearer)
    assert (answer.status_code, answer.json["code"]) == (500, "internal")
    assert "canary" not in answer.text


def used_codes() -> Iterator[tuple[str, str]]:
    """(file, code) for every code that a refusal is raised with."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in PROBLEMS:
                continue
            given = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "code")]
            for code in given:
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    yield str(path.relative_to(PACKAGE)), code.value


def test_every_code_a_refusal_is_raised_with_stands_in_the_tree() -> None:
    used = list(used_codes())
    assert len(used) > 20
    assert [(file, code) for file, code in used if code not in CODES] == []


def test_every_family_stands_in_the_tree_with_its_status_and_code() -> None:
    lines = (errors.__doc__ or "").splitlines()
    for name, kind in PROBLEMS.items():
        if name == "Problem":
            continue
        [line] = [line for line in lines if re.search(rf"── {name} +\d", line)]
        assert f"{kind.status} " in line and kind.default_code in line


# ── names that resolve, arrows that hold ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("job", queue.JOBS, ids=lambda job: job.name)
def test_every_enqueued_name_is_a_function_on_a_queue_a_worker_listens_to(job: queue.Job) -> None:
    module, _, name = job.name.rpartition(".")
    assert callable(getattr(import_module(module), name))
    assert job.queue in queue.QUEUES and job.timeout > 0


def test_who_may_import_whom() -> None:
    lint = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert lint, "import-linter is a development requirement"
    done = subprocess.run([lint, "--no-cache"], cwd=PACKAGE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_stores_models_and_the_database_speak_sql() -> None:
    """A session is handed around; statements are built in one place a vertical."""
    guilty = []
    for path in PACKAGE.rglob("*.py"):
        if path.name.endswith("store.py") or {"models", "lib"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "sqlalchemy":
                guilty.append(str(path.relative_to(PACKAGE)))
    assert guilty == []
