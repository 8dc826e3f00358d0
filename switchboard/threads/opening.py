"""Opening a thread: by an account on the pages or the API, or at the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.models import Repo
from switchboard.threads import refs, repos, store, texts, views

LETTER = {"ticket": "n", "forum": "f", "landing": "l"}
MAX_MIRROR_OF = 400


@dataclass(frozen=True)
class NewThread:
    """What is to be opened. `owner` may be left out where the repo is known or is to be the caller's.

    `mirror_of` names the foreign history it copies; such a thread takes no writes.
    """

    repo: str
    kind: str
    title: str
    body: str = ""
    labels: Sequence[str] = ()
    owner: Mapping[str, Any] | str | None = None
    mirror_of: str | None = None


def open_thread(lib: Plumbing, operator: Operator, new: NewThread, *, via: str) -> dict[str, Any]:
    """Open it under the repo's next number; `via` is the door it came by. Members of a team may too.

    A repo nobody has is made then, by somebody who may configure its owner. Raises Invalid, NotFound,
    Conflict where the repo is another's, Forbidden also as `missing_capability`.
    """
    if new.kind not in refs.KINDS:
        raise Invalid(f"A kind is one of {', '.join(refs.KINDS)}.", field="kind")
    letters.require(operator.letters, LETTER[new.kind], "Your account")
    with lib.db.write() as session:
        row = _row(operator, new, via)
        repo = _repo(session, operator, new)
        store.insert_thread(
            session,
            row
            | {
                "repo_id": repo.id,
                "number": store.next_number(session, repo.id),
                "owner_account_id": repo.owner_account_id,
                "owner_team_id": repo.owner_team_id,
            },
        )
    return views.get(lib, operator, row["id"])


def _row(operator: Operator, new: NewThread, via: str) -> dict[str, Any]:
    now = clock.now()
    return {
        "id": ids.new("thread"),
        "kind": new.kind,
        "title": texts.check_title(new.title),
        "body": texts.check_body(new.body, required=False),
        "labels": texts.check_labels(new.labels),
        "mirror_of": _mirror_of(new.mirror_of),
        "author_account_id": operator.creator_id,
        "via": via,
        "created_at": now,
        "commented_at": now,
    }


def _mirror_of(given: str | None) -> str | None:
    name = one_line(given, len(given) + 1) if given else ""
    if len(name) > MAX_MIRROR_OF:
        raise Invalid(f"At most {MAX_MIRROR_OF} characters.", field="mirror_of")
    return name or None


def _repo(session: Session, operator: Operator, new: NewThread) -> Repo:
    if new.owner is None and (known := repos.seen(session, operator, new.repo)):
        return known
    repos.check_name(new.repo)
    owner = owners.named(session, operator, new.owner)
    return repos.claim(session, operator, owner, new.repo)
