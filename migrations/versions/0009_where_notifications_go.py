"""Where notifications go, what goes there, and how a mail is answered"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
Moment = sa.DateTime(timezone=True)
PENDING = sa.text("state = 'pending'")
UNTOLD = sa.text("told_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "sinks",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=True),
        sa.Column("connection_id", sa.String(length=29), nullable=True),
        sa.Column("events", Json, nullable=False),
        sa.Column("created_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("last_success_at", Moment, nullable=True),
        sa.Column("last_failure_at", Moment, nullable=True),
        sa.Column("last_failure_class", sa.String(length=16), nullable=True),
        sa.Column("last_failure_code", sa.String(length=64), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "kind IN ('email', 'gotify', 'apprise', 'notify')", name=op.f("ck_sinks_kind")
        ),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_sinks_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["outbound_connections.id"],
            name=op.f("fk_sinks_connection_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["created_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_sinks_created_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_sinks_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_sinks_owner_team_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sinks")),
    )
    op.create_index(op.f("ix_sinks_connection_id"), "sinks", ["connection_id"], unique=False)
    op.create_index(
        "uq_sinks_owner_name",
        "sinks",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "name"],
        unique=True,
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("sink_id", sa.String(length=29), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=True),
        sa.Column("address", sa.String(length=254), nullable=True),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("bundle", sa.String(length=64), nullable=False),
        sa.Column("place_id", sa.String(length=29), nullable=True),
        sa.Column("answers", sa.String(length=512), nullable=True),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", Moment, nullable=False),
        sa.Column("claimed_at", Moment, nullable=True),
        sa.Column("message_id", sa.String(length=29), nullable=True),
        sa.Column("error_class", sa.String(length=16), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("finished_at", Moment, nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'sent', 'failed', 'unknown')", name=op.f("ck_outbox_state")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_outbox_account_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sink_id"], ["sinks.id"], name=op.f("fk_outbox_sink_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_message_id", "outbox", ["message_id"], unique=False)
    op.create_index(
        "ix_outbox_pending",
        "outbox",
        ["next_at"],
        unique=False,
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
    op.create_index("ix_outbox_sink_id_id", "outbox", ["sink_id", "id"], unique=False)
    op.create_table(
        "mail_tokens",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=False),
        sa.Column("place_id", sa.String(length=29), nullable=False),
        sa.Column("message_id", sa.String(length=29), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("expires_at", Moment, nullable=False),
        sa.Column("revoked_at", Moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_mail_tokens_account_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_mail_tokens")),
    )
    op.create_index(
        "ix_mail_tokens_account_id_place_id",
        "mail_tokens",
        ["account_id", "place_id"],
        unique=False,
    )
    op.create_index("ix_mail_tokens_expires_at", "mail_tokens", ["expires_at"], unique=False)
    op.add_column("faults", sa.Column("told_at", Moment, nullable=True))
    # nobody is to be told now of what was raised before anybody could be told
    op.execute("UPDATE faults SET told_at = raised_at")
    op.create_index(
        "ix_faults_untold",
        "faults",
        ["id"],
        unique=False,
        sqlite_where=UNTOLD,
        postgresql_where=UNTOLD,
    )
