"""What every table shares: the declarative base, UTC times, JSON, the owner pair."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    ColumnElement,
    DateTime,
    Dialect,
    ForeignKey,
    MetaData,
    String,
    Table,
    TypeDecorator,
    or_,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

ID_LENGTH = 29  # two letters, an underscore, a ULID

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UTCDateTime(TypeDecorator[datetime]):
    """A timezone-aware UTC datetime on both databases; a naive one is a programming error."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("naive datetime")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


class Base(DeclarativeBase):
    """Declarative base; annotated `datetime` columns are UTC, `dict` and `list` columns JSON."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {
        datetime: UTCDateTime,
        dict[str, Any]: Json,
        list[str]: Json,
        list[dict[str, Any]]: Json,
    }


def reference(
    target: str, *, on_delete: str | None = None, primary_key: bool = False, index: bool = False
) -> Any:
    """A foreign key column holding an id of `target` (`table.column`)."""
    return mapped_column(
        String(ID_LENGTH),
        ForeignKey(target, ondelete=on_delete),
        primary_key=primary_key,
        index=index,
    )


def unchecked(*, primary_key: bool = False) -> Any:
    """A column holding an id that the database does not check, for tables of the ack path.

    On Postgres a checked one locks the row it names, and all deliveries of a source name the same few:
    they would queue for those locks. What is named here is ended and never deleted.
    """
    return mapped_column(String(ID_LENGTH), primary_key=primary_key)


class Owned:
    """The owner pair: exactly one account or one team (`exactly_one_owner()` holds it)."""

    @declared_attr
    def owner_account_id(cls) -> Mapped[str | None]:
        return reference("accounts.id")  # type: ignore[no-any-return]

    @property
    def owner_id(self) -> str:
        """The account or team that owns it."""
        return self.owner_account_id or self.owner_team_id or ""

    @declared_attr
    def owner_team_id(cls) -> Mapped[str | None]:
        return reference("teams.id")  # type: ignore[no-any-return]


def table_of(model: type[Base]) -> Table:
    """A model's table, for statements in Core."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def exactly_one_owner() -> CheckConstraint:
    """The CHECK every owned table carries."""
    return CheckConstraint(
        "(owner_account_id IS NULL) <> (owner_team_id IS NULL)", name="exactly_one_owner"
    )


def in_scope(model: type[Owned], owner_ids: Collection[str] | None) -> ColumnElement[bool]:
    """The clause 'owned by one of these'; None means everything."""
    if owner_ids is None:
        return true()
    return or_(model.owner_account_id.in_(owner_ids), model.owner_team_id.in_(owner_ids))
