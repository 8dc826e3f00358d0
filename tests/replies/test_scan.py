"""No reply leaves with a credential in it, and what was found is never repeated."""

from __future__ import annotations

import logging
import time

import pytest

from switchboard.replies import scan
from tests.world import World

# joined here, so that no scanner of repositories takes them for real ones
SECRETS = {
    "github token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "github fine-grained token": "github_pat_" + "11ABCDEFG0abcdefghijkl_MNOPQRSTUV",
    "gitlab token": "glpat-" + "AbCdEfGhIjKlMnOpQrSt",
    "npm token": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "aws key": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack token": "xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "stripe key": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "sendgrid key": "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
    "pypi token": "pypi-AgEIcHlwaS5vcmc"
    + "CJGFhYWFhYWFhLWFhYWEtYWFhYS1hYWFhLWFhYWFhYWFhYWFhYQ" * 2,
    "jwt": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "telegram token": "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9",
    "aws secret in a file": "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "encrypted private key": "-----BEGIN ENCRYPTED " + "PRIVATE KEY-----",
    "slack app token": "xapp-1-" + "A0123456789-1234567890123-abcdef",
    "anthropic key": "sk-ant-" + "api03-AbCdEfGhIjKlMnOpQrStUvWx",
    "openai key": "sk-proj-" + "AbCdEfGhIjKlMnOpQrStUvWx",
    "google key": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "npmrc": "//registry.example.org/:_authToken=" + "0123456789abcdef",
    "our credential in a name": "KEY_sbk_" + "x" * 43,
    "our endpoint credential": "sbk_" + "x" * 43,
    "our operator token": "sbp_" + "x" * 43,
    "our webhook secret": "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/==",
}
HARMLESS = [
    "Fixed in 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567.",
    "See https://github.com/acme/rocket/pull/9#issuecomment-2000000001",
    "Set the token in GITHUB_TOKEN; a key begins with ghp_ and is 40 characters long.",
    "password = os.environ['PASSWORD']",
    "UUID 123e4567-e89b-12d3-a456-426614174000, base64 aGVsbG8gd29ybGQ=",
    "npm_config_registry and sbk_ are prefixes",
]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(
    "shape", ["{}", "Here it is: `{}`, use it.", "line\n\tkey={}\nline", "> {}"]
)
def test_each_kind_of_credential_is_found(kind: str, shape: str) -> None:
    assert scan.find(shape.format(SECRETS[kind]))


@pytest.mark.parametrize("kind", SECRETS)
def test_an_invisible_character_hides_nothing(kind: str) -> None:
    secret = SECRETS[kind]
    for invisible in ("\u200b", "\u2060", "\ufeff", "\u00ad"):
        at = len(secret) // 2
        assert scan.find(f"{secret[:at]}{invisible}{secret[at:]}")


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_are_not_taken_for_credentials(text: str) -> None:
    assert scan.find(text) is None


# what made a pattern of some scanner take seconds: each repeated to the longest text
SLOW = (
    "/", "eyJ", "a", "A", "-", "-----BEGIN ", "sk_live_", "SG.", "xoxb-", "ghp_", "0", "1:", ":", "=", ".",
    "AKIA", "https://", "AccountKey=", "pypi-", "glpat-", " ", "//x/:_authToken=", "sk-", "us", "aws",
    "hooks.slack.com/services/", "eyJ.eyJ.", "aws_secret_access_key ", "-us1", "sq0csp-", "\t", "BEGIN ",
)  # fmt: skip


def test_no_text_takes_long_to_scan() -> None:
    """Measured against an ordinary text of the same length, so that a slow machine is no failure."""
    ordinary = took("Fixed in 0a1b2c3, see the run. " * 528)
    slowest = max(SLOW, key=lambda each: took((each * 16_384)[:16_384]))
    assert took((slowest * 16_384)[:16_384]) < 20 * ordinary + 0.05, slowest


def took(text: str) -> float:
    """Seconds of CPU, the best of three."""
    times = []
    for _ in range(3):
        started = time.process_time()
        scan.find(text)
        times.append(time.process_time() - started)
    return min(times)


def test_the_refusal_names_the_rule_and_never_the_value(
    world: World, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    todo = world.claimed()
    caplog.set_level(logging.DEBUG)
    for kind, secret in SECRETS.items():
        with subtests.test(kind):
            answer = world.reply(todo, f"use {secret}", idempotency_key="one")
            assert (answer.status_code, answer.json["code"]) == (422, "secret_detected")
            assert "rule" in answer.json["detail"] and answer.json["field"] == "text"
            assert secret not in answer.text
    assert not any(secret in caplog.text for secret in SECRETS.values())
    assert world.agent("GET", f"/todos/{todo['id']}").json["replies"]["count"] == 0


@pytest.mark.timeout(20)
def test_the_longest_hostile_text_is_scanned_in_no_time() -> None:
    for piece in ("eyJ", "ghp_", "a.", "-", "=", "AKIA", "xoxb-", "1:", "SG."):
        scan.find((piece * 16_384)[:16_384])
