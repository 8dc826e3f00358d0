"""Sessions, questions and their answers"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Moment = sa.DateTime(timezone=True)
LIVE = sa.text("state <> 'ended'")
REFERS = sa.text("ref IS NOT NULL")
OF_NO_TODO = sa.text("todo_id IS NULL")
ONE_OWNER = "(owner_account_id IS NULL) <> (owner_team_id IS NULL)"


def _reference(table: str, column: str, target: str, **how: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_{table}_{column}"), **how)


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=True),
        sa.Column("ref", sa.String(length=400), nullable=False),
        sa.Column("transport", sa.String(length=8), nullable=False),
        sa.Column("target", sa.String(length=200), nullable=True),
        sa.Column("socket", sa.String(length=400), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("last_seen_at", Moment, nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("ended_at", Moment, nullable=True),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(ONE_OWNER, name=op.f("ck_sessions_exactly_one_owner")),
        sa.CheckConstraint("transport IN ('tmux', 'mailbox')", name=op.f("ck_sessions_transport")),
        sa.CheckConstraint("state IN ('active', 'paused', 'ended')", name=op.f("ck_sessions_state")),
        sa.CheckConstraint("(transport = 'tmux') = (target IS NOT NULL)", name=op.f("ck_sessions_target")),
        sa.CheckConstraint(
            "transport = 'tmux' OR endpoint_id IS NOT NULL", name=op.f("ck_sessions_endpoint")
        ),
        _reference("sessions", "endpoint_id", "endpoints.id"),
        _reference("sessions", "owner_account_id", "accounts.id"),
        _reference("sessions", "owner_team_id", "teams.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index(
        "uq_sessions_live",
        "sessions",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "ref"],
        unique=True,
        sqlite_where=LIVE,
        postgresql_where=LIVE,
    )
    op.create_index("ix_sessions_ref_id", "sessions", ["ref", "id"], unique=False)
    op.create_table(
        "session_messages",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("session_id", sa.String(length=29), nullable=False),
        sa.Column("ref", sa.String(length=400), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("actor_id", sa.String(length=29), nullable=True),
        sa.Column("claimed_actor", sa.String(length=100), nullable=False),
        sa.Column("via", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("trouble", sa.String(length=300), nullable=True),
        sa.Column("reply_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("delivered_at", Moment, nullable=True),
        sa.Column("read_at", Moment, nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'delivered', 'read', 'failed')", name=op.f("ck_session_messages_state")
        ),
        _reference("session_messages", "session_id", "sessions.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_messages")),
    )
    op.create_index(
        "ix_session_messages_session_id_id", "session_messages", ["session_id", "id"], unique=False
    )
    op.add_column("events", sa.Column("ref", sa.String(length=400), nullable=True))
    op.create_index(
        "ix_events_ref_id",
        "events",
        ["ref", "id"],
        unique=False,
        sqlite_where=REFERS,
        postgresql_where=REFERS,
    )
    _let_replies_be_of_no_todo()


def _let_replies_be_of_no_todo() -> None:
    # SQLite builds the table anew; what it refers to need not be looked at for that
    with op.batch_alter_table("replies", reflect_kwargs={"resolve_fks": False}) as replies:
        replies.alter_column("todo_id", existing_type=sa.String(length=29), nullable=True)
        replies.alter_column("endpoint_id", existing_type=sa.String(length=29), nullable=True)
        replies.create_check_constraint(
            op.f("ck_replies_todo"), "purpose <> 'reply' OR todo_id IS NOT NULL"
        )
        replies.add_column(sa.Column("echo_delivery_id", sa.String(length=29), nullable=True))
    op.create_index(
        "uq_replies_idempotency_key",
        "replies",
        ["idempotency_key"],
        unique=True,
        sqlite_where=OF_NO_TODO,
        postgresql_where=OF_NO_TODO,
    )
