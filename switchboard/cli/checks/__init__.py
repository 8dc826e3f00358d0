"""What `doctor` looks at. Each check returns findings and never raises for what it finds."""

from __future__ import annotations

from switchboard.cli.checks import mail, queue, receiver, setup, storage
from switchboard.cli.checks.finding import Finding
from switchboard.config import read_settings
from switchboard.lib.plumbing import Plumbing


def examine() -> list[Finding]:
    """Every check's findings on this environment; it makes no key and no database.

    Raises SettingsError when the settings cannot be read.
    """
    settings = read_settings()
    lib = Plumbing(settings)
    try:
        return [
            *setup.check(settings),
            *storage.check(lib),
            *queue.check(lib),
            *mail.check(lib),
            *receiver.check(settings),
        ]
    finally:
        lib.db.dispose()
