"""Starts that are refused: one sentence that names what is wrong, and an exit code of its own."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.box.boxes import RunningBox, refused


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    ended = refused({"SWITCHBOARD_DATA": str(tmp_path), "SWITCHBOARD_COLOUR": "red"})
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "SWITCHBOARD_COLOUR is not a setting" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_an_unreadable_flag_is_named(tmp_path: Path) -> None:
    ended = refused({"SWITCHBOARD_DATA": str(tmp_path)}, "--workers", "0")
    assert ended.returncode == 2
    assert "SWITCHBOARD_WORKERS" in ended.stderr


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ended = refused({"SWITCHBOARD_DATA": str(tmp_path)}, "--port", port)
    assert ended.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port}: another program" in ended.stderr


def test_a_data_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = refused({"SWITCHBOARD_DATA": str(tmp_path / "file")})
    assert ended.returncode == 1
    assert f"data folder {tmp_path / 'file'} cannot be written" in ended.stderr


def test_a_database_out_of_reach_is_said_without_its_password(tmp_path: Path) -> None:
    settings = {
        "SWITCHBOARD_DATA": str(tmp_path),
        "SWITCHBOARD_SECRET_KEY": "tests",
        "SWITCHBOARD_DATABASE_URL": "postgresql://ana:canary-password@127.0.0.1:1/switchboard",
    }
    ended = refused(settings, "--port", "0")
    assert ended.returncode == 1
    assert "The database cannot be reached" in ended.stderr
    assert "canary-password" not in ended.stdout + ended.stderr


def test_a_second_box_on_a_data_folder_is_refused(quick: dict[str, str]) -> None:
    with RunningBox(quick) as box:
        ended = refused(quick, "--port", "0")
        assert ended.returncode == 1
        assert f"Another box (process {box.process.pid}) already runs" in ended.stderr
        assert box.call("GET", "/healthz").status == 200


def test_a_demo_does_not_empty_a_folder_that_is_not_a_demos(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "thesis.txt").write_text("years of work")
    ended = refused({"SWITCHBOARD_DATA": str(tmp_path)}, "--demo")
    assert ended.returncode == 1
    assert "is not a demo's" in ended.stderr
    assert (tmp_path / "demo" / "thesis.txt").read_text() == "years of work"
