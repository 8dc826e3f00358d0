"""Mail that comes in, and what a comment keeps of it"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

Moment = sa.DateTime(timezone=True)
Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
WAITING = sa.text("processed_at IS NULL")
PENDING = sa.text("state = 'pending'")
STATES = "state IN ('pending', 'sent', 'failed', 'unknown')"


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [target], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "mail_messages",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("delivery_id", sa.String(length=29), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=False),
        sa.Column("place_id", sa.String(length=29), nullable=False),
        sa.Column("form", sa.String(length=4), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("excerpt", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("processed_at", Moment, nullable=True),
        sa.CheckConstraint("form IN ('mime', 'text')", name=op.f("ck_mail_messages_form")),
        _reference("mail_messages", "delivery_id", "deliveries.id"),
        _reference("mail_messages", "account_id", "accounts.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_messages")),
        sa.UniqueConstraint("delivery_id", name=op.f("uq_mail_messages_delivery_id")),
    )
    op.create_index(
        "ix_mail_messages_waiting",
        "mail_messages",
        ["id"],
        unique=False,
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    op.create_table(
        "mail_bounces",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("claimed_at", Moment, nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.CheckConstraint(STATES, name=op.f("ck_mail_bounces_state")),
        _reference("mail_bounces", "account_id", "accounts.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_bounces")),
        sa.UniqueConstraint("account_id", "day", name=op.f("uq_mail_bounces_account_id_day")),
    )
    op.create_index(
        "ix_mail_bounces_pending",
        "mail_bounces",
        ["id"],
        unique=False,
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
    for column in (
        sa.Column("quoted", sa.String(), nullable=True),
        sa.Column("attachments", Json, nullable=True),
        sa.Column("note", sa.String(length=300), nullable=True),
    ):
        op.add_column("comments", column)
    op.add_column("sources", sa.Column("transport", sa.String(length=16), nullable=True))
    op.create_index("uq_sources_transport", "sources", ["transport"], unique=True)
