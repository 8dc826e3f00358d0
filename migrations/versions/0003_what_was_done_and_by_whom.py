"""What was done and by whom"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("type", sa.String(length=48), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_id", sa.String(length=29), nullable=True),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("actor_id", sa.String(length=29), nullable=True),
        sa.Column("about_id", sa.String(length=29), nullable=True),
        sa.Column("about", sa.String(length=100), nullable=False),
        sa.Column("data", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_index("ix_events_owner_id", "events", ["owner_id", "id"], unique=False)
    op.create_index("ix_events_about_id", "events", ["about_id", "id"], unique=False)
    op.create_index("ix_events_type", "events", ["type", "id"], unique=False)
    connections = "outbound_connections"
    op.add_column(connections, sa.Column("replies_per_todo", sa.Integer(), nullable=True))
    op.add_column(connections, sa.Column("bot_id", sa.String(length=64), nullable=True))
    _keep_bot_ids()
    op.add_column(
        "replies", sa.Column("tries", sa.Integer(), server_default="0", nullable=False)
    )
    op.add_column("endpoints", sa.Column("ceiling", Json, nullable=True))
    op.add_column(
        "sources", sa.Column("made_by_endpoint_id", sa.String(length=29), nullable=True)
    )


def _keep_bot_ids() -> None:
    """Until now they stood in what the last test found."""
    table = sa.table(
        "outbound_connections", sa.column("id"), sa.column("bot_id"), sa.column("last_test", Json)
    )
    for row in op.get_bind().execute(sa.select(table.c.id, table.c.last_test)).all():
        if bot_id := (row.last_test or {}).get("bot_id"):
            op.execute(table.update().where(table.c.id == row.id).values(bot_id=bot_id))
