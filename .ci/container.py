"""The Dockerfile without a container engine: its steps in a clean copy, its CMD until it is healthy.

Reads the instructions that the Dockerfile uses and no others. `/app` and `/data` become folders of a
temporary one; RUN, CMD and HEALTHCHECK run as the user that USER names, so this has to be root.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEALTHY_SECONDS = 60.0
STOP_SECONDS = 20.0
UNUSED = ("FROM", "VOLUME", "EXPOSE", "STOPSIGNAL")


def instructions(text: str) -> list[tuple[str, str]]:
    """The Dockerfile as (instruction, rest), continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    parts = (line.partition(" ") for line in joined)
    return [(word.upper(), rest.strip()) for word, _, rest in parts]


def context_files() -> list[str]:
    """What `docker build .` would send: files that neither .gitignore nor .dockerignore leaves out."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-coz", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"]
    return [path for path in listed.stdout.split("\0") if path and not is_ignored(path, rules)]


def is_ignored(path: str, rules: list[str]) -> bool:
    """Whether `path` stays out: the last rule that fits it or a folder of it decides."""
    parts = path.split("/")
    itself_and_folders = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    ignored = False
    for rule in filter(None, rules):
        pattern = rule.removeprefix("!")
        names = parts if pattern.startswith("**/") else itself_and_folders
        if any(fnmatchcase(name, pattern.removeprefix("**/")) for name in names):
            ignored = not rule.startswith("!")
    return ignored


@dataclass
class Stage:
    """The image in the making: its folder, and what the instructions have set so far."""

    folder: Path
    workdir: str = "/"
    user: int = 0
    environ: dict[str, str] = field(default_factory=dict)
    commands: dict[str, list[str]] = field(default_factory=dict)

    def here(self, text: str) -> str:
        """`text` with the image's two folders as they are here."""
        return re.sub(r"(?<![\w.])/(app|data)\b", rf"{self.folder}/\1", text)

    def env(self) -> dict[str, str]:
        """The machine's environment without settings of ours, then the image's."""
        plain = {k: v for k, v in os.environ.items() if not k.startswith("SWITCHBOARD_")}
        return plain | {"HOME": "/"} | {k: self.here(v) for k, v in self.environ.items()}

    def start(
        self, command: list[str], environ: dict[str, str] | None = None, *, quiet: bool = False
    ) -> subprocess.Popen[bytes]:
        """A process in the image, as its user."""
        return subprocess.Popen(
            command,
            cwd=self.here(self.workdir),
            env=self.env() | (environ or {}),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if quiet else None,
            user=self.user,
            group=self.user,
            extra_groups=[],
        )

    def run(self, line: str) -> None:
        """A RUN. Ends the program when it fails."""
        print(f"RUN {line}", flush=True)
        if code := self.start(["sh", "-c", self.here(line)]).wait():
            sys.exit(f"RUN ended with code {code}: {line}")

    def copy(self, rest: str) -> None:
        """A COPY of one file, or of the whole context, into the working folder."""
        *_, source, target = shlex.split(rest)
        assert target == "."
        for name in context_files() if source == "." else [source]:
            to = Path(self.here(self.workdir)) / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to)
            for made in (to, *to.parents[: name.count("/")]):
                os.chown(made, self.user, self.user)

    def step(self, word: str, rest: str) -> None:
        """One instruction."""
        match word:
            case "RUN":
                self.run(rest)
            case "USER":
                self.user = int(rest.partition(":")[0])
            case "WORKDIR":
                self.workdir = rest
            case "COPY":
                self.copy(rest)
            case "ENV":
                self.environ |= dict(pair.split("=", 1) for pair in shlex.split(rest))
            case "CMD" | "HEALTHCHECK":
                self.commands[word] = json.loads(rest[rest.index("[") :])
            case _ if word not in UNUSED:
                sys.exit(f"The Dockerfile's {word} is not known here; teach .ci/container.py.")


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def live(stage: Stage) -> None:
    """Start the CMD, wait until the HEALTHCHECK passes, stop it as an engine would."""
    assert stage.user, "the CMD would run as root"
    port = {"SWITCHBOARD_PORT": free_port()}
    box = stage.start(stage.commands["CMD"], port)
    try:
        deadline = time.monotonic() + HEALTHY_SECONDS
        while stage.start(stage.commands["HEALTHCHECK"], port, quiet=True).wait():
            if box.poll() is not None or time.monotonic() > deadline:
                sys.exit("The box did not become healthy.")
            time.sleep(1)
        print(f"healthy as user {stage.user}", flush=True)
    finally:
        box.terminate()
        code = box.wait(STOP_SECONDS)
    if code:
        sys.exit(f"The box ended with code {code} when it was stopped.")


def main() -> None:
    """Build and live once."""
    if os.geteuid():
        sys.exit("Only root can become the user of the Dockerfile.")
    with tempfile.TemporaryDirectory(prefix="switchboard-image-") as name:
        stage = Stage(Path(name))
        stage.folder.chmod(0o755)
        for word, rest in instructions((ROOT / "Dockerfile").read_text()):
            stage.step(word, rest)
        live(stage)


if __name__ == "__main__":
    main()
