"""docs/openapi.yaml as a judge of what is said: `world.agent` and `world.operator` ask it every time.

It is read strictly here: what it does not name, nobody may send or answer.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from flask import Flask
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

DOCUMENT = Path(__file__).parents[1] / "docs" / "openapi.yaml"
SERVED = ("/api/", "/hooks/", "/healthz", "/readyz")


@cache
def document() -> dict[str, Any]:
    """The contract as written."""
    return yaml.load(DOCUMENT.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def path_of(rule: str) -> str:
    """Flask's rule as the contract writes it."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def check(app: Flask, method: str, path: str, body: Any, answer: TestResponse) -> None:
    """Fail unless the contract knows this call's body (if it was taken) and this answer to it."""
    where = path.partition("?")[0]
    try:
        rule, _ = app.url_map.bind("localhost").match(where, method, return_rule=True)
    except HTTPException:
        return  # no call of the API
    operation = document()["paths"][path_of(rule.rule)][method.lower()]
    said = operation["responses"].get(str(answer.status_code))
    assert said, f"{method} {rule.rule} answered {answer.status_code}, which the contract omits"
    said = _resolved(said)
    if answer.mimetype in said.get("content", {}):
        _fits(said["content"][answer.mimetype]["schema"], answer.json, "the answer")
    else:
        assert not answer.data, f"{answer.mimetype} is not what the contract says"
    if answer.status_code < 300 and body is not None and "requestBody" in operation:
        _fits(operation["requestBody"]["content"]["application/json"]["schema"], body, "the body")


def _resolved(said: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in said:
        return document()["components"]["responses"][said["$ref"].rpartition("/")[2]]
    return said


def _fits(schema: dict[str, Any], value: Any, what: str) -> None:
    wrong = best_match(_validator(schema).iter_errors(value))
    where = "" if wrong is None else ".".join(map(str, wrong.absolute_path))
    assert wrong is None, f"{what} is not in the contract: {where}: {wrong.message[:300]}"


_VALIDATORS: dict[int, Draft202012Validator] = {}


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    # by identity, as the document lives as long as this does
    if id(schema) not in _VALIDATORS:
        whole = {**_strict(schema), "components": _components()}
        _VALIDATORS[id(schema)] = Draft202012Validator(whole)
    return _VALIDATORS[id(schema)]


@cache
def _components() -> dict[str, Any]:
    return {"schemas": _strict(document()["components"]["schemas"])}


def _strict(schema: Any) -> Any:
    """The same, but that an object has no properties beside those it lists."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: _strict(value) for name, value in schema.items()}
    if "properties" in schema and schema.get("type") in ("object", ["object", "null"]):
        strict.setdefault("additionalProperties", False)
    return strict
