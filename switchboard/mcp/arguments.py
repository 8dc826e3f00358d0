"""Checking a tool's arguments by its own JSON Schema, in sentences that quote no value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from switchboard.errors import Invalid
from switchboard.lib.text import one_line
from switchboard.mcp.tools import Tool


def _is_whole(_: Any, value: Any) -> bool:
    """JSON Schema calls 1.0 an integer too; a column does not."""
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


@cache
def _validator(tool: Tool) -> Any:
    return _Validator(tool.schema)


def check(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, those that are null left out. Raises Invalid naming the first that is wrong."""
    kept = {name: value for name, value in given.items() if value is not None}
    for error in _validator(tool).iter_errors(kept):
        raise _refusal(error)
    for name, value in kept.items():
        if _holds_nul(value):
            raise Invalid(f"{name}: holds a NUL character.", field=name)
    return kept


def _refusal(error: ValidationError) -> Invalid:
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return Invalid(f"{missing}: is missing.", field=missing)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        strange = one_line(next(name for name in error.instance if name not in known), 40)
        names = ", ".join(known) or "none"
        return Invalid(f"{strange}: is not an argument; there are {names}.", field=strange)
    field = str(error.absolute_path[0])
    return Invalid(f"{field}: {_wanted(error.schema, str(error.validator))}.", field=field)


_TYPES = {
    "string": "is text",
    "integer": "is a whole number",
    "number": "is a number",
    "boolean": "is true or false",
    "array": "is a list",
    "object": "is an object",
}


def _wanted(schema: Mapping[str, Any], keyword: str) -> str:
    """What the schema wants of a value that broke this keyword."""
    if keyword in ("minimum", "maximum"):
        most = f" to {schema['maximum']}" if "maximum" in schema else " up"
        return f"is from {schema['minimum']}{most}"
    if keyword == "maxLength":
        return f"has at most {schema['maxLength']} characters"
    if keyword == "maxItems":
        return f"has at most {schema['maxItems']} entries"
    if keyword == "enum":
        return f"is one of {', '.join(schema['enum'])}"
    return _TYPES[schema["type"]]


def _holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_holds_nul(key) or _holds_nul(each) for key, each in value.items())
    return isinstance(value, list) and any(map(_holds_nul, value))
