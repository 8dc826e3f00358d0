"""jq programs of strangers: what they say, what they cannot reach, and that none holds up the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from switchboard.lib import jq
from switchboard.lib.jq import Jq, Verdict

ROOT = Path(__file__).parents[2]
YES, NO = Verdict(True), Verdict(False)


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Jq]:
    monkeypatch.setattr(jq, "ALL_SECONDS", 60.0)  # a busy machine is no slow program
    made = Jq()
    yield made
    made.close()


def given(body: Any = None) -> dict[str, Any]:
    return {"event": "issues.opened", "title": "It broke", "subject": "acme/rocket#7", "body": body}


def said(runner: Jq, program: str, body: Any = None) -> Verdict:
    [verdict] = runner.ask("me", [program], given(body))
    return verdict


def compiled(runner: Jq, program: str) -> str:
    """Why it is no program, or that it is one."""
    wrong = runner.check("me", [program])
    return wrong[1] if wrong else "it is one"


def test_endless_programs_of_one_owner_soon_hold_up_nobody(runner: Jq) -> None:
    for _ in range(4):
        runner.ask("me", [f"until(false; .) # {n}" for n in range(20)], given())
    started = time.monotonic()
    runner.ask("me", [f"until(false; .) # {n}" for n in range(20, 40)], given())
    assert time.monotonic() - started < 0.2
    assert runner.ask("you", ["true"], given()) == [YES]


def test_one_of_an_owners_sources_cannot_switch_off_another(runner: Jq) -> None:
    for number in range(20):
        runner.ask("loud", [f"until(false; .) # {number}"], given(), owner="ana")
    assert runner.ask("loud", ["true"], given(), owner="ana") == [Verdict(False, jq._SPENT)]
    assert runner.ask("quiet", ["true"], given(), owner="ana") == [YES]


def test_many_sources_of_one_owner_soon_hold_up_nobody(
    runner: Jq, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jq, "SHARE", 0.0)  # nothing comes back while a slow machine gets through it
    for number in range(40):
        runner.ask(f"loud {number}", [f"until(false; .) # {number}"], given(), owner="ana")
    started = time.monotonic()
    for number in range(40, 80):
        [verdict] = runner.ask(f"loud {number}", ["until(false; .)"], given(), owner="ana")
        assert verdict == Verdict(False, jq._OWNER_SPENT)
    assert time.monotonic() - started < 0.2
    assert runner.ask("quiet", ["true"], given(), owner="ben") == [YES]


def test_compiling_is_part_of_an_owners_share(runner: Jq, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq, "AHEAD_SECONDS", 0.001)
    compiled(runner, '"a" * 1000000000')
    assert compiled(runner, ".") == jq._SPENT


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (".labels | any(. == $event)", YES),
        ('$title == "It broke" and $subject == "acme/rocket#7"', YES),
        ("0", YES),
        ('""', YES),
        ("false, true", NO),
        ("true, false", YES),
        ("null", NO),
        (".nothing", NO),
        ("empty", NO),
        ("1 # with a remark", YES),
        ("def yes: true; yes", YES),
    ],
)
def test_a_program_matches_when_its_first_output_is_neither_false_nor_null(
    runner: Jq, program: str, verdict: Verdict
) -> None:
    assert said(runner, program, {"labels": ["a", "issues.opened"]}) == verdict


def test_programs_are_asked_in_turn_until_one_matches(runner: Jq) -> None:
    verdicts = runner.ask("me", ["false", ".a.b", ".a == 1", "true"], given({"a": 1}))
    assert [each.matched for each in verdicts] == [False, False, True]
    assert verdicts[1].error == 'Cannot index number with string ("b")'


ENDLESS = [
    "def f: f; f",
    "[repeat(1)]",
    "last(range(1e12))",
    "range(1e12) | select(false)",
    "until(false; .)",
    '("a" * 50000) | test("^(a+)+$b")',
]
HUNGRY = ['"x" * 1e9', "[range(1e9)]", "def f: 1 + f; f", "reduce range(1e7) as $i (0; [.])"]


@pytest.mark.parametrize("program", [*ENDLESS, *HUNGRY])
def test_a_program_without_end_or_measure_is_an_error_and_the_next_one_runs(
    runner: Jq, program: str
) -> None:
    bad, good = runner.ask("me", [program, "true"], given())
    assert not bad.matched
    assert bad.error in (
        "it computed for too long",
        "it needed too much memory",
        "it crashed jq",
        "Regex failure: retry-limit-in-match over",  # jq's own bound, on a fast machine the first
    )
    assert good == YES


@pytest.mark.parametrize(
    "program", ["halt", '"x" | halt_error', "input", "debug | empty", "$__loc__ | empty"]
)
def test_a_program_cannot_end_or_confuse_what_runs_it(runner: Jq, program: str) -> None:
    first, second = runner.ask("me", [program, "true"], given())
    assert not first.matched and second == YES


def test_a_program_finds_no_environment(runner: Jq, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_SECRET_KEY", "canary")
    assert said(runner, '[env, $ENV] | tojson | test("canary|SWITCHBOARD")') == NO
    assert said(runner, "env.PATH, $ENV.PATH, env.HOME") == NO


def test_a_program_finds_no_file(runner: Jq, tmp_path: Path) -> None:
    (tmp_path / "keys.jq").write_text('def key: "canary";')
    (tmp_path / "keys.json").write_text('"canary"')
    folder = f'{{search: "{tmp_path}"}}'
    for directive, program in (
        ("include", f'include "keys" {folder}; key'),
        ("import", f'import "keys" as keys {folder}; keys::key'),
        ("import", f'import "keys" as $keys {folder}; $keys'),
    ):
        assert compiled(runner, program).startswith(f"syntax error, unexpected {directive}")
    found = said(runner, f'"{tmp_path}/keys" | modulemeta')
    assert not found.matched and "module not found" in (found.error or "")


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (".", None),
        ("$event, $title, $subject", None),
        (".a ==", "syntax error, unexpected end of file at line 1, column 4"),
        ("1) | (2", "syntax error, unexpected INVALID_CHARACTER"),
        ("$body", "$body is not defined at line 1, column 1"),
        ("nonsense", "nonsense/0 is not defined"),
        ("# nothing", "Top-level program not given"),
    ],
)
def test_what_is_no_program_is_told_with_its_place(
    runner: Jq, program: str, wrong: str | None
) -> None:
    assert compiled(runner, program).startswith(wrong or "it is one")


def test_the_first_that_is_no_program_is_named_by_its_place(runner: Jq) -> None:
    place, why = runner.check("me", [".", ".a ==", "nonsense"]) or (None, "")
    assert place == 1 and "unexpected end of file" in why


def test_a_complaint_is_short(runner: Jq) -> None:
    failed = said(runner, "error", "x" * 100_000)
    assert (
        len(compiled(runner, "a" * 2000)) <= jq.MAX_ERROR
        and len(failed.error or "") <= jq.MAX_ERROR
    )


def test_a_slow_program_rests_for_a_minute_and_only_its_owners(
    runner: Jq, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jq, "REST_SECONDS", 1.0)
    program = 'if . == "slow" then until(false; .) else true end'
    assert said(runner, program, "slow").error == "it computed for too long"
    assert said(runner, program, "quick").error == (
        "it took too long a moment ago, so it is left out for a minute"
    )
    assert runner.ask("you", [program], given("quick")) == [YES]
    time.sleep(1.0)
    assert said(runner, program, "quick") == YES


def test_a_program_rests_for_the_source_that_it_was_slow_for(runner: Jq) -> None:
    program = 'if . == "slow" then until(false; .) else true end'
    runner.ask("loud", [program], given("slow"), owner="ana")
    assert runner.ask("loud", [program], given(), owner="ana") == [Verdict(False, jq._RESTS)]
    assert runner.ask("quiet", [program], given(), owner="ana") == [YES]


def test_programs_that_are_slow_again_and_again_rest_all_and_only_their_owners(
    runner: Jq, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jq, "AHEAD_SECONDS", 0.03)
    verdicts = [said(runner, f"last(range(30000)) | true # {number}") for number in range(60)]
    assert verdicts[0] == YES
    assert verdicts[-1].error == jq._SPENT
    assert runner.ask("you", ["true"], given()) == [YES]


def test_all_programs_of_one_input_have_a_deadline_together(
    runner: Jq, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jq, "ALL_SECONDS", 0.5)
    monkeypatch.setattr(jq, "AHEAD_SECONDS", 60.0)
    started = time.monotonic()
    verdicts = runner.ask("me", [f"until(false; .) # {n}" for n in range(20)], given())
    assert time.monotonic() - started < 5
    assert verdicts[-1] == Verdict(False, "the programs before it left no time for it")


def test_five_mebibytes_are_read(runner: Jq) -> None:
    commit = {"id": "0" * 40, "message": "hello world " * 10, "author": {"name": "a"}}
    assert said(runner, ".commits | length > 20000", {"commits": [commit] * 23_000}) == YES


def test_a_body_that_jq_cannot_hold_is_an_error(runner: Jq) -> None:
    verdict = said(runner, "true", [{}] * 1_700_000)
    assert not verdict.matched and verdict.error
    assert said(runner, "1") == YES


def test_a_killed_child_is_replaced(runner: Jq) -> None:
    assert said(runner, "true") == YES
    child = child_of(runner)
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert said(runner, "true") == YES


def test_threads_take_turns(runner: Jq) -> None:
    wrong: list[int] = []

    def ask(number: int) -> None:
        for _ in range(50):
            if runner.ask("me", [f". == {number}"], given(number)) != [YES]:
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_after_a_fork_each_process_has_its_own_child(runner: Jq) -> None:
    assert said(runner, "true") == YES
    before = child_of(runner)
    pid = os.fork()
    if pid == 0:
        own = said(runner, ". == 1", 1) == YES and child_of(runner) != before
        runner.close()
        os._exit(0 if own else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert said(runner, ". == 2", 2) == YES and child_of(runner) == before


def test_the_child_ends_with_a_killed_parent() -> None:
    program = (
        "from switchboard.lib.jq import Jq; j = Jq(); j.check('me', ['.']);"
        "print(j._process._child.pid, flush=True); input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout and parent.stdin
    with parent.stdin, parent.stdout:
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.kill()
        parent.wait()
        end = time.monotonic() + 10
        while alive(child) and time.monotonic() < end:
            time.sleep(0.02)
    assert not alive(child)


def child_of(runner: Jq) -> int:
    assert runner._process is not None
    return runner._process._child.pid


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False
