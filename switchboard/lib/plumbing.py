"""What every service function needs, in one hand: settings, database, Valkey, sealer, HTTP client."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from switchboard.config import Settings
from switchboard.lib.crypto import Sealer
from switchboard.lib.db import Database
from switchboard.lib.express import Express
from switchboard.lib.http import Client
from switchboard.lib.ratelimit import Buckets
from switchboard.lib.recent import Recent
from switchboard.lib.valkey import Valkey

T = TypeVar("T")


@dataclass
class Plumbing:
    """One instance a process tree, handed to every service function as `lib`."""

    settings: Settings
    _own: dict[type[Any], Any] = field(default_factory=dict, init=False, repr=False)

    def own(self, kind: type[T]) -> T:
        """What a vertical remembers in this process: the one object of its class, made on first use."""
        found = self._own.get(kind)
        # two threads at once: both get whichever was first
        return cast(T, self._own.setdefault(kind, kind()) if found is None else found)

    @cached_property
    def db(self) -> Database:
        """The database."""
        return Database(self.settings.database_url, threads=self.settings["WEB_THREADS"])

    @cached_property
    def express(self) -> Express:
        """The short way to the database."""
        return Express(self.db)

    @cached_property
    def recent(self) -> Recent:
        """What was read a moment ago."""
        return Recent(self.db)

    @cached_property
    def valkey(self) -> Valkey:
        """The doorbell and the buckets."""
        return Valkey(self.settings.redis_url)

    @cached_property
    def buckets(self) -> Buckets:
        """Token buckets shared by all processes."""
        return Buckets(self.valkey)

    @cached_property
    def sealer(self) -> Sealer:
        """Seals and opens stored secrets."""
        return Sealer(self.settings["ENCRYPTION_KEY"], self.settings["ENCRYPTION_KEY_OLD"])

    @cached_property
    def http(self) -> Client:
        """The one way out."""
        return Client(
            allow_http=self.settings["ALLOW_HTTP"],
            allow_cidrs=self.settings["ALLOW_CIDRS"],
            own_addresses=((self.settings["HOST"], self.settings["PORT"]),),
            timeout=self.settings["DIAL_SECONDS"],
        )
