"""Gunicorn's entry for larger sites: `gunicorn -c python:switchboard.box.gunicorn wsgi:app`."""

from switchboard import create_app

app = create_app()
