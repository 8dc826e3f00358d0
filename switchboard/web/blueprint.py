"""The blueprint every page's routes are put on, and the plumbing they work with."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, current_app

from switchboard.lib.plumbing import Plumbing
from switchboard.replies.accept import Waiting

pages = Blueprint("pages", __name__)


def plumbing() -> Plumbing:
    """The application's plumbing."""
    return cast(Plumbing, current_app.extensions["switchboard"])


def waiting() -> Waiting:
    """The places for threads that wait."""
    return cast(Waiting, current_app.extensions["switchboard.waiting"])
