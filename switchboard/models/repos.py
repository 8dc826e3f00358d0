"""Repos: the labels under which threads, verdicts and `signed` sources are filed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner


class Repo(Owned, Base):
    """A label of one owner, unique on the instance whatever its case (`key` is the folded name).

    `last_number` is the number of its newest thread; the next takes one more.
    """

    __tablename__ = "repos"
    __table_args__ = (exactly_one_owner(),)

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(String(201))
    key: Mapped[str] = mapped_column(String(201), unique=True)
    last_number: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
