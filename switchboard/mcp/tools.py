"""What a tool and a family of tools are. An agent reads every text in them, and little else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from switchboard.mcp.caller import Caller

Schema = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool. `run` takes the caller and the checked arguments by name, and raises Problems.

    `arguments` are JSON Schemas by name, of which `required` must be given. The hints are MCP's tool
    annotations: `repeatable` is its `idempotentHint`, `open_world` says that it reaches beyond the box.
    """

    name: str
    title: str
    description: str
    run: Callable[..., Result]
    arguments: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = False
    repeatable: bool = False
    open_world: bool = False

    @property
    def schema(self) -> Schema:
        """The JSON Schema of its arguments."""
        schema: Schema = {"type": "object", "properties": dict(self.arguments)}
        if self.required:
            schema["required"] = list(self.required)
        return schema | {"additionalProperties": False}

    def __call__(self, by: Caller, given: Mapping[str, Any]) -> Result:
        """Run it with arguments that fit its schema."""
        return self.run(by, **given)


@dataclass(frozen=True)
class Family:
    """The tools that one grant gives, and the sentences about them in the instructions."""

    tools: tuple[Tool, ...]
    instructions: str


def as_agent(service: Callable[..., Result]) -> Callable[..., Result]:
    """A `run` that hands its arguments to a service function of the verticals, unchanged."""
    return lambda by, **given: service(by.lib, by.agent, **given)
