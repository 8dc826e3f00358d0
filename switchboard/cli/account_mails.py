"""`account mails`: what an account can answer by mail."""

from __future__ import annotations

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, say
from switchboard.cli.verbs import Shown, Verb
from switchboard.mail import answerable


@click.command("mails", cls=Verb)
@click.argument("name")
@click.option("--after", metavar="ID", help="List what comes after that `next`.")
@click.option("--revoke", metavar="ID", help="End the answers to one thread, todo or question.")
@click.option("--revoke-all", is_flag=True, help="End the answers to every mail sent so far.")
def mails(*, name: str, after: str | None, revoke: str | None, revoke_all: bool) -> Shown:
    """What an account can answer by mail, or the end of that; new mails can be answered again."""
    if revoke is not None and revoke_all:
        raise click.UsageError("Do one thing at a time: --revoke or --revoke-all.")
    lib, who = box.ready(), Machine()
    if revoke is not None or revoke_all:
        count = answerable.revoke(lib, who, revoke, account=name)
        said = f"{count} mail{'' if count == 1 else 's'} to {name} can be answered no more."
        return Shown({"revoked": count}, said)
    found, more = answerable.listed(lib, who, account=name, after=after)
    data = {"mails": found, "next": more}
    if not found:
        return Shown(data, f"There is no mail that {name} could answer.")
    rows = [
        (
            each["kind"],
            each["title"],
            each["mails"],
            say.when(each["made_at"]),
            say.when(each["expires_at"]),
            say.when(each["used_at"]),
            each["id"],
        )
        for each in found
    ]
    headers = ("KIND", "TITLE", "MAILS", "LAST SENT", "EXPIRES", "LAST ANSWERED", "ID")
    listing = say.table(headers, rows)
    return Shown(data, say.blocks(listing, f"More: --after {more}") if more else listing)
