"""What a body is called, and where it may be answered: each recorded one, and a few hostile ones."""

from __future__ import annotations

import pytest

from switchboard.errors import Invalid
from switchboard.providers.base import Origin
from tests.providers.kinds import SOURCE_KINDS, bodies_of, understand
from tests.world import PAYLOADS

# body → (kind, title, subject, display of the address)
SEVEN = ("The countdown skips two", "acme/rocket#7", "gitea acme/rocket#7")
NINE = ("Count every number", "acme/rocket#9", "gitea acme/rocket#9")
CHECKLIST = ("Launch checklist", "cairn.example.org/sQ7_pL-2", "cairn sQ7_pL-2")
EXPECTED = {
    "gitea/issues.opened": ("issues.opened", *SEVEN),
    "gitea/issues.closed": ("issues.closed", *SEVEN),
    "gitea/issue_label.label_updated": ("issue_label.label_updated", *SEVEN),
    "gitea/issue_comment.created": ("issue_comment.created", *SEVEN),
    "gitea/pull_request.opened": ("pull_request.opened", *NINE),
    "gitea/pull_request_sync.synchronized": ("pull_request_sync.synchronized", *NINE),
    "gitea/pull_request_comment.created": ("pull_request_comment.created", *NINE),
    "gitea/pull_request_rejected.reviewed": ("pull_request_rejected.reviewed", *NINE),
    "gitea/pull_request_review_approved.reviewed": ("pull_request_review_approved.reviewed", *NINE),
    "gitea/pull_request_review_comment.reviewed": ("pull_request_review_comment.reviewed", *NINE),
    "gitea/push": ("push", "push in acme/rocket", "acme/rocket", None),
    "gitea/create": ("create", "create in acme/rocket", "acme/rocket", None),
    "gitea/release.published": (
        "release.published", "release.published in acme/rocket", "acme/rocket", None,
    ),
    "gitea/repository.created": (
        "repository.created", "repository.created in acme/rocket", "acme/rocket", None,
    ),
    "cairn/artifact.created": ("artifact.created", *CHECKLIST),
    "cairn/artifact.commented": ("artifact.commented", *CHECKLIST),
    "cairn/artifact.expired": ("artifact.expired", "artifact.expired sQ7_pL-2", *CHECKLIST[1:]),
    "cairn/subscription.resumed": ("subscription.resumed", "subscription.resumed", None, None),
    "generic/alert": ("disk_full", "The disk of db1 is 97 % full", "db1", None),
    "generic/backup": ("generic", "The nightly backup finished. It took 12 minutes.", None, None),
    "generic/list": ("generic", "generic event", None, None),
    "generic/sentence": ("generic", "The door is open", None, None),
    "generic/ping": ("ping", "Ping", None, None),
}  # fmt: skip


@pytest.mark.parametrize("body", EXPECTED)
def test_a_body_says_what_it_is_and_where_it_is_answered(body: str) -> None:
    name, _, event = body.partition("/")
    said = understand(name, PAYLOADS / name / f"{event}.json")
    shown = said.address.display if said.address else None
    assert (said.kind, said.title, said.subject, shown) == EXPECTED[body]


def test_no_recorded_body_is_left_out() -> None:
    here = {
        f"{kind}/{path.stem}" for kind in ("gitea", "cairn", "generic") for path in bodies_of(kind)
    }
    assert here == set(EXPECTED)


@pytest.mark.parametrize(
    ("body", "object_id", "text"),
    [
        ("gitea/issue_comment.created", "43", "It skips zero as well."),
        ("gitea/pull_request_comment.created", "45", "Please run the formatter."),
        ("gitea/pull_request_review_comment.reviewed", None, None),
        ("cairn/artifact.commented", "cmt_9", "Step four is missing."),
        ("cairn/artifact.created", None, None),
    ],
)
def test_a_comment_is_known_by_its_id_and_text(
    body: str, object_id: str | None, text: str | None
) -> None:
    name, _, event = body.partition("/")
    said = understand(name, PAYLOADS / name / f"{event}.json")
    assert (said.object_id, said.text) == (object_id, text)


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "ticket", "title": "a\u202eb  c"},
        {"kind": "comment", "ticket": 1, "body": "a\u202eb\nc"},
        {"kind": "checks", "commit": "abcdef0", "name": "a\u202eb  c", "state": "error"},
    ],
)
def test_a_signed_title_turns_no_line_around(body: dict[str, object]) -> None:
    said = SOURCE_KINDS["signed"].understand({}, body, Origin(""))
    assert said.title.startswith("a b c")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "ticket", "title": "\u202e"}, "title"),
        ({"kind": "comment", "ticket": 1, "body": "\u202e \n"}, "body"),
    ],
)
def test_a_signed_text_in_which_nothing_can_be_seen_is_unmappable(
    body: dict[str, object], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        SOURCE_KINDS["signed"].understand({}, body, Origin(""))
    assert (refused.value.code, refused.value.field) == ("unmappable", field)
