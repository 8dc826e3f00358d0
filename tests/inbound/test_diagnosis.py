"""A refused signature is recorded with what is most likely wrong, and the sender is told none of it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access.principals import Machine
from switchboard.inbound import diagnosis, source_changes
from switchboard.inbound.sources import Added
from switchboard.lib import clock
from switchboard.models import SourceSecret
from switchboard.providers import source_kind, source_kinds
from switchboard.providers.base import Sample
from switchboard.providers.signed_schemes import OWN, STANDARD
from tests.world import World

HOSTS = {"gitea": "https://git.example.org", "slack": "T0123ABCD", "cairn": "https://c.example.org"}
KINDS = ("github", "gitea", "slack", "cairn", "signed")
TIMED = ("slack", "signed")
SIGNATURE = {
    "github": "X-Hub-Signature-256",
    "gitea": "X-Gitea-Signature",
    "slack": "X-Slack-Signature",
    "cairn": "X-Cairn-Signature",
    "signed": OWN.signature,
}


@dataclass
class Sent:
    """A request about to be sent, signed as its kind signs unless a test does otherwise."""

    world: World
    added: Added
    body: dict[str, Any] = field(default_factory=lambda: {"title": "Größe/Weite", "b": 1, "a": [1]})

    @property
    def kind(self) -> Any:
        return source_kind(self.world.lib.settings, self.added.source["kind"])

    def signed(
        self, raw: bytes, *, secret: str | None = None, at: datetime | None = None
    ) -> dict[str, str]:
        """Headers with a signature of that body."""
        headers = self.kind.sample("", f"n{self.world.sent}").headers
        return self.kind.sign(Sample(headers, raw), secret or self.added.secret, at or clock.now())

    def says(self, headers: dict[str, str], raw: bytes) -> str | None:
        """Send it, see it refused, and return the diagnosis on its record."""
        answer = self.world.send(self.added, raw, headers)
        assert answer.status_code == 401, answer.data
        row = self.world.log()[0]
        assert "diagnosis" not in answer.json
        if row["diagnosis"]:
            assert row["diagnosis"] not in answer.text
            assert (self.added.secret or "") not in row["diagnosis"]
        return row["diagnosis"]

    @cached_property
    def raw(self) -> bytes:
        return json.dumps({**self.body, "created_at": clock.iso(clock.now())}).encode()


@pytest.fixture
def sent(world: World) -> Sent:
    """A request to a GitHub source."""
    return make(world, "github")


@pytest.fixture
def every(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """A request to a source of each kind that signs, as many as a test likes."""
    monkeypatch.setattr(diagnosis, "A_MINUTE", 1000)
    monkeypatch.setattr(diagnosis, "A_MINUTE_IN_ALL", 1000)
    return [make(world, kind) for kind in KINDS]


def timed(every: list[Sent]) -> list[Sent]:
    return [sent for sent in every if sent.kind.kind in TIMED]


def make(world: World, kind: str) -> Sent:
    assert world.endpoint and world.operator_token
    wanted: dict[str, Any] = {"host": HOSTS[kind]} if kind in HOSTS else {}
    if kind == "signed":
        wanted |= {"repo": "acme/rocket", "letters": "n"}
    return Sent(world, world.add_source(kind, kind, **wanted))


def test_the_kinds_tried_here_are_all_that_sign(lib: Any) -> None:
    assert {kind.kind for kind in source_kinds(lib.settings).values() if kind.signs} == set(KINDS)


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────


def test_a_secret_whose_overlap_is_over_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            source_changes.rotate(sent.world.lib, Machine(), sent.added.source["name"])
            with sent.world.lib.db.write() as session:
                ended = SourceSecret.expires_at.is_not(None)
                session.execute(update(SourceSecret).where(ended).values(expires_at=clock.ago(60)))
            found = sent.says(sent.signed(sent.raw), sent.raw)
            assert found and "a secret that this source had before" in found
            assert sent.added.source["fingerprint"] in found


NEARLY: dict[str, tuple[Callable[[str], str], str]] = {
    "with a line break": (lambda s: s + "\n", "a line break after it"),
    "with a space": (lambda s: s + " ", "white space around it"),
    "in quotes": (lambda s: f'"{s}"', "in quotes"),
    "without its prefix": (lambda s: s.removeprefix("whsec_"), "without its whsec_"),
}


def test_a_secret_that_is_nearly_right_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for how in NEARLY:
        for sent in every:
            with subtests.test(f"{sent.kind.kind} {how!r}"):
                spoil, sentence = NEARLY[how]
                found = sent.says(
                    sent.signed(sent.raw, secret=spoil(sent.added.secret or "")), sent.raw
                )
                assert found and sentence in found


def test_a_prefix_that_the_secret_does_not_have_is_recognised(world: World) -> None:
    assert world.endpoint and world.operator_token
    sent = Sent(world, world.add_source("given", secret="a secret of their own"))
    found = sent.says(sent.signed(sent.raw, secret="whsec_a secret of their own"), sent.raw)
    assert found and "whsec_ in front of the secret" in found


def key_of(secret: str | None) -> bytes:
    return base64.b64decode((secret or "").removeprefix("whsec_"))


def test_the_decoded_key_where_the_text_is_meant_is_recognised(sent: Sent) -> None:
    raw = sent.raw
    digest = hmac.new(key_of(sent.added.secret), raw, "sha256").hexdigest()
    headers = sent.signed(raw) | {SIGNATURE["github"]: f"sha256={digest}"}
    found = sent.says(headers, raw)
    assert found and "base64 decodes to" in found


def test_the_text_where_the_decoded_key_is_meant_is_recognised(world: World) -> None:
    """Standard Webhooks, by a sender who took the secret for the key itself."""
    sent = make(world, "signed")
    raw = sent.raw
    text = "whsec_" + base64.b64encode((sent.added.secret or "").encode()).decode()
    headers = STANDARD.sign(raw, text, "one", clock.now())
    found = sent.says(headers, raw)
    assert found and "Standard Webhooks" in found and "the secret's text" in found


# ── bodies ───────────────────────────────────────────────────────────────────────────────────────

WRITTEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "trimmed": (lambda raw: raw + b"\n", "without the line break at its end"),
    "compact": (lambda raw: written(raw, separators=(",", ":")), "compact"),
    "compact and not in ASCII": (
        lambda raw: written(raw, separators=(",", ":"), ensure_ascii=False),
        "compact",
    ),
    "sorted": (lambda raw: written(raw, sort_keys=True), "sorted"),
    "not in ASCII": (lambda raw: written(raw, ensure_ascii=False), "with spaces"),
    "indented": (lambda raw: written(raw, indent=2, ensure_ascii=False), "indented"),
    "as PHP": (lambda raw: written(raw, separators=(",", ":")).replace(b"/", b"\\/"), "PHP"),
}


def written(raw: bytes, **options: Any) -> bytes:
    return json.dumps(json.loads(raw), **options).encode()


def test_the_same_json_written_anew_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for how in WRITTEN:
        for sent in every:
            with subtests.test(f"{sent.kind.kind} {how!r}"):
                change, sentence = WRITTEN[how]
                raw = sent.raw
                if how == "trimmed":
                    found = sent.says(sent.signed(raw), change(raw))
                else:
                    found = sent.says(sent.signed(change(raw)), raw)
                assert found and sentence in found


def test_a_line_break_that_was_signed_and_not_sent_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            raw = sent.raw
            found = sent.says(sent.signed(raw + b"\n"), raw)
            assert found and "a line break after it, which was not sent" in found


def test_other_line_ends_are_recognised(every: list[Sent], subtests: pytest.Subtests) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            raw = json.dumps(json.loads(sent.raw), indent=1).encode()
            found = sent.says(sent.signed(raw), raw.replace(b"\n", b"\r\n"))
            assert found and "LF line ends" in found


def test_the_json_of_a_form_is_recognised(sent: Sent) -> None:
    headers = sent.signed(b'{"a":1}') | {"Content-Type": "application/x-www-form-urlencoded"}
    found = sent.says(headers, b"payload=%7B%22a%22%3A1%7D")
    assert found and "the JSON inside the form" in found


# ── digests ──────────────────────────────────────────────────────────────────────────────────────


def test_the_sha1_form_is_recognised(every: list[Sent], subtests: pytest.Subtests) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            raw = sent.raw
            sha1 = hmac.new((sent.added.secret or "").encode(), raw, "sha1").hexdigest()
            headers = sent.signed(raw)
            del headers[SIGNATURE[sent.kind.kind]]
            found = sent.says(headers | {"X-Hub-Signature": f"sha1={sha1}"}, raw)
            assert found and "X-Hub-Signature is right as HMAC-SHA1" in found


@pytest.mark.parametrize("algorithm", ["sha1", "sha512"])
def test_another_hash_of_what_a_scheme_signs_is_recognised(
    every: list[Sent], subtests: pytest.Subtests, algorithm: str
) -> None:
    """Written by the book, with its time, but for the algorithm."""
    for sent in every:
        with subtests.test(sent.kind.kind):
            raw, name = sent.raw, SIGNATURE[sent.kind.kind]
            headers, secret = sent.signed(raw), (sent.added.secret or "").encode()
            before = {
                "slack": f"v0:{headers.get('X-Slack-Request-Timestamp')}:",
                "signed": f"{headers.get(OWN.timestamp)}.",
            }.get(sent.kind.kind, "")
            digest = hmac.new(secret, before.encode() + raw, algorithm).hexdigest()
            found = sent.says(headers | {name: f"{algorithm}={digest}"}, raw)
            assert found and f"{name} is right as HMAC-{algorithm.upper()}" in found


def test_another_hash_by_standard_webhooks_is_recognised(world: World) -> None:
    sent = make(world, "signed")
    raw = sent.raw
    headers = STANDARD.sign(raw, sent.added.secret or "", "one", clock.now())
    text = f"one.{headers[STANDARD.timestamp]}.".encode() + raw
    digest = base64.b64encode(hmac.new(key_of(sent.added.secret), text, "sha1").digest()).decode()
    found = sent.says(headers | {STANDARD.signature: f"v1,{digest}"}, raw)
    assert found and "is right as HMAC-SHA1" in found


def test_a_hash_without_the_secret_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            raw = sent.raw
            plain = "sha256=" + hashlib.sha256(raw).hexdigest()
            found = sent.says(sent.signed(raw) | {SIGNATURE[sent.kind.kind]: plain}, raw)
            assert found and "plain SHA-256" in found


def test_a_signature_of_the_body_without_its_time_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in timed(every):
        with subtests.test(sent.kind.kind):
            raw = sent.raw
            digest = hmac.new((sent.added.secret or "").encode(), raw, "sha256").hexdigest()
            found = sent.says(
                sent.signed(raw) | {SIGNATURE[sent.kind.kind]: f"sha256={digest}"}, raw
            )
            assert found and "the HMAC of the body alone" in found


OTHERWISE: dict[str, Callable[[str], str]] = {
    "in capitals": lambda value: value.upper() if "=" not in value else capitals(value),
    "in base64": lambda value: base64.b64encode(bytes.fromhex(value.rpartition("=")[2])).decode(),
    "with another prefix": lambda value: "sha512=" + value.rpartition("=")[2],
}


def capitals(value: str) -> str:
    prefix, _, digest = value.partition("=")
    return f"{prefix}={digest.upper()}"


def test_the_right_digest_written_otherwise_is_recognised(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for how in OTHERWISE:
        for sent in every:
            with subtests.test(f"{sent.kind.kind} {how!r}"):
                raw, name = sent.raw, SIGNATURE[sent.kind.kind]
                headers = sent.signed(raw)
                found = sent.says(headers | {name: OTHERWISE[how](headers[name])}, raw)
                assert (
                    found and f"The right signature stands in {name}, but {name} must read" in found
                )
                assert "lower-case hex" in found


# ── headers ──────────────────────────────────────────────────────────────────────────────────────


def test_no_signature_at_all_is_said_to_be_none(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            headers = sent.signed(sent.raw)
            del headers[SIGNATURE[sent.kind.kind]]
            assert sent.says(headers, sent.raw) == diagnosis.UNSIGNED


def test_a_signature_that_is_too_long_is_not_said_to_be_none(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in every:
        for name in (SIGNATURE[sent.kind.kind], "X-Other-Signature"):
            with subtests.test(f"{sent.kind.kind} {name}"):
                headers = sent.signed(sent.raw)
                del headers[SIGNATURE[sent.kind.kind]]
                assert sent.says(headers | {name: "sha256=" + "a" * 300}, sent.raw) is None


@pytest.mark.parametrize("secret", ["this source's", "another"])
def test_another_providers_signature_is_named(
    every: list[Sent], subtests: pytest.Subtests, secret: str
) -> None:
    for sent, other in ((sent, each.kind) for sent in every for each in every if each is not sent):
        with subtests.test(f"{other.kind} at {sent.kind.kind}"):
            key = (sent.added.secret or "") if secret == "this source's" else "whsec_b3RoZXI="
            headers = other.sign(Sample(other.sample("", "x").headers, sent.raw), key, clock.now())
            found = sent.says(headers, sent.raw)
            assert found and other.label in found
            assert f"this is a {sent.kind.label} source" in found


def test_how_far_the_clock_is_off_is_said(every: list[Sent], subtests: pytest.Subtests) -> None:
    for seconds, side in ((412, "behind"), (-412, "ahead of")):
        for sent in timed(every):
            with subtests.test(f"{sent.kind.kind} {side!r}"):
                raw = sent.raw
                headers = sent.signed(raw, at=clock.now() - timedelta(seconds=seconds))
                found = sent.says(headers, raw)
                assert found and f"s {side} the clock here" in found
                assert any(f"{seconds and abs(seconds) + off} s" in found for off in range(-2, 10))


def test_how_far_the_time_in_a_body_is_off_is_said(world: World) -> None:
    sent = make(world, "cairn")
    raw = json.dumps({"event_id": "n0", "created_at": clock.iso(clock.ago(412))}).encode()
    found = sent.says(sent.signed(raw), raw)
    assert found and "behind the clock here" in found


def test_a_spoiled_secret_is_recognised_however_old_the_request(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for sent in timed(every):
        with subtests.test(sent.kind.kind):
            raw = sent.raw
            secret = (sent.added.secret or "") + "\n"
            found = sent.says(sent.signed(raw, secret=secret, at=clock.ago(4000)), raw)
            assert found and "a line break after it" in found


# ── what cannot be told ──────────────────────────────────────────────────────────────────────────


def test_a_forged_signature_has_no_diagnosis(every: list[Sent], subtests: pytest.Subtests) -> None:
    for sent in every:
        with subtests.test(sent.kind.kind):
            headers = sent.signed(sent.raw, secret="whsec_bm90IHRoaXMgb25l")
            assert sent.says(headers, sent.raw) is None


def test_a_strange_signature_is_a_clean_refusal(
    every: list[Sent], subtests: pytest.Subtests
) -> None:
    for value in ("é", "=", "sha256=", "v1,", "A" * 5000, "sha256=" + "é" * 64):
        for sent in every:
            with subtests.test(f"{sent.kind.kind} {value[:9]!r}"):
                headers = sent.signed(sent.raw) | {SIGNATURE[sent.kind.kind]: value}
                assert sent.world.send(sent.added, sent.raw, headers).status_code == 401


STRANGE = (b"", b"\xff\xfe", b"[" * 3000, b'{"a":"\\ud800"}', b"payload=%ZZ&&=")


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
def test_a_strange_body_is_a_clean_refusal(
    every: list[Sent], subtests: pytest.Subtests, content_type: str
) -> None:
    for raw in STRANGE:
        for sent in every:
            with subtests.test(f"{sent.kind.kind} {raw[:9]!r}"):
                headers = sent.signed(b"another") | {"Content-Type": content_type}
                assert sent.world.send(sent.added, raw, headers).status_code == 401


def test_a_large_body_is_not_tried(sent: Sent) -> None:
    raw = json.dumps({"filler": "x" * diagnosis.MAX_BYTES}).encode()
    headers = sent.signed(raw + b"\n")
    assert sent.says(headers, raw) is None


def test_it_is_tried_a_few_times_a_minute(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "this_minute", lambda: 1)
    found = [sent.says(sent.signed(sent.raw + b"\n"), sent.raw) for _ in range(8)]
    assert [bool(each) for each in found] == [True] * 6 + [False] * 2
    monkeypatch.setattr(diagnosis, "this_minute", lambda: 2)
    assert sent.says(sent.signed(sent.raw + b"\n"), sent.raw)


def test_one_sources_tries_are_not_anothers(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "this_minute", lambda: 1)
    for _ in range(7):
        sent.says(sent.signed(sent.raw + b"\n"), sent.raw)
    other = replace(sent, added=sent.world.add_source("other"))
    assert other.says(other.signed(other.raw + b"\n"), other.raw)


def test_all_sources_together_have_a_bound(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "this_minute", lambda: 1)
    monkeypatch.setattr(diagnosis, "A_MINUTE_IN_ALL", 2)
    others = [replace(sent, added=sent.world.add_source(f"n{number}")) for number in range(3)]
    found = [each.says(each.signed(each.raw + b"\n"), each.raw) for each in others]
    assert [bool(each) for each in found] == [True, True, False]
