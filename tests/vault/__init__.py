"""Credentials at rest."""
