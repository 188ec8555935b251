"""For tests of packs: the arguments of a tool as the system that it comes from has them."""

from typing import Any, NamedTuple

from agent_tools.tool import Tool
from agent_tools.validation import InvalidArguments, parse_arguments


class Seed(NamedTuple):
    """Arguments that are needed, each with a value that will do; the others with their defaults (None: none
    is told); and one that is wrong."""

    needed: dict[str, Any]
    defaults: dict[str, Any]
    wrong: dict[str, Any]


def flaws(tool: Tool, seed: Seed) -> list[str]:
    """What the tool takes otherwise than the seed says, in words: names, which are needed, defaults; and a
    missing, an extra or a wrong argument that it takes all the same."""
    schema: Any = tool.spec.parameters
    found = []
    if set(schema.get("required", ())) != seed.needed.keys():
        found.append(f"needs {sorted(schema.get('required', ()))}")
    if schema.get("properties", {}).keys() != seed.needed.keys() | seed.defaults.keys():
        found.append(f"takes {sorted(schema.get('properties', {}))}")
    for name, default in seed.defaults.items():
        told = schema["properties"].get(name, {}).get("default")
        if told != default:
            found.append(f"{name} is {told!r} by default")
    if _takes(tool, {**seed.needed, "colour": "red"}):
        found.append("takes a colour")
    for name in seed.needed:
        if _takes(tool, {key: one for key, one in seed.needed.items() if key != name}):
            found.append(f"runs without {name}")
    for name, value in seed.wrong.items():
        if _takes(tool, {**seed.needed, name: value}):
            found.append(f"takes {value!r} as {name}")
    return found


def _takes(tool: Tool, arguments: dict[str, Any]) -> bool:
    try:
        parse_arguments(tool, arguments)
    except InvalidArguments:
        return False
    return True
