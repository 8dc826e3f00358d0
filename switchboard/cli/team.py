"""`team`: several accounts that own things together."""

from __future__ import annotations

import click

from switchboard.access import accounts
from switchboard.cli import box, say
from switchboard.cli.verbs import Noun, Shown


@click.group("team", cls=Noun)
def command() -> None:
    """Several accounts that own things together."""


@command.command("create")
@click.argument("name")
def create(name: str) -> Shown:
    """Make an empty team."""
    made = accounts.create_team(box.ready(), name)
    add = f"python -m switchboard team add {made['name']} ACCOUNT --role owner"
    return Shown(made, f"Team {made['name']} is there, without members yet. Add one: {add}")


@command.command("add")
@click.argument("team")
@click.argument("account")
@click.option(
    "--role",
    type=click.Choice(accounts.ROLES),
    default="member",
    show_default=True,
    help="Owners and admins configure, members look.",
)
def add(team: str, account: str, role: str) -> Shown:
    """Put an account into a team, or change its role there."""
    done = accounts.add_member(box.ready(), team, account, role)
    return Shown(done, f"{done['account']} is {done['role']} of team {done['team']}.")


@command.command("list")
def show_all() -> Shown:
    """All teams with their members."""
    teams = accounts.teams(box.ready())
    if not teams:
        return Shown([], "No teams yet. Make one: python -m switchboard team create NAME")
    rows = [
        (team["name"], [f"{m['account']} ({m['role']})" for m in team["members"]]) for team in teams
    ]
    return Shown(teams, say.table(("TEAM", "MEMBERS"), rows))
