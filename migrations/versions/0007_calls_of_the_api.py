"""Calls of the API stand in the event log"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NO_CALL = sa.text("type <> 'api.request'")


def upgrade() -> None:
    for name, columns in (
        ("ix_events_no_calls", ["id"]),
        ("ix_events_owner_no_calls", ["owner_id", "id"]),
    ):
        op.create_index(
            name, "events", columns, unique=False, sqlite_where=NO_CALL, postgresql_where=NO_CALL
        )
