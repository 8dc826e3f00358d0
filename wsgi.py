"""Gunicorn's entry: `gunicorn wsgi:app`."""

from switchboard import create_app

app = create_app()
