"""The published test vectors and recipes of docs/signing.md, checked by means that are not ours."""

from __future__ import annotations

import base64
import hmac
import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from switchboard.providers.signed_schemes import SCHEMES

PAGE = (Path(__file__).parents[2] / "docs" / "signing.md").read_text()
TIMESTAMP = 1614265330
THEN = datetime.fromtimestamp(TIMESTAMP, UTC)


def blocks(language: str) -> list[str]:
    """The page's fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


[VECTORS] = [json.loads(block) for block in blocks("json")]
OWN_SHELL, STANDARD_SHELL = blocks("sh")
[PYTHON] = blocks("python")
OF_OWN = [each for each in VECTORS if each["scheme"] == "own"]
OF_STANDARD = [each for each in VECTORS if each["scheme"] == "standard"]

every = pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['scheme']}-{v['id']}")
every_own = pytest.mark.parametrize("vector", OF_OWN, ids=lambda v: v["id"])
every_standard = pytest.mark.parametrize("vector", OF_STANDARD, ids=lambda v: v["id"])


def headers_of(vector: dict[str, Any]) -> dict[str, str]:
    scheme = SCHEMES[vector["scheme"]]
    return {
        scheme.signature: vector["signature"],
        scheme.timestamp: str(TIMESTAMP),
        scheme.id: vector["id"],
    }


def by_shell(script: str, vector: dict[str, Any], folder: Path) -> dict[str, str]:
    """The headers that a recipe of the page writes."""
    (folder / "secret.txt").write_text(vector["secret"])
    (folder / "body.json").write_bytes(vector["body"].encode())
    environ = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TIMESTAMP": str(TIMESTAMP),
        "ID": vector["id"],
    }
    subprocess.run(["sh", "-eu", "-c", script], cwd=folder, env=environ, check=True, timeout=20)
    lines = (folder / "headers.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


@every
def test_we_make_it(vector: dict[str, Any]) -> None:
    scheme = SCHEMES[vector["scheme"]]
    made = scheme.sign(vector["body"].encode(), vector["secret"], vector["id"], THEN)
    assert made == headers_of(vector)


@every
def test_we_accept_it(vector: dict[str, Any]) -> None:
    SCHEMES[vector["scheme"]].verify(
        headers_of(vector), vector["body"].encode(), [vector["secret"]], THEN
    )


@every_own
def test_the_own_recipe_for_the_shell_makes_it(vector: dict[str, Any], tmp_path: Path) -> None:
    assert by_shell(OWN_SHELL, vector, tmp_path) == {
        "Content-Type": "application/json",
        **headers_of(vector),
    }


@every_standard
def test_the_standard_recipe_for_the_shell_makes_it(vector: dict[str, Any], tmp_path: Path) -> None:
    assert by_shell(STANDARD_SHELL, vector, tmp_path) == {
        "Content-Type": "application/json",
        **headers_of(vector),
    }


@every_own
def test_the_recipe_for_python_makes_it(vector: dict[str, Any]) -> None:
    recipe: dict[str, Any] = {}
    exec(PYTHON, recipe)
    made = recipe["sign"](vector["secret"], vector["body"].encode(), vector["id"], TIMESTAMP)
    assert made == {"Content-Type": "application/json", **headers_of(vector)}


@every_standard
def test_the_stock_library_makes_it(vector: dict[str, Any]) -> None:
    made = Webhook(vector["secret"]).sign(vector["id"], THEN, vector["body"])
    assert made == vector["signature"]


def test_the_own_scheme_is_what_the_page_says_in_words() -> None:
    for vector in OF_OWN:
        signed = f"{TIMESTAMP}.".encode() + vector["body"].encode()
        digest = hmac.new(vector["secret"].encode(), signed, "sha256").hexdigest()
        assert vector["signature"] == f"sha256={digest}"


def test_the_standard_scheme_is_what_the_page_says_in_words() -> None:
    for vector in OF_STANDARD:
        key = base64.b64decode(vector["secret"].removeprefix("whsec_"))
        signed = f"{vector['id']}.{TIMESTAMP}.{vector['body']}".encode()
        digest = base64.b64encode(hmac.new(key, signed, "sha256").digest()).decode()
        assert vector["signature"] == f"v1,{digest}"
