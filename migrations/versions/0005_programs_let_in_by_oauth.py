"""Programs let in by OAuth"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
Moment = sa.DateTime(timezone=True)


def _endpoint(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_endpoint_id")
    return sa.ForeignKeyConstraint(["endpoint_id"], ["endpoints.id"], name=name, ondelete="CASCADE")


def _granted_by(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_granted_by_account_id")
    return sa.ForeignKeyConstraint(["granted_by_account_id"], ["accounts.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("secret_sealed", sa.String(), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("used_at", Moment, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
    )
    op.create_table(
        "oauth_codes",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("verbs", Json, nullable=False),
        sa.Column("redirect_uri", sa.String(), nullable=False),
        sa.Column("redirect_uri_given", sa.Boolean(), nullable=False),
        sa.Column("challenge", sa.String(length=128), nullable=False),
        sa.Column("resource", sa.String(), nullable=True),
        sa.Column("granted_by_account_id", sa.String(length=29), nullable=False),
        sa.Column("token_expires_at", Moment, nullable=True),
        sa.Column("expires_at", Moment, nullable=False),
        sa.Column("spent_at", Moment, nullable=True),
        _endpoint("oauth_codes"),
        _granted_by("oauth_codes"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_codes")),
    )
    op.create_table(
        "endpoint_tokens",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("client_name", sa.String(length=100), nullable=False),
        sa.Column("verbs", Json, nullable=False),
        sa.Column("granted_by_account_id", sa.String(length=29), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("expires_at", Moment, nullable=True),
        sa.Column("revoked_at", Moment, nullable=True),
        sa.Column("last_seen_at", Moment, nullable=True),
        _endpoint("endpoint_tokens"),
        _granted_by("endpoint_tokens"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endpoint_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_endpoint_tokens_hash")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_endpoint_tokens_code_hash")),
    )
    op.create_index(
        op.f("ix_endpoint_tokens_endpoint_id"), "endpoint_tokens", ["endpoint_id"], unique=False
    )
