"""The documents say what the code does: settings, dependencies, codes, routes, commands, paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from flask import Flask

from switchboard import create_app, errors
from switchboard.api import health
from switchboard.cli.root import NOUNS, root
from switchboard.config import CREDENTIAL, PREFIX, SETTINGS, read_settings
from switchboard.mcp.registry import FAMILIES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCS = {path.name: path.read_text() for path in (ROOT / "docs").glob("*.md")}
TEXTS = {
    **{f"docs/{name}": text for name, text in DOCS.items()},
    **{name: (ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md")},
}
# What a text may call by name although it exists only where the box runs.
RUN_TIME = ("instance/demo", "instance/encryption_key.old")
API_ROUTES = ("/api/", "/hooks/", "/healthz", "/readyz")


def rows(text: str) -> Iterator[str]:
    """The first cell of every table row, without its backticks."""
    yield from re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_the_readme_lists_every_setting_with_its_default_in_their_order() -> None:
    given = re.findall(rf"^\| `({PREFIX}\w+)` \| (.*?) \| ", README, re.MULTILINE)
    assert given == [(PREFIX + setting.name, setting.default) for setting in SETTINGS]


def test_no_document_names_a_setting_that_does_not_exist() -> None:
    known = {PREFIX + setting.name for setting in SETTINGS}
    known |= {name + "_FILE" for name in known if name.endswith(("_KEY", "_KEY_OLD"))}
    known.add(PREFIX + CREDENTIAL)  # what an agent's shell exports
    named = {name for text in TEXTS.values() for name in re.findall(rf"{PREFIX}[A-Z_]*[A-Z]", text)}
    assert named - known == set()


@pytest.mark.parametrize(
    ("section", "listed"),
    [("At run time", "requirements.in"), ("For development", "requirements-dev.in")],
)
def test_every_direct_dependency_has_its_reason_and_no_other(section: str, listed: str) -> None:
    lines = (ROOT / listed).read_text().splitlines()
    wanted = {line for line in lines if line and not line.startswith(("#", "-r"))}
    text = DOCS["dependencies.md"].partition(f"## {section}")[2].partition("\n## ")[0]
    assert set(rows(text)) == wanted


def test_every_direct_dependency_is_pinned_in_the_lock() -> None:
    for name in ("requirements", "requirements-dev"):
        lines = (ROOT / f"{name}.in").read_text().splitlines()
        pinned = set(re.findall(r"^([\w.-]+)==", (ROOT / f"{name}.txt").read_text(), re.M))
        wanted = {line.partition("[")[0] for line in lines if line and line[0] not in "#-"}
        assert wanted - pinned == set()


def test_no_lock_names_a_registry() -> None:
    for lock in ("requirements.txt", "requirements-dev.txt"):
        assert not re.search(r"://|--(extra-)?index|--find-links", (ROOT / lock).read_text())


def test_every_refusal_code_is_described() -> None:
    tree = (errors.__doc__ or "").partition("└── Problem")[2]
    codes = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", tree)) - {"retry_after"}
    codes |= set(re.findall(r"\d{3} ([a-z_]+)", tree))
    described = set(
        re.findall(r"`([a-z_]+)`", DOCS["api.md"] + DOCS["inbound.md"] + DOCS["mail.md"])
    )
    assert codes - described == set()
    assert len(codes) > 25


@pytest.fixture(scope="module")
def bare_app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """The application, for its routes; nothing is asked of it."""
    folder = tmp_path_factory.mktemp("docs")
    return create_app(read_settings({f"{PREFIX}DATA": str(folder), f"{PREFIX}SECRET_KEY": "docs"}))


def test_the_api_document_lists_every_json_route_and_no_other(bare_app: Flask) -> None:
    assert health.bp.name in bare_app.blueprints
    routes = {
        f"{method} {re.sub('<[^>]*>', '<>', rule.rule)}"
        for rule in bare_app.url_map.iter_rules()
        if rule.rule.startswith(API_ROUTES)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    listed = {re.sub("<[^>]*>", "<>", cell) for cell in rows(DOCS["api.md"]) if "/" in cell}
    assert listed == routes


def test_the_mcp_document_lists_every_tool_with_its_family_and_arguments() -> None:
    listed = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.*?) \|", DOCS["mcp.md"], re.MULTILINE)
    assert [(name, verb, re.findall(r"`(\w+\??)`", said)) for name, verb, said in listed] == [
        (tool.name, verb, [a if a in tool.required else f"{a}?" for a in tool.arguments])
        for verb, family in FAMILIES.items()
        for tool in family.tools
    ]


def verbs() -> Iterator[str]:
    """Every command of the command line, as `noun verb` or a word alone."""
    context = click.Context(root)
    for noun in NOUNS:
        command: Any = root.get_command(context, noun)
        if isinstance(command, click.Group):
            yield from (f"{noun} {verb}" for verb in command.commands)
        else:
            yield noun


def test_the_command_line_document_lists_every_command_and_no_other() -> None:
    known = set(verbs())
    listed = [cell for cell in rows(DOCS["cli.md"]) if cell[0].islower()]
    named = {" ".join(cell.split()[:2]) for cell in listed}
    named = {name if name in known else name.split()[0] for name in named}
    assert named == known


def test_the_command_line_document_names_only_options_that_exist() -> None:
    context = click.Context(root)
    for cell in rows(DOCS["cli.md"]):
        command: Any = root.get_command(context, cell.split()[0])
        if isinstance(command, click.Group):
            command = command.commands[cell.split()[1]]
        options = {name for each in command.params for name in each.opts} if command else set()
        assert set(re.findall(r"--[a-z][a-z-]*", cell)) - options - {"--json", "--help"} == set()


@pytest.mark.parametrize("name", TEXTS)
def test_every_path_a_document_names_exists(name: str) -> None:
    folders = "switchboard|jobs|tests|templates|migrations|docs|benchmarks|instance|\\.ci"
    alone = r"app\.py|wsgi\.py|[\w-]+\.(?:toml|yaml|in)"
    paths = re.findall(rf"`((?:{folders})/[\w./-]*|{alone})`", TEXTS[name])
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert [path for path in missing if path not in RUN_TIME] == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_of_a_document_leads_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXTS[name]):
        if "://" not in target:
            assert (ROOT / name).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_to_a_heading_finds_it(name: str) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", TEXTS[name]):
        text = (ROOT / name).parent.joinpath(target).read_text() if target else TEXTS[name]
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
        assert anchor in slugs


def test_every_document_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\(docs/([\w.-]+\.md)[)#]", README))
    assert linked == set(DOCS)


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
