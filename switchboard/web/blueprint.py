"""The blueprint every page's routes are put on, and the plumbing they work with."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, current_app

from switchboard.lib.plumbing import Plumbing

pages = Blueprint("pages", __name__)


def plumbing() -> Plumbing:
    """The application's plumbing."""
    return cast(Plumbing, current_app.extensions["switchboard"])
