"""The registry: which kinds exist. Adding one is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from switchboard.config import Settings
from switchboard.errors import Invalid
from switchboard.providers.apprise import Apprise
from switchboard.providers.base import Answering, ConnectionKind, SourceKind
from switchboard.providers.cairn import Cairn
from switchboard.providers.generic import Generic
from switchboard.providers.gitea import Gitea
from switchboard.providers.github import GitHub
from switchboard.providers.gotify import Gotify
from switchboard.providers.signed import Signed
from switchboard.providers.slack import Slack

Kind = TypeVar("Kind", SourceKind, ConnectionKind, Answering)


def source_kinds(settings: Settings) -> dict[str, SourceKind]:
    """Who may write in, by kind."""
    every: tuple[SourceKind, ...] = (
        GitHub(settings["GITHUB_API_URL"]),
        Gitea(),
        Slack(settings["SLACK_API_URL"]),
        Cairn(),
        Generic(),
        Signed(),
    )
    return {each.kind: each for each in every}


def answering_kinds(settings: Settings) -> dict[str, Answering]:
    """Who can be answered, by kind."""
    every: tuple[Answering, ...] = (
        GitHub(settings["GITHUB_API_URL"]),
        Gitea(),
        Slack(settings["SLACK_API_URL"]),
        Cairn(),
    )
    return {each.kind: each for each in every}


def connection_kinds(settings: Settings) -> dict[str, ConnectionKind]:
    """What a connection can be to, by kind: who can be answered, and the sinks."""
    sinks: tuple[ConnectionKind, ...] = (Gotify(), Apprise())
    return {**answering_kinds(settings), **{each.kind: each for each in sinks}}


def source_kind(settings: Settings, kind: str) -> SourceKind:
    """The source kind of that name. Raises Invalid naming the kinds there are."""
    return _known(source_kinds(settings), kind)


def connection_kind(settings: Settings, kind: str) -> ConnectionKind:
    """The connection kind of that name. Raises Invalid naming the kinds there are."""
    return _known(connection_kinds(settings), kind)


def answering_kind(settings: Settings, kind: str) -> Answering:
    """The kind that carries answers to addresses of that provider. Raises Invalid."""
    return _known(answering_kinds(settings), kind)


def _known(kinds: Mapping[str, Kind], kind: str) -> Kind:
    if kind not in kinds:
        raise Invalid(f"Unknown kind; there are: {', '.join(kinds)}.", field="kind")
    return kinds[kind]
