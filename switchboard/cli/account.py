"""`account`: people who can sign in."""

from __future__ import annotations

import click

from switchboard.access import accounts, languages
from switchboard.cli import box, given, say
from switchboard.cli.account_mails import mails
from switchboard.cli.verbs import Noun, Shown


@click.group("account", cls=Noun)
def command() -> None:
    """People who can sign in, their letters and operator tokens."""


@command.command("create")
@click.argument("name")
@click.option("--email", required=True, help="E-mail address.")
@click.option("--admin", is_flag=True, help="Runs the instance. The first account always does.")
@click.option("--letters", metavar="LETTERS", help="Capability letters, such as ncfla.")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def create(name: str, email: str, admin: bool, letters: str | None, password_stdin: bool) -> Shown:
    """Make an account. Without a password it can only use tokens."""
    lib = box.ready()
    password = given.read_secret("Password") if password_stdin else None
    made = accounts.create(lib, accounts.NewAccount(name, email, password, admin, letters))
    rows = [("id", made["id"]), ("email", made["email"]), ("letters", made["letters"])]
    signs_in = "It signs in with its password." if password else "It has no password: tokens only."
    return Shown(
        made,
        say.blocks(
            f"Account {made['name']} is there.",
            say.fields([*rows, ("admin", made["admin"])]),
            f"{signs_in} An operator token: python -m switchboard account token {made['name']}",
        ),
    )


@command.command("token")
@click.argument("name")
def token(name: str) -> Shown:
    """Make an operator token (sbp_…) and print it once."""
    minted = accounts.mint_token(box.ready(), name)
    text = f"An operator token of {name}. It is shown this once; only its hash is kept."
    return Shown({"token": minted}, say.blocks(text, f"  {minted}"))


@command.command("list")
def show_all() -> Shown:
    """All accounts, by name."""
    everyone = accounts.everyone(box.ready())
    if not everyone:
        hint = "No accounts yet. Make one: python -m switchboard account create NAME --email E"
        return Shown([], hint)
    rows = [
        (a["name"], a["email"], a["letters"], a["admin"], "disabled" if a["disabled"] else "active")
        for a in everyone
    ]
    return Shown(everyone, say.table(("NAME", "E-MAIL", "LETTERS", "ADMIN", "STATE"), rows))


@command.command("disable")
@click.argument("name")
def disable(name: str) -> Shown:
    """Shut an account out: its sessions, tokens and endpoints stop at once."""
    done = accounts.disable(box.ready(), name)
    text = f"Account {done['name']} is disabled: its sessions, tokens and endpoints have stopped."
    return Shown(done, text)


@command.command("language")
@click.argument("name")
@click.argument("language")
def set_language(name: str, language: str) -> Shown:
    """Choose the language of the line above which it replies to mails, such as de."""
    done = accounts.set_language(box.ready(), name, language)
    line = languages.reply_line(done["language"])
    return Shown(done, f"Mails to {done['name']} that can be answered begin with: {line}")


@command.command("letters")
@click.argument("name")
@click.argument("letters")
def set_letters(name: str, letters: str) -> Shown:
    """Replace an account's capability letters ('' for none)."""
    done = accounts.set_letters(box.ready(), name, letters)
    return Shown(done, f"Account {done['name']} has the letters: {done['letters'] or 'none'}")


command.add_command(mails)
