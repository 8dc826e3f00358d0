"""The registry: which kinds exist. Adding a provider is one line here."""

from __future__ import annotations

from switchboard.config import Settings
from switchboard.errors import Invalid
from switchboard.providers.base import Provider
from switchboard.providers.github import GitHub


def registry(settings: Settings) -> dict[str, Provider]:
    """All providers by kind, built for these settings."""
    every: tuple[Provider, ...] = (GitHub(settings["GITHUB_API_URL"]),)
    return {provider.kind: provider for provider in every}


def provider_of(settings: Settings, kind: str) -> Provider:
    """The provider of `kind`. Raises Invalid naming the kinds there are."""
    known = registry(settings)
    if kind not in known:
        raise Invalid(f"Unknown kind; there are: {', '.join(known)}.", field="kind")
    return known[kind]
