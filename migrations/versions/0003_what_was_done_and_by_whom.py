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
    op.add_column(
        "outbound_connections", sa.Column("replies_per_todo", sa.Integer(), nullable=True)
    )
    op.add_column("endpoints", sa.Column("ceiling", Json, nullable=True))
    op.add_column(
        "sources", sa.Column("made_by_endpoint_id", sa.String(length=29), nullable=True)
    )
