"""The idle box: memory of all its processes (PSS, shared pages counted once) and CPU."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks import servers
from benchmarks.table import Row

SETTLE_SECONDS = 15.0
WATCH_SECONDS = 60.0
MEMORY_BAR_MB, CPU_BAR = 260.0, 1.0


def rows() -> list[Row]:
    """`python app.py` with default settings, left alone for a minute."""
    with tempfile.TemporaryDirectory(prefix="sbi") as name:
        port = servers.free_port()
        environ = {"SWITCHBOARD_DATA": f"{name}/data", "SWITCHBOARD_PORT": str(port)}
        log = Path(name) / "box.log"
        with servers.process([sys.executable, "app.py"], environ, log) as pid:
            servers.wait_for_port(port, log)
            time.sleep(SETTLE_SECONDS)
            before = _cpu_seconds(pid)
            time.sleep(WATCH_SECONDS)
            share = (_cpu_seconds(pid) - before) / WATCH_SECONDS * 100
            memory = sum(_pss_mb(each) for each in _tree(pid))
    return [
        Row(
            "idle memory of the whole box (PSS)",
            f"{memory:.0f} MB",
            "-",
            f"≤ {MEMORY_BAR_MB:.0f} MB",
            memory <= MEMORY_BAR_MB,
        ),
        Row(
            "CPU of the idle box",
            f"{share:.2f} %",
            "one core",
            f"≤ {CPU_BAR:.0f} %",
            share <= CPU_BAR,
        ),
    ]


def _tree(pid: int) -> list[psutil.Process]:
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


def _pss_mb(process: psutil.Process) -> float:
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no PSS of process {process.pid}")


def _cpu_seconds(pid: int) -> float:
    """CPU time of the tree so far; read in clock ticks, so fine enough over a minute."""
    ticks = 0
    for process in _tree(pid):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(field) for field in fields[11:15])  # own and reaped children's
    return ticks / os.sysconf("SC_CLK_TCK")
