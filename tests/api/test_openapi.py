"""docs/openapi.yaml is what is served: routes, codes; `tests/contract.py` holds the answers to it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import yaml
from flask import Flask

from switchboard import errors
from tests.contract import DOCUMENT, SERVED, document, path_of

METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """(method, path) → operation."""
    return {
        (method, path): operation
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }


def test_the_contract_lists_every_route_that_is_served_and_no_other(doors: Flask) -> None:
    served = {
        (method.lower(), path_of(rule.rule))
        for rule in doors.url_map.iter_rules()
        if rule.rule.startswith(SERVED)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert set(operations()) == served


def test_nothing_is_written_twice() -> None:
    # a reader of YAML takes the last of two, and what stands in the other is believed and wrong
    def twice(node: yaml.Node) -> list[str]:
        if isinstance(node, yaml.SequenceNode):
            return [each for item in node.value for each in twice(item)]
        if not isinstance(node, yaml.MappingNode):
            return []
        names = [name.value for name, _ in node.value]
        inside = [each for _, value in node.value for each in twice(value)]
        return [*{name for name in names if names.count(name) > 1}, *inside]

    written = yaml.compose(DOCUMENT.read_text(), yaml.SafeLoader)
    assert written is not None and twice(written) == []


def test_every_place_in_a_path_is_a_parameter() -> None:
    shared = document()["components"]["parameters"]
    for (_, path), operation in operations().items():
        given = [
            each.get("$ref", "").rpartition("/")[2] for each in operation.get("parameters", [])
        ]
        own = [each for each in operation.get("parameters", []) if "$ref" not in each]
        named = [shared[name] for name in given if name] + own
        places = {each["name"] for each in named if each["in"] == "path"}
        assert places == set(re.findall(r"\{(\w+)\}", path)), path


def test_every_operation_says_who_may_call_it_and_has_a_name_of_its_own() -> None:
    every = operations().values()
    assert len({each["operationId"] for each in every}) == len(every)
    schemes = set(document()["components"]["securitySchemes"])
    tags = {each["name"] for each in document()["tags"]}
    for each in every:
        assert each["summary"] and set(each["tags"]) <= tags
        assert {name for way in each["security"] for name in way} <= schemes
        assert bool(each["security"]) == (each["tags"] not in (["health"], ["senders"]))


def test_the_codes_of_each_status_are_those_of_the_tree() -> None:
    tree = (errors.__doc__ or "").partition("└── Problem")[2].partition("A class fixes")[0]
    wanted, status = defaultdict(set), 0
    for line in tree.splitlines():
        found = re.search(r"── \w+ +(\d{3}) ", line)
        status = int(found[1]) if found else status
        words = line.partition(found[0])[2] if found else line
        wanted[status] |= set(re.findall(r"[a-z_]+", re.sub(r"\(.*", "", words)))
    wanted.pop(0)
    wanted[405] = {"method_not_allowed"}  # what HTTP itself refuses is named by its phrase
    told = {}
    for said in document()["components"]["responses"].values():
        if "text/html" in said["content"]:
            continue  # the HTTP server's own
        _, narrowed = said["content"]["application/problem+json"]["schema"]["allOf"]
        told[narrowed["properties"]["status"]["const"]] = set(
            narrowed["properties"]["code"]["enum"]
        )
    of_other_doors = {"setup_closed", "unreachable"}
    assert told == {status: codes - of_other_doors for status, codes in wanted.items()}
