"""What a delivery leaves beside todos: a ticket, a comment or a verdict, filed under the source's repo."""

from __future__ import annotations

from sqlalchemy.orm import Session

from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.providers.base import Check, Remark, Ticket
from switchboard.threads import filing
from switchboard.threads.filing import Filed, Filer


def file(session: Session, draft: Draft, artifact: Ticket | Remark | Check) -> Filed:
    """File it in the caller's transaction.

    Raises Invalid `unmappable` for a ticket that is not there, `mirror_read_only` for one of somebody
    else's history.
    """
    by = _filer(draft)
    if isinstance(artifact, Ticket):
        return filing.open_ticket(session, by, artifact)
    if isinstance(artifact, Remark):
        return filing.remark(session, by, artifact)
    return filing.verdict(session, by, artifact)


def _filer(draft: Draft) -> Filer:
    source = draft.source
    assert source is not None and source.repo_id is not None and source.repo_name is not None
    return Filer(
        repo_id=source.repo_id,
        repo_name=source.repo_name,
        source_id=source.id,
        source_name=source.name,
        owner_account_id=source.owner_account_id,
        owner_team_id=source.owner_team_id,
        delivery_id=draft.id,
        now=clock.now(),
    )
