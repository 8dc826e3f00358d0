"""Doorbells of endpoints"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

PENDING = sa.text("state = 'pending'")


def upgrade() -> None:
    op.create_table(
        "endpoint_hooks",
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("url", sa.String(length=1024), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("secret_fingerprint", sa.String(length=12), nullable=False),
        sa.Column("previous_secret", sa.String(), nullable=True),
        sa.Column("previous_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rotated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_success_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure_class", sa.String(length=16), nullable=True),
        sa.Column("last_failure_code", sa.String(length=64), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["endpoints.id"],
            name=op.f("fk_endpoint_hooks_endpoint_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("endpoint_id", name=op.f("pk_endpoint_hooks")),
    )
    op.create_table(
        "hook_calls",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("todo_id", sa.String(length=29), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_class", sa.String(length=16), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'sent', 'failed')", name=op.f("ck_hook_calls_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_calls")),
    )
    op.create_index(
        "ix_hook_calls_pending",
        "hook_calls",
        ["endpoint_id", "next_at"],
        unique=False,
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
