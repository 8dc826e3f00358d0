"""Alembic's environment: runs on the connection that `switchboard.lib.migrate` hands in."""

from alembic import context

from switchboard.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
