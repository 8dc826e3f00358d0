"""Switchboard: a two-way exchange between the places where people talk about work and the agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from switchboard.config import Settings

__version__ = "0.1.0"


def create_app(settings: Settings | None = None) -> Flask:
    """The WSGI application for `settings` (default: those of the environment).

    Raises SettingsError when a setting is unknown or cannot be read.
    """
    from switchboard.factory import build  # late: command line and cron start without Flask

    return build(settings)
