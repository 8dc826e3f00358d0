"""Send test: one good and one forged sample through the public address, and both rows."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from switchboard import create_app
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound import source_changes
from tests.servers import Server, serve
from tests.world import World

HOSTS = {
    "github": "github.com",
    "gitea": "https://git.example.org",
    "slack": "T0AB1CD2E",
    "cairn": "https://cairn.example.org",
}


@pytest.fixture
def server(environ: Mapping[str, str]) -> Iterator[Server]:
    with serve(environ, processes=1) as running:
        yield running


@pytest.fixture
def box(environ: Mapping[str, str], server: Server) -> World:
    """A world that knows its public address, which plain-HTTP providers would not be dialled at."""
    return World(
        create_app(
            read_settings(
                {
                    **environ,
                    "SWITCHBOARD_BASE_URL": server.url,
                    "SWITCHBOARD_ALLOW_HTTP": "0",
                    "SWITCHBOARD_ALLOW_CIDRS": "",
                }
            )
        )
    )


def sent(world: World, name: str = "it", status: int = 200) -> dict[str, Any]:
    answer = world.operator("POST", f"/sources/{name}/test")
    assert answer.status_code == status, answer.data
    return answer.json


def test_both_samples_are_told_with_their_rows(box: World) -> None:
    assert box.endpoint
    box.add_source("it")
    result = sent(box)
    good, forged = result["good"], result["forged"]
    assert (good["ok"], good["http_status"], good["code"]) == (True, 202, "accepted")
    assert (forged["ok"], forged["http_status"], forged["code"]) == (True, 401, "bad_signature")
    assert [good["detail"], good["error_class"], forged["detail"]] == [None, None, None]
    rows = {row["id"]: row for row in box.log()}
    assert rows[good["delivery"]["id"]] == good["delivery"]
    assert rows[forged["delivery"]["id"]] == forged["delivery"]
    assert (good["delivery"]["verified"], forged["delivery"]["verified"]) == (True, False)


@pytest.mark.parametrize("kind", [*HOSTS, "signed", "generic"])
def test_every_kind_is_tested_again_and_again_and_makes_nothing(box: World, kind: str) -> None:
    assert box.endpoint
    box.add_source("it", kind, host=HOSTS.get(kind, ""), repo="r" if kind == "signed" else None)
    seen = []
    for _ in range(2):
        result = sent(box)
        assert (result["good"]["ok"], result["forged"]["ok"]) == (True, True), result
        seen += [result["good"]["delivery"]["id"], result["forged"]["delivery"]["id"]]
    assert sorted(seen) == sorted(row["id"] for row in box.log())
    assert box.agent("POST", "/todos/claim-next").status_code == 204


def test_a_generic_sources_forged_sample_goes_to_a_wrong_address(box: World) -> None:
    box.add_source("it", "generic")
    forged = sent(box)["forged"]
    assert (forged["http_status"], forged["code"]) == (404, "unknown_source")
    assert forged["delivery"]["source"] is None


def test_after_a_rotation_the_new_secret_signs(box: World) -> None:
    box.add_source("it")
    source_changes.rotate(box.lib, Machine(), "it")
    assert sent(box)["good"]["ok"]


def test_a_sample_that_is_refused_says_why(box: World) -> None:
    box.add_source("it")
    source_changes.set_state(box.lib, Machine(), "it", "paused")
    good = sent(box)["good"]
    assert (good["ok"], good["http_status"], good["code"]) == (False, 423, "source_paused")
    assert good["detail"] == good["delivery"]["reason"]


def test_an_address_that_nobody_answers_is_told_with_its_cure(
    environ: Mapping[str, str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    box = World(create_app(read_settings({**environ, "SWITCHBOARD_BASE_URL": url})))
    box.add_source("it")
    good = sent(box)["good"]
    assert (good["ok"], good["http_status"], good["delivery"]) == (False, None, None)
    assert (good["error_class"], good["code"]) == ("network", "connect")
    assert "SWITCHBOARD_BASE_URL" in good["detail"]


def test_an_address_that_leads_elsewhere_is_told_with_its_cure(
    environ: Mapping[str, str], github: Any
) -> None:
    box = World(create_app(read_settings({**environ, "SWITCHBOARD_BASE_URL": github.url})))
    box.add_source("it")
    result = sent(box)
    for one in (result["good"], result["forged"]):
        assert (one["ok"], one["delivery"]) == (False, None)
        assert one["http_status"] == 404 and "SWITCHBOARD_BASE_URL" in one["detail"]


def test_no_address_of_the_cloud_is_reached_so(environ: Mapping[str, str]) -> None:
    url = "http://169.254.169.254"
    box = World(create_app(read_settings({**environ, "SWITCHBOARD_BASE_URL": url})))
    box.add_source("it")
    assert sent(box)["good"]["code"] == "blocked_address"


def test_six_a_minute_are_the_most(box: World) -> None:
    box.add_source("it")
    for _ in range(3):
        sent(box)
    problem = sent(box, status=429)
    assert problem["code"] == "rate_limited" and 10 < problem["retry_after"] <= 20


def test_neither_answer_nor_log_has_the_secret(box: World, server: Server) -> None:
    source = box.add_source("it")
    token = source.source["ingest_url"].rpartition("/")[2]
    answer = box.operator("POST", "/sources/it/test")
    for text in (answer.text, server.log):
        assert (source.secret or "") not in text and token not in text
