"""The SQL of refusals: a row of its own while there are few in a minute, else a count in one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Subquery, bindparam, func, select, union_all
from sqlalchemy.dialects import postgresql

from switchboard.inbound.log_store import NOT_ACCEPTED
from switchboard.lib.express import Prepared, Write, all_columns
from switchboard.models import Delivery
from switchboard.models.base import table_of

_TABLE = table_of(Delivery)


def _of_status(of_source: ColumnElement[bool], status: str) -> Subquery:
    """Ids of its rows of one status, by the source's own index of what was not accepted."""
    mine = (of_source, NOT_ACCEPTED, _TABLE.c.status == status)
    newer = select(_TABLE.c.id).where(*mine, _TABLE.c.id > bindparam("since_id"))
    # in that index's order, or a planner that expects many may read the table from its beginning
    order = (_TABLE.c.source_id.desc(), _TABLE.c.status.desc(), _TABLE.c.id.desc())
    return newer.order_by(*order).limit(bindparam("most")).subquery()


def _insert_while_few(of_source: ColumnElement[bool]) -> Prepared:
    """Insert the row unless `most` of that source after the id `since_id` were not accepted."""
    others = union_all(*(select(_of_status(of_source, each)) for each in ("refused", "failed")))
    few = select(func.count()).select_from(others.subquery()).scalar_subquery() < bindparam("most")
    values = all_columns(_TABLE)
    return Prepared(
        postgresql.insert(_TABLE).from_select(list(values), select(*values.values()).where(few))
    )


_INSERT_OF_SOURCE = _insert_while_few(_TABLE.c.source_id == bindparam("of_source"))
_INSERT_OF_NOBODY = _insert_while_few(_TABLE.c.source_id.is_(None))


def _fold() -> Prepared:
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(_TABLE).values(all_columns(_TABLE))
    return Prepared(
        statement.on_conflict_do_update(
            index_elements=["fold_key"],
            index_where=_TABLE.c.fold_key.is_not(None),
            set_={
                "count": _TABLE.c.count + statement.excluded.count,
                "last_attempt_at": statement.excluded.last_attempt_at,
            },
        )
    )


_FOLD = _fold()


def row_write(row: Mapping[str, Any], since_id: str, most: int) -> Write:
    """Write the row; Lost when there are `most` of its source after the id `since_id` already."""
    values = {**row, "since_id": since_id, "most": most}
    if row["source_id"] is None:
        return Write(_INSERT_OF_NOBODY, values, rows=1)
    return Write(_INSERT_OF_SOURCE, {**values, "of_source": row["source_id"]}, rows=1)


def fold_write(row: Mapping[str, Any], fold_key: str, count: int) -> Write:
    """Count so many requests into the row of that key; the first one's row it is."""
    return Write(_FOLD, {**row, "fold_key": fold_key, "count": count})
