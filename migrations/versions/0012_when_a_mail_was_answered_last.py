"""When a mail's token was used last"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("mail_tokens", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))
