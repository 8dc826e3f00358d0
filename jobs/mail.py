"""Jobs of mail that came in."""

from __future__ import annotations

from jobs import plumbing


def read(mail_id: str) -> None:
    """Read one answer and make of it what it becomes, unless somebody has."""
    from switchboard.mail.process import process

    process(plumbing(), mail_id)


def bounce(bounce_id: str) -> None:
    """Tell one account why its answer could not be used, unless somebody has taken that."""
    from switchboard.mail.bounces import send

    send(plumbing(), bounce_id)


def sweep() -> None:
    """Ring again for what the queue lost."""
    from switchboard.mail.sweep import sweep as sweep_mail

    sweep_mail(plumbing())
