"""The first schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("letters", sa.String(length=16), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("source_id", sa.String(length=29), nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("event_type", sa.String(length=128), nullable=True),
        sa.Column("sender_id", sa.String(length=256), nullable=True),
        sa.Column("subject", sa.String(length=300), nullable=True),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("fold_key", sa.String(length=96), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("remote_addr", sa.String(length=64), nullable=False),
        sa.Column("trust", sa.String(length=16), nullable=True),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("headers", Json, nullable=False),
        sa.Column("outcome", Json, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_attempt_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status IN ('accepted', 'refused', 'failed')", name=op.f("ck_deliveries_status")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_deliveries_not_accepted",
            ["status", "id"],
            unique=False,
            sqlite_where=sa.text("status <> 'accepted'"),
            postgresql_where=sa.text("status <> 'accepted'"),
        )
        batch_op.create_index("ix_deliveries_source_id_id", ["source_id", "id"], unique=False)
        batch_op.create_index(
            "uq_deliveries_fold_key",
            ["fold_key"],
            unique=True,
            sqlite_where=sa.text("fold_key IS NOT NULL"),
            postgresql_where=sa.text("fold_key IS NOT NULL"),
        )

    op.create_table(
        "names",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_names")),
    )
    op.create_table(
        "teams",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("name", name=op.f("uq_teams_name")),
    )
    op.create_table(
        "delivery_bodies",
        sa.Column("delivery_id", sa.String(length=29), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name=op.f("fk_delivery_bodies_delivery_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("delivery_id", name=op.f("pk_delivery_bodies")),
    )
    op.create_table(
        "delivery_keys",
        sa.Column("source_id", sa.String(length=29), nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("delivery_id", sa.String(length=29), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name=op.f("fk_delivery_keys_delivery_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", "key", name=op.f("pk_delivery_keys")),
    )
    with op.batch_alter_table("delivery_keys", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_delivery_keys_delivery_id"), ["delivery_id"], unique=False
        )

    op.create_table(
        "endpoints",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("credential_hash", sa.String(length=64), nullable=False),
        sa.Column("verbs", Json, nullable=False),
        sa.Column("queues", Json, nullable=False),
        sa.Column("vended_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_endpoints_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_endpoints_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_endpoints_owner_team_id")
        ),
        sa.ForeignKeyConstraint(
            ["vended_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_endpoints_vended_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endpoints")),
        sa.UniqueConstraint("credential_hash", name=op.f("uq_endpoints_credential_hash")),
        sa.UniqueConstraint("slug", name=op.f("uq_endpoints_slug")),
    )
    op.create_table(
        "memberships",
        sa.Column("team_id", sa.String(length=29), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'admin', 'member')", name=op.f("ck_memberships_role")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_memberships_account_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_memberships_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "account_id", name=op.f("pk_memberships")),
    )
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memberships_account_id"), ["account_id"], unique=False)

    op.create_table(
        "outbound_connections",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("account_key", sa.String(length=255), nullable=False),
        sa.Column("match_key", sa.String(length=255), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("secret_fingerprint", sa.String(length=12), nullable=False),
        sa.Column("targets", Json, nullable=False),
        sa.Column("endpoints", Json, nullable=False),
        sa.Column("signature", sa.String(length=200), nullable=True),
        sa.Column("created_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rotated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_test", Json, nullable=True),
        sa.Column("closed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_outbound_connections_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["created_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_outbound_connections_created_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"],
            ["accounts.id"],
            name=op.f("fk_outbound_connections_owner_account_id"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_outbound_connections_owner_team_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbound_connections")),
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("token_sealed", sa.String(), nullable=False),
        sa.Column("letters", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("repo_globs", Json, nullable=False),
        sa.Column("secret_known_to_agent", sa.Boolean(), nullable=False),
        sa.Column("created_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "state IN ('active', 'paused', 'revoked')", name=op.f("ck_sources_state")
        ),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_sources_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["created_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_sources_created_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_sources_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_sources_owner_team_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sources_token_hash")),
    )
    op.create_table(
        "todos",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("queue", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=True),
        sa.Column("kind", sa.String(length=128), nullable=False),
        sa.Column("source_id", sa.String(length=29), nullable=True),
        sa.Column("delivery_id", sa.String(length=29), nullable=True),
        sa.Column("reply_to", Json, nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", Json, nullable=True),
        sa.Column("last_failure", sa.String(length=300), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("dead_lettered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'claimed', 'done', 'failed')", name=op.f("ck_todos_state")
        ),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_todos_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name=op.f("fk_todos_delivery_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_todos")),
        sa.UniqueConstraint(
            "delivery_id",
            "endpoint_id",
            "queue",
            name=op.f("uq_todos_delivery_id_endpoint_id_queue"),
        ),
    )
    with op.batch_alter_table("todos", schema=None) as batch_op:
        batch_op.create_index(
            "ix_todos_endpoint_id_state_id", ["endpoint_id", "state", "id"], unique=False
        )
        batch_op.create_index(
            "ix_todos_lease",
            ["lease_expires_at"],
            unique=False,
            sqlite_where=sa.text("state = 'claimed'"),
            postgresql_where=sa.text("state = 'claimed'"),
        )

    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("account_id", sa.String(length=29), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_account_id"), ["account_id"], unique=False)

    op.create_table(
        "replies",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("todo_id", sa.String(length=29), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("connection_id", sa.String(length=29), nullable=True),
        sa.Column("connection_name", sa.String(length=64), nullable=False),
        sa.Column("connection_fingerprint", sa.String(length=12), nullable=False),
        sa.Column("address", Json, nullable=False),
        sa.Column("address_key", sa.String(length=400), nullable=False),
        sa.Column("idempotency_key", sa.String(length=128), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("posted_sha256", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("error_class", sa.String(length=16), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("provider_object_id", sa.String(length=128), nullable=True),
        sa.Column("permalink", sa.String(length=1024), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("dial_started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'sent', 'failed', 'unknown')", name=op.f("ck_replies_state")
        ),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_replies_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["outbound_connections.id"],
            name=op.f("fk_replies_connection_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["endpoint_id"], ["endpoints.id"], name=op.f("fk_replies_endpoint_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_replies_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_replies_owner_team_id")
        ),
        sa.ForeignKeyConstraint(
            ["todo_id"], ["todos.id"], name=op.f("fk_replies_todo_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replies")),
        sa.UniqueConstraint(
            "todo_id", "idempotency_key", name=op.f("uq_replies_todo_id_idempotency_key")
        ),
    )
    with op.batch_alter_table("replies", schema=None) as batch_op:
        batch_op.create_index("ix_replies_address_key", ["address_key", "created_at"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_replies_connection_id"), ["connection_id"], unique=False
        )
        batch_op.create_index(
            "ix_replies_echo",
            ["provider_object_id"],
            unique=False,
            sqlite_where=sa.text("provider_object_id IS NOT NULL"),
            postgresql_where=sa.text("provider_object_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_replies_pending",
            ["id"],
            unique=False,
            sqlite_where=sa.text("state = 'pending'"),
            postgresql_where=sa.text("state = 'pending'"),
        )
        batch_op.create_index(
            "ix_replies_trouble",
            ["id"],
            unique=False,
            sqlite_where=sa.text("state IN ('failed', 'unknown')"),
            postgresql_where=sa.text("state IN ('failed', 'unknown')"),
        )

    op.create_table(
        "source_routes",
        sa.Column("source_id", sa.String(length=29), nullable=False),
        sa.Column("endpoint_id", sa.String(length=29), nullable=False),
        sa.Column("queue", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["endpoints.id"],
            name=op.f("fk_source_routes_endpoint_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_source_routes_source_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", "endpoint_id", "queue", name=op.f("pk_source_routes")),
    )
    op.create_table(
        "source_secrets",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("source_id", sa.String(length=29), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_source_secrets_source_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_secrets")),
    )
    with op.batch_alter_table("source_secrets", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_source_secrets_source_id"), ["source_id"], unique=False
        )

    op.create_index(
        "uq_endpoints_owner_name",
        "endpoints",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "name"],
        unique=True,
        sqlite_where=sa.text("revoked_at IS NULL"),
        postgresql_where=sa.text("revoked_at IS NULL"),
    )
    op.create_index(
        "uq_sources_owner_name",
        "sources",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "name"],
        unique=True,
        sqlite_where=sa.text("state <> 'revoked'"),
        postgresql_where=sa.text("state <> 'revoked'"),
    )
    op.create_index(
        "uq_outbound_connections_owner_name",
        "outbound_connections",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "name"],
        unique=True,
    )
    op.create_index(
        "uq_outbound_connections_account",
        "outbound_connections",
        [sa.text("coalesce(owner_account_id, owner_team_id)"), "kind", "match_key"],
        unique=True,
    )


def downgrade() -> None:
    with op.batch_alter_table("source_secrets", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_source_secrets_source_id"))

    op.drop_table("source_secrets")
    op.drop_table("source_routes")
    with op.batch_alter_table("replies", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_replies_trouble",
            sqlite_where=sa.text("state IN ('failed', 'unknown')"),
            postgresql_where=sa.text("state IN ('failed', 'unknown')"),
        )
        batch_op.drop_index(
            "ix_replies_pending",
            sqlite_where=sa.text("state = 'pending'"),
            postgresql_where=sa.text("state = 'pending'"),
        )
        batch_op.drop_index(
            "ix_replies_echo",
            sqlite_where=sa.text("provider_object_id IS NOT NULL"),
            postgresql_where=sa.text("provider_object_id IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_replies_connection_id"))
        batch_op.drop_index("ix_replies_address_key")

    op.drop_table("replies")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_account_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("todos", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_todos_lease",
            sqlite_where=sa.text("state = 'claimed'"),
            postgresql_where=sa.text("state = 'claimed'"),
        )
        batch_op.drop_index("ix_todos_endpoint_id_state_id")

    op.drop_table("todos")
    op.drop_table("sources")
    op.drop_table("outbound_connections")
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memberships_account_id"))

    op.drop_table("memberships")
    op.drop_table("endpoints")
    with op.batch_alter_table("delivery_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_delivery_keys_delivery_id"))

    op.drop_table("delivery_keys")
    op.drop_table("delivery_bodies")
    op.drop_table("teams")
    op.drop_table("names")
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_deliveries_fold_key",
            sqlite_where=sa.text("fold_key IS NOT NULL"),
            postgresql_where=sa.text("fold_key IS NOT NULL"),
        )
        batch_op.drop_index("ix_deliveries_source_id_id")
        batch_op.drop_index(
            "ix_deliveries_not_accepted",
            sqlite_where=sa.text("status <> 'accepted'"),
            postgresql_where=sa.text("status <> 'accepted'"),
        )

    op.drop_table("deliveries")
    op.drop_table("accounts")
