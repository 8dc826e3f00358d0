"""The console: lines of children made fit for the chosen format."""

from __future__ import annotations

import json

import pytest

from switchboard.box.console import Console


def relayed(capsys: pytest.CaptureFixture[str], log_format: str, raw: bytes) -> str:
    Console(log_format).relay("web", raw)
    return capsys.readouterr().out


def test_a_json_line_passes_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    line = '{"time": "2026-01-01T00:00:00.000Z", "level": "info", "logger": "x", "message": "y"}'
    assert relayed(capsys, "json", line.encode()) == line + "\n"


def test_an_interpreters_last_words_become_a_json_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(relayed(capsys, "json", b"Segmentation fault"))
    assert (shown["logger"], shown["message"]) == ("web", "Segmentation fault")


def test_a_foreign_plain_line_gets_time_and_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert relayed(capsys, "plain", b"oops").endswith(" info web oops\n")


def test_what_a_child_prints_is_redacted_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert "sbk_***" in relayed(capsys, "plain", b"credential sbk_0123456789abcdef")


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in relayed(capsys, "plain", b"GET /\x1b[2J")


def test_bytes_that_are_no_text_are_shown_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\ufffd" in relayed(capsys, "plain", b"\xff\xfe")


def test_a_reader_that_left_does_not_stop_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Closed())
    Console("plain").say("one")
    Console("plain").say("two")
