"""`doctor` on good set-ups and broken ones."""

from __future__ import annotations

import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import SimpleWorker
from sqlalchemy import create_engine, text

from switchboard.cli.checks import queue
from switchboard.cli.checks.skew import of_clock
from tests.backends import Postgres
from tests.certificates import make
from tests.cli.conftest import CommandLine
from tests.standins.mail import MailServer

GOOD_URL = "https://switchboard.example.org"


def examined(cli: CommandLine) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and the last finding of each check."""
    result = cli.run("doctor", "--json")
    report = json.loads(result.stdout)
    assert (result.stderr, report["ok"]) == ("", result.exit_code == 0)
    for finding in report["checks"]:
        assert finding["state"] == "ok" or finding["advice"] or finding["check"] == "worker"
    return result.exit_code, {finding["check"]: finding for finding in report["checks"]}


def with_settings(cli: CommandLine, **values: str) -> CommandLine:
    more = {f"SWITCHBOARD_{name}": value for name, value in values.items()}
    return CommandLine({**cli.environ, **more})


@pytest.fixture
def worker(valkey_url: str, environ: dict[str, str]) -> Any:
    """A worker that lives as long as the test."""
    with Redis.from_url(valkey_url) as client:
        alive = SimpleWorker(["default"], connection=client)
        alive.register_birth()
        yield alive
        alive.register_death()


@pytest.mark.setting(BASE_URL=GOOD_URL)
def test_a_good_set_up_passes(cli: CommandLine, worker: Any) -> None:
    Path(cli.environ["SWITCHBOARD_DATA"]).chmod(0o700)
    exit_code, found = examined(cli)
    assert exit_code == 0
    assert {finding["state"] for finding in found.values()} == {"ok"}, found
    assert set(found) == {
        *("settings", "data folder", "keys", "base URL", "database"),
        *("schema", "secrets", "queue", "worker", "clock", "mail"),
    }


def test_people_read_a_line_a_check_with_what_to_do(cli: CommandLine) -> None:
    result = cli.run("doctor")
    assert "\nok    database     " in result.stdout
    assert "\nfail  worker       none in the last minute; none was ever seen\n" in result.stdout
    assert "→ Start the box (python app.py), or a worker of this site." in result.stdout


def test_settings_that_cannot_be_read_are_a_finding(cli: CommandLine) -> None:
    exit_code, found = examined(with_settings(cli, PORT="eighty"))
    assert (exit_code, list(found)) == (1, ["settings"])
    assert "SWITCHBOARD_PORT" in found["settings"]["found"]


def test_a_folder_that_is_not_there_stays_so(fresh: CommandLine) -> None:
    exit_code, found = examined(fresh)
    assert (exit_code, found["keys"]["state"], found["database"]["state"]) == (1, "warn", "warn")
    assert not Path(fresh.environ["SWITCHBOARD_DATA"]).exists()


def test_a_folder_and_keys_open_to_others_are_found(fresh: CommandLine) -> None:
    fresh.json("account", "list")
    folder = Path(fresh.environ["SWITCHBOARD_DATA"])
    folder.chmod(0o755)
    (folder / "secret_key").chmod(0o644)
    checks = json.loads(fresh.run("doctor", "--json").stdout)["checks"]
    states = [(c["check"], c["state"]) for c in checks if c["check"] in ("data folder", "keys")]
    assert states == [("data folder", "warn"), ("keys", "fail"), ("keys", "ok")]


def test_no_valkey_is_a_failure_with_its_remedy(cli: CommandLine) -> None:
    url = "redis://:canary@127.0.0.1:1/0"
    exit_code, found = examined(with_settings(cli, REDIS_URL=url))
    assert (exit_code, found["queue"]["state"], found["worker"]["state"]) == (1, "fail", "warn")
    assert "SWITCHBOARD_REDIS_URL" in found["queue"]["advice"]
    assert "canary" not in str(found)


def test_no_database_is_a_failure_in_its_own_words(cli: CommandLine) -> None:
    url = "postgresql://ana:canary@127.0.0.1:1/box"
    exit_code, found = examined(with_settings(cli, DATABASE_URL=url))
    assert (exit_code, found["database"]["state"]) == (1, "fail")
    assert "refused" in found["database"]["found"] and "canary" not in str(found)


def test_a_file_that_is_no_database_is_a_failure(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "odd.db").write_bytes(b"no database " * 500)
    odd = with_settings(cli, DATABASE_URL=f"sqlite:///{tmp_path / 'odd.db'}")
    exit_code, found = examined(odd)
    assert (exit_code, found["database"]["state"]) == (1, "fail")
    assert "not a database" in found["database"]["found"]


def test_a_database_behind_is_a_failure(cli: CommandLine) -> None:
    from tests.cli.test_schema import set_revision

    set_revision(cli, None)
    exit_code, found = examined(cli)
    assert (exit_code, found["schema"]["state"]) == (1, "fail")
    assert "db upgrade" in found["schema"]["advice"]
    set_revision(cli, "0999")
    assert "newer" in examined(cli)[1]["schema"]["found"]


def test_secrets_under_other_keys_are_found(ana: CommandLine) -> None:
    ana.json("source", "add", "github", "--owner", "ana", "--name", "octo")
    kept = ana.environ["SWITCHBOARD_ENCRYPTION_KEY"]
    other = base64.b64encode(b"o" * 32).decode()
    lost = examined(with_settings(ana, ENCRYPTION_KEY=other))[1]["secrets"]
    between = with_settings(ana, ENCRYPTION_KEY=other, ENCRYPTION_KEY_OLD=kept)
    old = examined(between)[1]["secrets"]
    between.json("vault", "rotate")
    idle = examined(between)[1]["secrets"]
    assert [(f["state"], f["found"].split()[0]) for f in (lost, old, idle)] == [
        ("fail", "2"),
        ("warn", "2"),
        ("warn", "nothing"),
    ]


@pytest.mark.parametrize(
    "url", ["", "http://switchboard.example.org", "https://127.0.0.1:8080", "https://localhost"]
)
def test_a_base_url_that_senders_cannot_use_is_a_warning(fresh: CommandLine, url: str) -> None:
    _, found = examined(with_settings(fresh, BASE_URL=url))
    assert found["base URL"]["state"] == "warn"


@pytest.mark.parametrize(
    ("seconds", "state"), [(0.2, "ok"), (-4, "ok"), (30, "warn"), (-59, "warn"), (90, "fail")]
)
def test_a_clock_is_judged_by_its_distance(seconds: float, state: str) -> None:
    assert of_clock("Valkey", seconds).state == state


def test_another_clock_is_found(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue.skew, "of_valkey", lambda client: -120.0)
    exit_code, found = examined(cli)
    assert (exit_code, found["clock"]["found"]) == (1, "Valkey is 120 s behind this machine")


def test_a_database_that_takes_no_writes_is_a_failure(
    postgres: Postgres, fresh: CommandLine
) -> None:
    with postgres.fresh() as url:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            name = connection.scalar(text("SELECT current_database()"))
            connection.execute(
                text(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            )
        engine.dispose()
        exit_code, found = examined(with_settings(fresh, DATABASE_URL=url, SECRET_KEY="s"))
    assert (exit_code, found["database"]["state"]) == (1, "fail")
    assert "read-only" in found["database"]["found"]


def test_mail_that_can_be_answered_is_fine(cli: CommandLine) -> None:
    with MailServer() as server:
        _, found = examined(
            with_settings(cli, SMTP_URL=server.url, INBOUND_DOMAIN="mail.example.org")
        )
        assert found["mail"]["state"] == "ok"
        assert "switchboard@mail.example.org" in found["mail"]["found"]
        _, found = examined(with_settings(cli, SMTP_URL=server.url, MAIL_FROM="ops@example.org"))
        assert (found["mail"]["state"], "INBOUND_DOMAIN" in found["mail"]["advice"]) == (
            "warn",
            True,
        )
        assert server.mails == []


def test_a_mail_server_that_is_not_there_fails(cli: CommandLine) -> None:
    away = with_settings(cli, SMTP_URL="smtp://127.0.0.1:9", MAIL_FROM="ops@example.org")
    exit_code, found = examined(away)
    assert (exit_code, found["mail"]["state"]) == (1, "fail")
    assert "nobody listens there" in found["mail"]["advice"]


def test_a_server_of_a_private_authority_is_trusted_by_its_file(
    cli: CommandLine, tmp_path: Path
) -> None:
    authority = make(tmp_path, "authority")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(make(tmp_path, "localhost", by=authority).in_one())
    with MailServer(tls_context=context, require_starttls=True) as server:
        url = f"smtp+starttls://localhost:{server.port}"
        mail = {"SMTP_URL": url, "INBOUND_DOMAIN": "mail.example.org"}
        _, found = examined(with_settings(cli, **mail))
        assert (found["mail"]["state"], "SMTP_CA_FILE" in found["mail"]["advice"]) == ("fail", True)
        trusting = with_settings(cli, **mail, SMTP_CA_FILE=str(authority.path))
        assert examined(trusting)[1]["mail"]["state"] == "ok"
        trusting.json("account", "create", "ana", "--email", "ana@example.org")
        trusting.json("sink", "add", "email", "--owner", "ana", "--name", "mail")
        assert trusting.json("sink", "test", "mail")["ok"] is True
        assert [each.recipient for each in server.mails] == ["ana@example.org"]


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_file_of_authorities_that_holds_none_stops_the_start(
    fresh: CommandLine, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    exit_code, found = examined(with_settings(fresh, SMTP_CA_FILE=str(path)))
    assert (exit_code, list(found)) == (1, ["settings"])
    assert "SWITCHBOARD_SMTP_CA_FILE" in found["settings"]["found"]
