"""The pages in a real browser: what they do, how they look at every width, whom they shut out.

Screenshots of every page stand in tests/artefacts/pages afterwards, to be looked at.
"""

from __future__ import annotations

import re
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from flask import Flask
from playwright.sync_api import Browser, Page, expect, sync_playwright
from werkzeug.serving import make_server

from switchboard.access import login
from tests.standins.github import GitHubStandIn
from tests.web import lived_in
from tests.world import PASSWORD, World

CHROMIUM = shutil.which("chromium")
ARTEFACTS = Path(__file__).parent.parent / "artefacts" / "pages"
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, NARROW, HEIGHT = 1200, 360, 800
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "narrow": ("light", NARROW)}

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium"),
    # what a browser sees does not depend on the database
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """The application behind a real server."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@dataclass
class Screen:
    """A window of its own, its complaints noted."""

    browser: Browser
    address: str
    complaints: list[str]

    def open(self, width: int = WIDE, **wanted: Any) -> Page:
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": width, "height": HEIGHT},
            reduced_motion="reduce",  # a look that is taken is there at once
            **wanted,
        )
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)
        return page

    def _note(self, message: Any) -> None:
        # a status of ours is not a complaint of the browser's
        if message.type == "error" and "the server responded with a status" not in message.text:
            self.complaints.append(message.text)

    def signed_in(self, width: int = WIDE, **wanted: Any) -> Page:
        page = self.open(width, **wanted)
        page.goto("/login")
        page.get_by_label("Name").fill("ana")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{self.address}/")
        return page


@pytest.fixture
def screen(browser: Browser, address: str) -> Iterator[Screen]:
    screen = Screen(browser, address, [])
    yield screen
    for context in browser.contexts:
        context.close()
    assert not screen.complaints


# what they do


def add_connection(page: Page) -> None:
    page.goto("/settings/connections")
    form = page.locator("details.add")
    form.get_by_label("Name").fill("octo-bot")
    form.get_by_label("Token").fill("ghp_canary-in-the-browser")
    form.get_by_role("button", name="Add the connection").click()


@pytest.mark.parametrize("script", [True, False])
def test_one_signs_in_adds_a_connection_and_sees_the_log_beside_it(
    screen: Screen, world: World, script: bool
) -> None:
    world.deliver(world.issue(1, "Beside the connection"))
    page = screen.signed_in(java_script_enabled=script)
    add_connection(page)
    expect(page.locator("details.item", has_text="octo-bot").first).to_be_visible()
    row = page.locator(".log details.row")
    expect(row).to_contain_text("Beside the connection")
    row.locator("summary").click()
    expect(row.get_by_text("Accepted: it became 1 todo.")).to_be_visible()
    assert "ghp_canary" not in page.content()


def test_a_new_delivery_appears_by_itself(screen: Screen, world: World) -> None:
    world.deliver(world.issue(1, "The first"))
    page = screen.signed_in()
    page.goto("/deliveries")
    world.deliver(world.issue(2, "The second"), "star")
    expect(page.locator(".log")).to_contain_text("star.opened", timeout=15_000)


def test_the_log_holds_still_while_a_row_is_open(screen: Screen, world: World) -> None:
    world.deliver(world.issue(1, "The first"))
    page = screen.signed_in()
    page.goto("/deliveries")
    page.locator(".log summary").click()
    world.deliver(world.issue(2, "The second"), "star")
    page.wait_for_timeout(6_000)
    expect(page.locator(".log")).not_to_contain_text("star.opened")


def test_an_opened_row_brings_its_headers_and_body(screen: Screen, world: World) -> None:
    world.deliver(world.issue(1))
    page = screen.signed_in()
    page.goto("/deliveries")
    page.locator(".log summary").click()
    expect(page.locator(".log .evidence")).to_contain_text('"action": "opened"')


def test_an_id_copies_on_click(screen: Screen, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    page = screen.signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/deliveries/{delivery}")
    page.get_by_role("button", name=f"Copy {delivery}").click()
    assert page.evaluate("navigator.clipboard.readText()") == delivery


def test_the_curl_command_copies_on_click(screen: Screen, world: World) -> None:
    delivery = world.deliver(world.issue(1)).json["delivery"]
    page = screen.signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/deliveries/{delivery}")
    page.get_by_role("link", name="Copy as curl").click()
    expect(page.locator("[data-copy-from].copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith(': "${INGEST_URL')


def test_the_keyboard_reaches_a_row_and_opens_it(screen: Screen, world: World) -> None:
    world.deliver(world.issue(1))
    page = screen.signed_in()
    page.goto("/deliveries")
    page.locator(".log summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".log .sentence")).to_be_visible()


def test_the_first_stop_of_the_keyboard_skips_to_the_page(screen: Screen, world: World) -> None:
    page = screen.signed_in() if world.account else None
    assert page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()


@pytest.mark.parametrize("script", [True, False])
def test_a_ceiling_is_asked_for_only_with_the_webhook_verbs(
    screen: Screen, world: World, script: bool
) -> None:
    assert world.account
    page = screen.signed_in(java_script_enabled=script)
    page.goto("/settings/endpoints")
    page.locator("details.add > summary").click()
    ceiling = page.get_by_label("How many webhooks")
    expect(page.get_by_label("drain")).to_be_checked()
    expect(ceiling).to_be_hidden()
    page.locator('input[name="verbs"][value="webhook"]').check()
    expect(ceiling).to_be_visible()
    assert not script or check(page, "endpoint-ceiling") == []


def test_an_endpoint_is_vended_with_one_click_and_pasted_with_another(
    screen: Screen, world: World
) -> None:
    assert world.account
    page = screen.signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/settings/endpoints")
    page.get_by_role("button", name="Quick vend").click()
    expect(page.get_by_role("heading", name="agent is ready")).to_be_visible()
    page.locator(".take", has_text="Claude Code").get_by_role("button", name="Copy").click()
    expect(page.locator(".take.copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("claude mcp add --transport http agent http")


# how they look


AGENT = """
import asyncio, sys
from tests.mcp.clients import connected, use

async def work(url, credential, ref):
    async with connected(url, credential) as client:
        await use(client, "claim_next")
        await use(client, "register_session", ref=ref)
        asked = await use(client, "ask", ref=ref, question="Left or right?")
        assert asked["comment_posted"] is False, asked
        found = {"messages": []}
        while not found["messages"]:
            found = await use(client, "wait_for_answer", ref=ref, wait=5)
        print(found["messages"][0]["text"], flush=True)
        await use(client, "acknowledge", message_id=found["messages"][0]["id"])

asyncio.run(work(*sys.argv[1:]))
"""


@pytest.mark.parametrize("script", [True, False])
def test_a_human_answers_on_the_card_what_an_agent_elsewhere_asks_over_mcp(
    screen: Screen, world: World, script: bool
) -> None:
    # without the reply verbs nothing is posted, so no provider is needed
    agent = world.endpoint = world.vend("asker", verbs=["drain", "session"])
    world.deliver(world.issue(7))
    url = screen.address + urlsplit(agent.endpoint["mcp_url"]).path
    given = [url, agent.credential, "github:acme/rocket#7"]
    with Popen([sys.executable, "-c", AGENT, *given], stdout=PIPE, text=True) as asking:
        page = screen.signed_in(java_script_enabled=script)
        card = page.locator("article.question")
        while not card.count():
            page.reload()
        expect(card).to_contain_text("Left or right?")
        card.get_by_label("Your answer").fill("Left.\n\nThen straight on.")
        card.get_by_role("button", name="Answer", exact=True).click()
        expect(page.get_by_role("status").first).to_contain_text("Queued; the agent was last seen")
        told, _ = asking.communicate(timeout=60)
    assert (told, asking.returncode) == ("Left.\n\nThen straight on.\n", 0)
    page.reload()
    expect(page.locator(".conversation").first).to_contain_text("read")
    page.goto("/")
    expect(page.locator("article.question")).to_have_count(0)


def open_everything(page: Page) -> None:
    """Open what is folded, the outermost first; rows of the log only the first three."""
    for _ in range(3):
        page.evaluate(
            """() => {
                for (const each of document.querySelectorAll("main details:not(.log details)"))
                    each.open = true;
                for (const row of [...document.querySelectorAll(".log details")].slice(0, 3))
                    row.open = true;
            }"""
        )
    page.wait_for_load_state("networkidle")


def addresses(world: World) -> dict[str, str]:
    """Every page by name."""
    by_status = {row["code"]: row["id"] for row in world.log()}
    named = {
        "home": "/",
        "deliveries": "/deliveries",
        "deliveries-none": "/deliveries?code=too_large",
        "delivery-accepted": f"/deliveries/{by_status['accepted']}",
        "delivery-refused": f"/deliveries/{by_status['bad_signature']}",
        "todos": "/todos",
        "todos-failed": "/todos?state=failed",
        "connections": "/settings/connections",
        "sources": "/settings/sources",
        "source": f"/settings/sources/{world.source.source['id']}",
        "endpoints": "/settings/endpoints",
        "sinks": "/settings/sinks?kind=gotify",
        "account": "/settings/account",
        "missing": "/nothing-here",
        "threads": "/threads",
        "threads-none": "/threads?state=open&kind=landing&repo=acme/rocket",
        "threads-repo": "/threads?repo=acme/rocket",
        "verdicts": "/verdicts",
        "question-open": "/question?ref=github:acme/rocket%2341",
        "question-answered": "/question?ref=github:acme/rocket%2342",
        **{
            f"thread-{name}": f"/threads/{thread_id(world, ref)}"
            for name, ref in (
                ("closed", "acme/rocket%231"),
                ("unadopted", "acme/rocket%232"),
                ("mirror", "acme/moon%233"),
            )
        },
    }
    return named | {f"todo-{state}": path for state, path in todo_pages(world)}


def thread_id(world: World, ref: str) -> str:
    found: str = world.operator("GET", f"/threads?ref={ref}").json["threads"][0]["id"]
    return found


def todo_pages(world: World) -> list[tuple[str, str]]:
    client = world.app.test_client()
    token = re.search(r'csrf_token" value="([^"]+)', client.get("/login").text)
    assert token
    client.post("/login", data={"csrf_token": token[1], "name": "ana", "password": PASSWORD})
    found = []
    for state in ("pending", "claimed", "done", "failed"):
        first = re.search(r'href="(/todos/td_\w+)"', client.get(f"/todos?state={state}").text)
        assert first, state
        found.append((state, first[1]))
    return found


def check(page: Page, name: str) -> list[str]:
    """Screenshot it in every look; what is wrong with it, in words."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.evaluate(AXE_SCRIPT)
    size = page.viewport_size
    wrong = [each for look in LOOKS for each in _seen_as(look, page, name)]
    page.set_viewport_size(size)
    return wrong


def _seen_as(look: str, page: Page, name: str) -> list[str]:
    scheme, width = LOOKS[look]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.screenshot(path=ARTEFACTS / f"{name}-{look}.jpg", full_page=True, quality=80)
    wrong = []
    taken = page.evaluate("document.documentElement.scrollWidth")
    if taken > width:
        wrong.append(f"{name}, {look}: {taken} px wide")
    violations = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
    )
    wrong += [
        f"{name}, {look}: {each['id']} {[node['target'] for node in each['nodes']]}"
        for each in violations
        if each["impact"] in ("serious", "critical")
    ]
    return wrong


@pytest.mark.timeout(400)
@pytest.mark.setting(MAX_ATTEMPTS="2", RETRY_SECONDS="0")
def test_every_page_is_fit_to_be_read(screen: Screen, world: World, github: GitHubStandIn) -> None:
    lived_in.furnish(world, github)
    page = screen.signed_in()
    wrong = []
    for name, path in addresses(world).items():
        page.goto(path)
        wrong += check(page, name)
        if page.locator("main details").count():
            open_everything(page)
            wrong += check(page, f"{name}-open")
    assert not wrong


def test_every_page_that_shows_a_secret_once_is_fit_to_be_read(
    screen: Screen, world: World
) -> None:
    assert world.source
    page = screen.signed_in(NARROW)
    page.goto("/settings/endpoints")
    page.locator("details.add > summary").click()
    page.locator("details.add").get_by_label("Name").fill("agent")
    page.get_by_label("reply").check()
    page.get_by_role("button", name="Vend the endpoint").click()
    expect(page.get_by_role("heading", name="agent is ready")).to_be_visible()
    wrong = check(page, "endpoint-vended")
    page.goto("/settings/sources")
    page.locator("details.add > summary").click()
    page.locator("details.add").get_by_label("Name").fill("site")
    page.get_by_role("button", name="Add the source").click()
    expect(page.get_by_role("heading", name="site is ready")).to_be_visible()
    wrong += check(page, "source-secret")
    assert not wrong


def test_every_page_with_an_error_is_fit_to_be_read(screen: Screen, world: World) -> None:
    assert world.account
    page = screen.open(NARROW)
    page.goto("/login")
    wrong = check(page, "login")
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    wrong += check(page, "login-error")
    page = screen.signed_in(NARROW)
    wrong += check(page, "home-empty")
    page.goto("/settings/connections")
    page.get_by_label("Name").fill("not a good name!")
    page.get_by_label("Token").fill("x")
    page.get_by_role("button", name="Add the connection").click()
    expect(page.locator("[aria-invalid]")).to_be_visible()
    wrong += check(page, "connection-error")
    for name in (
        "deliveries",
        "todos",
        "threads",
        "verdicts",
        "settings/sources",
        "settings/endpoints",
        "settings/sinks",
        "settings/account",
    ):
        page.goto(f"/{name}")
        wrong += check(page, f"{name.replace('settings/', '')}-empty")
    assert not wrong


def test_the_first_start_is_fit_to_be_read(screen: Screen, lib: Any) -> None:
    page = screen.open(NARROW)
    page.goto("/")
    wrong = check(page, "setup-link")
    page.goto(f"/setup?token={login.setup_token(lib)}")
    wrong += check(page, "setup")
    assert not wrong
