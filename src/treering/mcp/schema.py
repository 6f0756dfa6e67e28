"""The JSON schema of a tool: flat, with no unions, no references and no defaults that say nothing,
because some clients give up a whole session over one of those."""

from typing import Any

from treering.actions.verbs.verb import Kind, Parameter, Verb

_TYPES: dict[Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
    "map": {"type": "object"},
}


def schema_of(verb: Verb) -> dict[str, Any]:
    """What a client is told that the tool takes."""
    parameters = verb.parameters_of("mcp")
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in parameters},
    }
    if required := [parameter.name for parameter in parameters if parameter.is_required]:
        schema["required"] = required
    return schema | {"additionalProperties": False}


def _property(parameter: Parameter) -> dict[str, Any]:
    described = _TYPES[parameter.kind] | {"description": parameter.help}
    if parameter.choices:
        described["enum"] = list(parameter.choices)
    if parameter.has_default:
        described["default"] = parameter.default
    return described
