"""What models see of the core tools: names, texts, schemas and results change on purpose only.

A new tool is no change. To publish it, or a change: `FOLDLINE_WRITE_PUBLISHED=1 pytest <this file>`, and read
the difference.
"""

import json
import os
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from pydantic import TypeAdapter

from agent_contracts.tool_spec import ToolSpec
from agent_tools.tool import Pause, Tool
from tool_runner.core import discover

PUBLISHED = Path(__file__).with_name("published.json")


def test_what_models_see_of_the_tools_is_what_was_published() -> None:
    (core,) = discover(selftest=True, installed=()).packs
    by_name = {tool.spec.name: tool for tool in core.tools}
    told = [{**_said(spec), "result": result_schema(by_name[spec.name])} for spec in core.catalogue().tools]
    if os.environ.get("FOLDLINE_WRITE_PUBLISHED"):
        PUBLISHED.write_text(_text(told), encoding="utf-8")
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    names = {one["name"] for one in published}
    assert _text([one for one in told if one["name"] in names]) == _text(published)


def _said(spec: ToolSpec) -> dict[str, Any]:
    """What is told of a core tool: it is no pack's, no alias, and has one name."""
    said: dict[str, Any] = msgspec.to_builtins(spec)
    of_packs = ("pack", "as_declared", "alias_of", "for_workers")
    assert not any(said[name] for name in of_packs)
    return {name: value for name, value in said.items() if name not in of_packs}


def _text(tools: list[dict[str, Any]]) -> str:
    """In the order of the fields, which models see too."""
    return json.dumps(tools, indent=1, ensure_ascii=False) + "\n"


def result_schema(tool: Tool) -> Any:
    """The shape and the order of a result's fields, whatever its classes are called; None for a question."""
    returned = get_type_hints(tool.run)["return"]
    if returned is Pause:
        return None
    schema = TypeAdapter(returned).json_schema(mode="serialization", by_alias=True)
    return _plain(schema, schema.pop("$defs", {}))


def _plain(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    kept = {
        key: value
        for key, value in schema.items()
        if not (key in ("title", "description") and isinstance(value, str))
    }
    return {key: _plain(value, definitions) for key, value in kept.items()}
