"""`doctor`: how the installation stands, check by check, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

import click

from switchboard.cli import say
from switchboard.cli.checks.finding import Finding
from switchboard.cli.verbs import Shown, Verb
from switchboard.errors import SettingsError


@click.command("doctor", cls=Verb)
def command() -> Shown:
    """Check this installation and say what to do; exit 1 when something fails."""
    from switchboard.cli.checks import examine  # late: the help needs none of what it loads

    try:
        findings = examine()
    except SettingsError as error:
        findings = [Finding("settings", "fail", f"{error}", "Change it and ask again")]
    good = all(finding.state != "fail" for finding in findings)
    data = {"ok": good, "checks": [asdict(finding) for finding in findings]}
    return Shown(data, "\n".join(map(_line, findings)), good)


def _line(finding: Finding) -> str:
    line = f"{finding.state:<4}  {finding.check:<11}  {say.visible(finding.found)}"
    return f"{line}\n{'':19}→ {finding.advice}." if finding.advice else line
