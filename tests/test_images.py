"""The gate, the Dockerfile and compose.yaml run what the README tells a reader to run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
GATE = (ROOT / ".ci" / "run").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
RUN = "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt && .venv/bin/python app.py"


def commands(pattern: str) -> list[str]:
    """The lines of the README's shell blocks that match `pattern`."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if re.search(pattern, line)]


def test_the_run_command_sets_everything_up_by_itself() -> None:
    assert commands(r"venv .* app\.py$") == [RUN]


def test_the_gate_reads_the_test_command_from_the_readme() -> None:
    pattern = re.search(r"grep -m1 -E '(.+)' README\.md", GATE)
    assert pattern is not None
    assert commands(pattern[1]) == [
        RUN.replace("requirements.txt", "requirements-dev.txt").replace("app.py", "-m pytest")
    ]


def test_the_gate_runs_the_tests_in_no_other_way() -> None:
    lines = [line for line in GATE.splitlines() if "pytest" in line]
    assert lines == ["test_command=$(grep -m1 -E '^python3 -m venv .* -m pytest$' README.md)"]
    assert '\nbash -c "$test_command -rs"\n' in GATE


def test_the_gate_runs_the_steps_of_the_dockerfile() -> None:
    assert ".venv/bin/python .ci/container.py\n" in GATE


def test_the_image_is_set_up_as_the_readme_sets_up_a_checkout() -> None:
    made = re.findall(r"^RUN (python3 -m venv .+)$", DOCKERFILE, re.MULTILINE)
    set_up, _, start = RUN.rpartition(" && ")
    assert [line.replace(" --no-cache-dir", "") for line in made] == [set_up]
    assert f"CMD {start.split()}".replace("'", '"') in DOCKERFILE


def test_the_image_does_not_run_as_root() -> None:
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert users and all(re.fullmatch(r"[1-9]\d*:[1-9]\d*", user) for user in users)
    assert DOCKERFILE.index("USER ") < DOCKERFILE.index("COPY ")


def test_the_context_of_the_image_starts_from_nothing() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    assert rules[0] == "*"
    assert not any(rule.strip("!").startswith(("instance", ".")) for rule in rules)


def test_the_box_of_compose_keeps_its_data_in_a_volume() -> None:
    folder = re.search(r"SWITCHBOARD_DATA=(\S+)", DOCKERFILE)
    assert folder is not None
    assert COMPOSE["services"]["box"]["volumes"] == [f"data:{folder[1]}"]
    assert "data" in COMPOSE["volumes"]


@pytest.mark.parametrize("service", ["migrate", "web", "worker", "cron"])
def test_the_larger_site_of_compose_runs_the_commands_of_the_readme(service: str) -> None:
    command = " ".join(COMPOSE["services"][service]["command"])
    assert f"| `{command}` |" in README
