"""The registry: which kinds exist. Adding one is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from switchboard.config import Settings
from switchboard.errors import Invalid
from switchboard.providers.apprise import Apprise
from switchboard.providers.base import Answering, ConnectionKind, Notifying, SourceKind
from switchboard.providers.cairn import Cairn
from switchboard.providers.email import Email
from switchboard.providers.generic import Generic
from switchboard.providers.gitea import Gitea
from switchboard.providers.github import GitHub
from switchboard.providers.gotify import Gotify
from switchboard.providers.notify import Notify
from switchboard.providers.signed import Signed
from switchboard.providers.slack import Slack

Kind = TypeVar("Kind", SourceKind, ConnectionKind, Answering, Notifying)
_EMAIL: SourceKind = Email()  # its sources are built in, so it is not among those to choose from
_NOTIFYING: tuple[Notifying, ...] = (Gotify(), Apprise(), Notify())


def source_kinds(settings: Settings) -> Mapping[str, SourceKind]:
    """Who may be let in to write, by kind."""
    return _source_kinds(settings["GITHUB_API_URL"], settings["SLACK_API_URL"])


def answering_kinds(settings: Settings) -> Mapping[str, Answering]:
    """Who can be answered, by kind."""
    return _answering_kinds(settings["GITHUB_API_URL"], settings["SLACK_API_URL"])


def connection_kinds(settings: Settings) -> Mapping[str, ConnectionKind]:
    """What a connection can be to, by kind: who can be answered, and the sinks."""
    return {**answering_kinds(settings), **notifying_kinds()}


def notifying_kinds() -> Mapping[str, Notifying]:
    """What carries notifications, by kind."""
    return {each.kind: each for each in _NOTIFYING}


# made once: a delivery asks for its kind several times
@cache
def _source_kinds(github_api: str, slack_api: str) -> Mapping[str, SourceKind]:
    every: tuple[SourceKind, ...] = (
        GitHub(github_api),
        Gitea(),
        Slack(slack_api),
        Cairn(),
        Generic(),
        Signed(),
    )
    return {each.kind: each for each in every}


@cache
def _answering_kinds(github_api: str, slack_api: str) -> Mapping[str, Answering]:
    every: tuple[Answering, ...] = (GitHub(github_api), Gitea(), Slack(slack_api), Cairn())
    return {each.kind: each for each in every}


def source_kind(settings: Settings, kind: str) -> SourceKind:
    """The source kind of that name, a built-in one too. Raises Invalid naming the kinds there are."""
    return _EMAIL if kind == _EMAIL.kind else addable_kind(settings, kind)


def addable_kind(settings: Settings, kind: str) -> SourceKind:
    """The source kind of that name that somebody can add. Raises Invalid naming the kinds there are."""
    return _known(source_kinds(settings), kind)


def connection_kind(settings: Settings, kind: str) -> ConnectionKind:
    """The connection kind of that name. Raises Invalid naming the kinds there are."""
    return _known(connection_kinds(settings), kind)


def answering_kind(settings: Settings, kind: str) -> Answering:
    """The kind that carries answers to addresses of that provider. Raises Invalid."""
    return _known(answering_kinds(settings), kind)


def notifying_kind(kind: str) -> Notifying:
    """The kind that carries notifications, of that name. Raises Invalid."""
    return _known(notifying_kinds(), kind)


def _known(kinds: Mapping[str, Kind], kind: str) -> Kind:
    if kind not in kinds:
        raise Invalid(f"Unknown kind; there are: {', '.join(kinds)}.", field="kind")
    return kinds[kind]
