"""The delivery log on pages: what a row says, how runs fold, filters in the URL, who sees what."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import delete, update

from switchboard.access.principals import Machine
from switchboard.errors import Unavailable
from switchboard.inbound import deliveries, log_store, source_changes
from switchboard.lib import clock
from switchboard.models import Delivery, DeliveryBody
from switchboard.web.log import fold
from tests.web.conftest import Human
from tests.world import World, payload


def rows(page: str) -> list[str]:
    """The log's lines as text, newest first."""
    found = re.findall(r"<summary>\s*<span class=\"state.*?</summary>", page, re.S)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in found]


def row(**changes: object) -> dict[str, object]:
    plain = {"source_id": "sr_1", "kind": "github", "status": "accepted", "code": "accepted"}
    return {**plain, "event_type": "issues.opened", "count": 1, "outcome": {}, **changes}


def test_adjacent_rows_of_one_outcome_fold_into_a_run() -> None:
    runs = fold([row(), row(), row(status="refused", code="bad_signature"), row()])
    assert [len(run.rows) for run in runs] == [2, 1, 1]


@pytest.mark.parametrize("difference", ["source_id", "status", "code", "event_type"])
def test_rows_that_differ_do_not_fold(difference: str) -> None:
    assert len(fold([row(), row(**{difference: "other"})])) == 2


def test_a_run_counts_the_floods_that_were_folded_when_recorded() -> None:
    assert fold([row(), row(count=40)])[0].count == 41


def test_a_row_says_state_source_event_and_subject(ana: Human, world: World) -> None:
    world.deliver(world.issue(1, "Something is wrong"))
    (line,) = rows(ana.read("/deliveries"))
    assert re.fullmatch(r"accepted just now octo issues.opened Something is wrong \d+ ms", line)


def test_a_refusal_says_its_code_and_reason_on_its_line(ana: Human, world: World) -> None:
    world.deliver(world.issue(1), headers={"X-Hub-Signature-256": "sha256=00"})
    (line,) = rows(ana.read("/deliveries"))
    assert "refused" in line and "bad_signature" in line
    assert "does not match the body and the source's secret" in line


def test_a_flood_is_one_line_with_its_count(ana: Human, world: World) -> None:
    assert world.source
    for _ in range(130):
        world.client.post("/hooks/nobody", data=b"{}")
    (line,) = rows(ana.read("/"))
    assert "130×" in line


def test_a_repeat_shows_on_the_row_it_repeats(ana: Human, world: World) -> None:
    world.deliver(world.issue(1), id="the-same")
    with world.lib.db.write() as session:  # a repeat within the second is not counted
        session.execute(update(Delivery).values(last_attempt_at=clock.ago(5)))
    world.deliver(world.issue(1), id="the-same")
    assert "and 1 duplicate" in rows(ana.read("/deliveries"))[0]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("status=accepted", 2),
        ("status=refused", 1),
        ("code=invalid_json", 1),
        ("event=ping", 1),
        ("source=octo", 3),
        ("source=other", 0),
        ("kind=github", 3),
        ("status=accepted&event=ping", 1),
    ],
)
def test_the_filter_is_the_url(ana: Human, world: World, query: str, count: int) -> None:
    world.deliver(world.issue(1))
    world.deliver(b"{not json")
    world.deliver(payload("github/ping"), "ping")
    assert len(rows(ana.read(f"/deliveries?{query}"))) == count


def test_a_filter_left_empty_leaves_the_url(ana: Human) -> None:
    response = ana.get("/deliveries?status=refused&code=&event=")
    assert response.location == "/deliveries?status=refused"


def test_a_filter_stays_in_the_form_and_in_the_poll(ana: Human, world: World) -> None:
    world.deliver(world.issue(1))
    page = ana.read("/deliveries?status=accepted&event=issues.opened")
    assert 'value="issues.opened"' in page
    assert "<option selected>accepted</option>" in page
    poll = re.search(r'data-poll="([^"]+)"', page)
    assert poll and "status=accepted" in poll[1] and "event=issues.opened" in poll[1]


def test_a_page_of_a_search_is_one_search(
    ana: Human, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(103):
        world.deliver(world.issue(number))
    search, asked = deliveries.search, []

    def counted(*given: Any, **more: Any) -> Any:
        asked.append(given)
        return search(*given, **more)

    monkeypatch.setattr(deliveries, "search", counted)
    assert "Older deliveries" in ana.read("/deliveries?text=something")
    assert len(asked) == 1


def test_a_search_stands_still_and_leads_further_back(
    ana: Human, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "TEXT_WINDOW", 2)
    for number in range(5):
        world.deliver(world.issue(number))
    page = ana.read("/deliveries?text=needle")
    for _ in range(2):
        assert "No delivery matches" in page and "appears here by itself" not in page
        assert "data-poll" not in page
        further = re.search(r'<a href="([^"]+)">Search further back', page)
        assert further
        page = ana.read(further[1])
    assert "There is nothing older" in page


def test_older_rows_are_one_link_away(ana: Human, world: World) -> None:
    for number in range(105):
        event = "issues" if number % 2 else "star"  # two that do not fold
        world.deliver(world.issue(number), event)
    page = ana.read("/deliveries")
    older = re.search(r'<a href="([^"]+)">Older deliveries', page)
    assert older
    assert len(rows(page)) + len(rows(ana.read(older[1]))) == 105
    assert "data-poll" not in ana.read(older[1])


def test_no_match_and_nothing_yet_are_different_sentences(ana: Human) -> None:
    assert "Nothing has arrived yet" in ana.read("/deliveries")
    assert "No delivery matches status=failed" in re.sub(
        r"</?code>", "", ana.read("/deliveries?status=failed")
    )


def test_a_log_that_cannot_be_read_says_so(ana: Human, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_more: object) -> None:
        raise Unavailable("The database cannot be reached.", retry_after=5)

    monkeypatch.setattr("switchboard.inbound.deliveries.search", away)
    response = ana.get("/deliveries/log")
    assert response.status_code == 503
    assert "The log cannot be read right now" in response.text


def test_the_fragment_is_the_panel_alone(ana: Human, world: World) -> None:
    world.deliver(world.issue(1))
    page = ana.read("/deliveries/log?status=accepted&lines=5")
    assert len(rows(page)) == 1
    assert "<html" not in page


def test_a_delivery_shows_reason_what_it_became_headers_and_pretty_body(
    ana: Human, world: World
) -> None:
    outcome = world.deliver(world.issue(1)).json
    page = ana.read(f"/deliveries/{outcome['delivery']}")
    assert "Accepted: it became 1 todo." in page
    assert f"/todos/{outcome['todos'][0]['id']}" in page
    assert "X-Github-Event" in page
    assert '"action": "opened",\n' in page


def test_a_strangers_body_is_not_kept_and_the_page_says_why(ana: Human, world: World) -> None:
    world.deliver(world.issue(1), headers={"X-Hub-Signature-256": None})
    page = ana.read(f"/deliveries/{world.log()[0]['id']}")
    assert "The body was not kept, because nothing proved who sent it" in page


def test_a_body_whose_time_is_over_is_told_apart(ana: Human, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    with world.lib.db.write() as session:
        session.execute(delete(DeliveryBody))
    assert "The body is no longer kept" in ana.read(f"/deliveries/{delivery}")


def test_an_empty_body_is_told_apart(ana: Human, world: World) -> None:
    world.deliver(b"")
    assert "The sender sent no body" in ana.read(f"/deliveries/{world.log()[0]['id']}")


def test_a_delivery_is_copied_as_a_curl_command(ana: Human, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    response = ana.get(f"/deliveries/{delivery}/curl")
    assert response.mimetype == "text/plain"
    assert response.text.startswith(': "${INGEST_URL')


def test_what_senders_write_is_shown_and_never_run(ana: Human, world: World) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    todo = world.deliver(world.issue(1, hostile)).json["todos"][0]["id"]
    delivery = world.log()[0]["id"]
    paths = ("/", "/deliveries", f"/deliveries/{delivery}", "/todos", f"/todos/{todo}")
    for path in paths:
        raw = ana.get(path).text
        assert "<script>alert" not in raw and "<img src=x" not in raw
        assert "&lt;script&gt;alert(1)" in raw


def test_only_an_admin_sees_what_called_unknown_addresses(
    ana: Human, bob: Human, world: World
) -> None:
    world.client.post("/hooks/nobody", data=b"{}")
    assert len(rows(ana.read("/deliveries"))) == 1
    assert len(rows(bob.read("/deliveries"))) == 0


def test_the_log_beside_a_source_is_that_sources_alone(ana: Human, world: World) -> None:
    world.deliver(world.issue(1))
    source_changes.set_state(world.lib, Machine(), world.source.source["id"], "revoked")
    again = world.add_source("octo").source["id"]
    page = ana.read(f"/settings/sources/{again}")
    assert rows(page) == []
    assert "Nothing has arrived from octo yet" in page


def test_a_source_filtered_by_its_id_is_shown_by_its_name(ana: Human, world: World) -> None:
    own = world.source.source["id"]
    page = ana.read(f"/deliveries?source={own}")
    assert f'<option value="{own}" selected>octo</option>' in page
