"""The pages."""

from __future__ import annotations

from flask import Flask


def register(app: Flask) -> None:
    """Attach the pages."""
