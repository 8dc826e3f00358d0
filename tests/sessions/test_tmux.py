"""Answers into real panes of a real tmux: what the program there reads, and when nothing is typed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from switchboard.errors import Invalid
from switchboard.sessions import tmux_call
from switchboard.sessions.framing import frame
from switchboard.sessions.tmux import Pane, PaneGone, alive, deliver
from tests.sessions import panes
from tests.sessions.panes import END, PASTE, TMUX, Tmux

pytestmark = pytest.mark.skipif(TMUX is None, reason="needs tmux")

REF = "github:acme/rocket#7"
TEXTS = {
    "one line": "Postgres, please.",
    "many lines": "First.\n\n- one\n\t- two\n\nLast.",
    "Unicode": "Größe 👩‍👩‍👧 — سلام עברית 漢字 e\u0301",
    "16 KiB": "All of it counts. " * 911,
    "quotes": """It's "so", `so` and 'so'; "'" too""",
    "substitutions": "$(touch {folder}/executed) `touch {folder}/executed` ${{HOME}} !! && reboot",
    "backslashes": "C:\\new\\table \\n \\033[31m \\x1b[201~ \\",
    "escape sequences": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1bP$q\x1b\\ \x9b31m \x1b[A\x1bOP",
    "an embedded end of the paste": "harmless\x1b[201~\rtouch {folder}/executed\r\x1b[200~",
    "control characters": "a\x03b\x04c\x1ad\x00e\x08f\x7fg\x0bh\x0ci",
    "what tmux means": "; kill-server ; #{{pane_id}} #(touch {folder}/executed) Enter C-c",
    "a dash before": "-t keeps-it-open",
}


@pytest.fixture(scope="module")
def tmux() -> Iterator[Tmux]:
    with panes.server() as server:
        yield server


@pytest.mark.parametrize("kind", TEXTS)
def test_the_agent_reads_exactly_the_framed_text_and_one_enter(tmux: Tmux, kind: str) -> None:
    agent = tmux.agent(f"reads-{kind.replace(' ', '-')}")
    framed = frame(REF, TEXTS[kind].format(folder=tmux.folder), "ana")

    assert deliver(agent.pane, framed) is None

    expected = PASTE + framed.encode() + END + b"\r"
    assert agent.reads(len(expected)) == expected
    assert not (tmux.folder / "executed").exists()


def test_a_program_that_reads_lines_gets_the_lines(tmux: Tmux) -> None:
    heard = tmux.folder / "lines"
    pane = tmux.session("lines", f"exec cat > {heard}")
    panes.wait_for(heard.exists)

    assert deliver(pane, frame(REF, "one\ntwo")) is None

    panes.wait_for(lambda: heard.read_text().endswith("two\n"))
    assert heard.read_text().splitlines()[1:] == ["", "one", "two"]


def test_a_pane_is_named_by_its_id_too(tmux: Tmux) -> None:
    agent = tmux.agent("by-id")
    pane = Pane(tmux("display-message", "-p", "-t", "by-id:0.0", "#{pane_id}"), tmux.socket)

    assert deliver(pane, "hello") is None

    assert agent.reads(18) == PASTE + b"hello" + END + b"\r"


def test_an_answer_lands_while_a_human_scrolls_back(tmux: Tmux) -> None:
    agent = tmux.agent("scrolled")
    tmux("copy-mode", "-t", "scrolled:0.0")

    assert deliver(agent.pane, "hello") is None

    assert agent.reads(18) == PASTE + b"hello" + END + b"\r"


def test_no_buffer_is_left_for_others_to_read(tmux: Tmux) -> None:
    deliver(tmux.agent("buffers").pane, "hello")

    assert tmux("list-buffers") == ""


def test_two_answers_at_once_are_two_answers(tmux: Tmux) -> None:
    agent = tmux.agent("at-once")
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda text: deliver(agent.pane, text), ("first", "other")))

    assert said == [None, None]
    one, two = (PASTE + text + END + b"\r" for text in (b"first", b"other"))
    assert agent.reads(len(one + two)) in (one + two, two + one)


def dead(tmux: Tmux) -> Pane:
    pane = tmux.session("dead", "sleep 1000")
    tmux("set-option", "-t", "dead", "remain-on-exit", "on")
    os.kill(int(tmux("display-message", "-p", "-t", "dead:0.0", "#{pane_pid}")), 9)
    panes.wait_for(lambda: tmux("display-message", "-p", "-t", "dead:0.0", "#{pane_dead}") == "1")
    return pane


def ended(tmux: Tmux) -> Pane:
    return Pane("never-there:0.0", tmux.socket)


def another_window(tmux: Tmux) -> Pane:
    return Pane("keeps-it-open:7.0", tmux.socket)


def another_pane(tmux: Tmux) -> Pane:
    return Pane("keeps-it-open:0.3", tmux.socket)


def an_id_of_none(tmux: Tmux) -> Pane:
    return Pane("%99999", tmux.socket)


def begins_alike(tmux: Tmux) -> Pane:
    return Pane("keeps:0.0", tmux.socket)


def no_server(tmux: Tmux) -> Pane:
    return Pane("work:0.0", f"{tmux.socket}-of-nobody")


def a_shell_is_left(tmux: Tmux) -> Pane:
    return tmux.session("shell", "exec bash --norc -i")


@pytest.mark.parametrize(
    "pane_of",
    [
        dead,
        ended,
        another_window,
        another_pane,
        an_id_of_none,
        begins_alike,
        no_server,
        a_shell_is_left,
    ],
)
def test_an_answer_to_nobody_is_refused_and_starts_nothing(tmux: Tmux, pane_of: object) -> None:
    pane = pane_of(tmux)  # type: ignore[operator]
    before, sessions = tmux.processes(), tmux("list-panes", "-a")

    with pytest.raises(PaneGone, match="start or resume the work item"):
        deliver(pane, frame(REF, "touch executed"))

    assert not alive(pane)
    assert (tmux.processes(), tmux("list-panes", "-a")) == (before, sessions)
    assert not Path(f"{tmux.socket}-of-nobody").exists()


def test_nothing_is_typed_where_a_shell_waits(tmux: Tmux) -> None:
    pane = tmux.session("waits", "PS1='$ ' exec bash --norc -i")
    panes.wait_for(lambda: "$" in tmux("capture-pane", "-p", "-t", "waits:0.0"))

    with pytest.raises(PaneGone, match="shell"):
        deliver(pane, "echo typed")

    assert "typed" not in tmux("capture-pane", "-p", "-t", "waits:0.0")


def test_an_agent_that_is_a_script_of_a_shell_is_answered(tmux: Tmux) -> None:
    script, heard = tmux.folder / "agent.sh", tmux.folder / "script"
    script.write_text(f"touch {heard}; read line; read line; read line; echo $line > {heard}")
    pane = tmux.session("script", f"exec bash {script}")
    panes.wait_for(heard.exists)

    assert alive(pane)
    assert deliver(pane, frame(REF, "yes")) is None

    panes.wait_for(lambda: heard.read_text() == "yes\n")


def test_a_window_that_types_into_all_its_panes_is_left_alone(tmux: Tmux) -> None:
    agent = tmux.agent("all")
    tmux("split-window", "-t", "all:0", "sleep 1000")
    tmux("set-option", "-t", "all:0", "synchronize-panes", "on")

    assert "synchronize-panes" in (deliver(agent.pane, "hello") or "")
    assert agent.reads(0) == b""


def test_a_pane_that_takes_no_input_says_so(tmux: Tmux) -> None:
    agent = tmux.agent("deaf")
    tmux("select-pane", "-d", "-t", "deaf:0.0")

    assert "select-pane -d" in (deliver(agent.pane, "hello") or "")


def test_what_is_no_socket_is_not_spoken_to(tmux: Tmux) -> None:
    assert "is not a socket" in (deliver(Pane("work:0.0", str(tmux.reader)), "hello") or "")


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to give a file away")
def test_a_server_of_another_user_is_not_spoken_to(tmux: Tmux) -> None:
    agent = tmux.agent("theirs")
    os.chown(tmux.socket, 12345, -1)
    try:
        said = deliver(agent.pane, "hello")
    finally:
        os.chown(tmux.socket, 0, -1)

    assert "belongs to another user" in (said or "")


def test_without_tmux_its_lack_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "not installed" in (deliver(Pane("work:0.0"), "hello") or "")
    assert not alive(Pane("work:0.0"))


def a_tmux_that(does: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program of this name before the real one."""
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_tmux_learns_neither_text_nor_settings_from_its_start(
    tmux: Tmux, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    agent = tmux.agent("learns")
    monkeypatch.setenv("SWITCHBOARD_SECRET_KEY", "hush")
    monkeypatch.setenv("TMUX", "/somewhere/else,1,0")
    started = f'{{ env; echo "$@"; }} >> {tmp_path}/started; exec {TMUX} "$@"'
    a_tmux_that(started, tmp_path, monkeypatch)

    assert deliver(agent.pane, "the answer") is None

    told = (tmp_path / "started").read_text()
    assert "paste-buffer" in told
    assert not [each for each in ("hush", "/somewhere/else", "the answer") if each in told]


def test_a_tmux_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    a_tmux_that("exec sleep 60", tmp_path, monkeypatch)
    monkeypatch.setattr(tmux_call, "SECONDS", 0.2)

    assert "did not answer" in (deliver(Pane("work:0.0"), "hello") or "")


def test_what_tmux_complains_of_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    a_tmux_that("echo 'lost server: \033[31mtoo bad' >&2; exit 1", tmp_path, monkeypatch)

    assert deliver(Pane("work:0.0"), "hello") == "lost server: [31mtoo bad"


@pytest.mark.parametrize(
    "target",
    [
        "",
        "work",
        "work:0",
        "work:0.",
        "work:0.0;kill-server",
        "work:0.0 ; kill-server",
        "=work:0.0",
        "-t:0.0",
        "wo*:0.0",
        "$1:@1.%1",
        "work:{start}.0",
        "work:+1.0",
        "work:!.0",
        "%",
        "%1x",
        "{last}",
        "~",
        "work:0.0\n",
        "#(id):0.0",
    ],
)
def test_what_is_no_exact_pane_is_refused(target: str) -> None:
    with pytest.raises(Invalid, match=r"session:window\.pane"):
        Pane(target)


@pytest.mark.parametrize("socket", ["relative/socket", "", "/a\nb", "/" + "a" * 107, "-L"])
def test_a_socket_is_an_absolute_path(socket: str) -> None:
    with pytest.raises(Invalid, match="absolute path"):
        Pane("work:0.0", socket)
