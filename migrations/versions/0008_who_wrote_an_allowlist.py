"""Who wrote a connection's allowlist"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    by_agent = sa.Column("targets_by_agent", sa.Boolean(), nullable=False, server_default="0")
    op.add_column("outbound_connections", by_agent)
