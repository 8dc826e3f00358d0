"""Everything that may write in"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "delivery_hours",
        sa.Column("source_id", sa.String(length=29), nullable=False),
        sa.Column("hour", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("source_id", "hour", name=op.f("pk_delivery_hours")),
    )
    op.create_table(
        "faults",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("about_id", sa.String(length=29), nullable=False),
        sa.Column("about", sa.String(length=100), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("raised_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cleared_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_faults_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["cleared_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_faults_cleared_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_faults_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_faults_owner_team_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faults")),
    )
    with op.batch_alter_table("faults", schema=None) as batch_op:
        batch_op.create_index("ix_faults_about_id", ["about_id"], unique=False)
        batch_op.create_index(
            "uq_faults_standing",
            ["code", "about_id"],
            unique=True,
            sqlite_where=sa.text("cleared_at IS NULL"),
            postgresql_where=sa.text("cleared_at IS NULL"),
        )

    op.create_table(
        "repos",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("name", sa.String(length=201), nullable=False),
        sa.Column("key", sa.String(length=201), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_repos_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_repos_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_repos_owner_team_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repos")),
        sa.UniqueConstraint("key", name=op.f("uq_repos_key")),
    )
    op.create_table(
        "threads",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("repo_id", sa.String(length=29), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("labels", Json, nullable=False),
        sa.Column("mirror_of", sa.String(length=400), nullable=True),
        sa.Column("author_account_id", sa.String(length=29), nullable=True),
        sa.Column("author_source_id", sa.String(length=29), nullable=True),
        sa.Column("author_endpoint_id", sa.String(length=29), nullable=True),
        sa.Column("via", sa.String(length=16), nullable=False),
        sa.Column("delivery_id", sa.String(length=29), nullable=True),
        sa.Column("adopted_by_account_id", sa.String(length=29), nullable=True),
        sa.Column("adopted_by_endpoint_id", sa.String(length=29), nullable=True),
        sa.Column("adopted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("commented_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint("kind IN ('ticket', 'forum', 'landing')", name=op.f("ck_threads_kind")),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_threads_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["adopted_by_account_id"],
            ["accounts.id"],
            name=op.f("fk_threads_adopted_by_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["author_account_id"],
            ["accounts.id"],
            name=op.f("fk_threads_author_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_threads_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_threads_owner_team_id")
        ),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_threads_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_threads")),
        sa.UniqueConstraint("repo_id", "number", name=op.f("uq_threads_repo_id_number")),
    )
    with op.batch_alter_table("threads", schema=None) as batch_op:
        batch_op.create_index("ix_threads_repo_id_id", ["repo_id", "id"], unique=False)
        batch_op.create_index(
            "ix_threads_unadopted",
            ["id"],
            unique=False,
            sqlite_where=sa.text("kind = 'ticket' AND adopted_at IS NULL AND closed_at IS NULL"),
            postgresql_where=sa.text(
                "kind = 'ticket' AND adopted_at IS NULL AND closed_at IS NULL"
            ),
        )

    op.create_table(
        "verdicts",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("repo_id", sa.String(length=29), nullable=False),
        sa.Column("commit", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("url", sa.String(length=1024), nullable=True),
        sa.Column("summary", sa.String(), nullable=True),
        sa.Column("source_id", sa.String(length=29), nullable=True),
        sa.Column("delivery_id", sa.String(length=29), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_account_id", sa.String(length=29), nullable=True),
        sa.Column("owner_team_id", sa.String(length=29), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'success', 'failure', 'error', 'cancelled')",
            name=op.f("ck_verdicts_state"),
        ),
        sa.CheckConstraint(
            "(owner_account_id IS NULL) <> (owner_team_id IS NULL)",
            name=op.f("ck_verdicts_exactly_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_account_id"], ["accounts.id"], name=op.f("fk_verdicts_owner_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_team_id"], ["teams.id"], name=op.f("fk_verdicts_owner_team_id")
        ),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_verdicts_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdicts")),
    )
    with op.batch_alter_table("verdicts", schema=None) as batch_op:
        batch_op.create_index(
            "ix_verdicts_repo_id_commit_id", ["repo_id", "commit", "id"], unique=False
        )
        batch_op.create_index("ix_verdicts_repo_id_id", ["repo_id", "id"], unique=False)

    op.create_table(
        "comments",
        sa.Column("id", sa.String(length=29), nullable=False),
        sa.Column("thread_id", sa.String(length=29), nullable=True),
        sa.Column("todo_id", sa.String(length=29), nullable=True),
        sa.Column("author_account_id", sa.String(length=29), nullable=True),
        sa.Column("author_source_id", sa.String(length=29), nullable=True),
        sa.Column("author_endpoint_id", sa.String(length=29), nullable=True),
        sa.Column("delivery_id", sa.String(length=29), nullable=True),
        sa.Column("via", sa.String(length=16), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(thread_id IS NULL) <> (todo_id IS NULL)", name=op.f("ck_comments_exactly_one_place")
        ),
        sa.ForeignKeyConstraint(
            ["author_account_id"],
            ["accounts.id"],
            name=op.f("fk_comments_author_account_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["threads.id"], name=op.f("fk_comments_thread_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["todo_id"], ["todos.id"], name=op.f("fk_comments_todo_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    with op.batch_alter_table("comments", schema=None) as batch_op:
        batch_op.create_index("ix_comments_thread_id_id", ["thread_id", "id"], unique=False)
        batch_op.create_index("ix_comments_todo_id_id", ["todo_id", "id"], unique=False)

    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.add_column(sa.Column("diagnosis", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("replay_of", sa.String(length=29), nullable=True))
        batch_op.create_index(
            "ix_deliveries_source_id_not_accepted",
            ["source_id", "status", "id"],
            unique=False,
            sqlite_where=sa.text("status <> 'accepted'"),
            postgresql_where=sa.text("status <> 'accepted'"),
        )

    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.add_column(sa.Column("repo_id", sa.String(length=29), nullable=True))
        batch_op.add_column(sa.Column("rules", Json, nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("red_opens_todo", sa.Boolean(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("failures", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("paused_by", sa.String(length=8), nullable=True))
        batch_op.add_column(sa.Column("probe_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE sources SET paused_by = 'human' WHERE state = 'paused'")

    with op.batch_alter_table("todos", schema=None) as batch_op:
        batch_op.add_column(sa.Column("thread_id", sa.String(length=29), nullable=True))
        batch_op.create_index(
            "ix_todos_thread_id",
            ["thread_id"],
            unique=False,
            sqlite_where=sa.text("thread_id IS NOT NULL"),
            postgresql_where=sa.text("thread_id IS NOT NULL"),
        )
