"""Every page, imported so that its routes stand on the blueprint."""

from __future__ import annotations

from switchboard.web import (
    account,
    connections,
    consent,
    deliveries,
    endpoint_hooks,
    endpoints,
    events,
    home,
    questions,
    settings,
    setup,
    signin,
    sinks,
    source,
    source_rules,
    sources,
    threads,
    todos,
    verdicts,
)
from switchboard.web.blueprint import pages

PAGES = (
    home,
    questions,
    setup,
    signin,
    settings,
    connections,
    sources,
    source,
    source_rules,
    endpoints,
    consent,
    endpoint_hooks,
    sinks,
    account,
    deliveries,
    todos,
    threads,
    verdicts,
    events,
)

__all__ = ["PAGES", "pages"]
