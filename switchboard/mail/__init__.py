"""A mail that came back: what a person typed in it, or why nobody did (docs/mail.md)."""
