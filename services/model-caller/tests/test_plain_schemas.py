"""Servers that read only a part of JSON Schema, as Gemini's, are asked with simpler schemas of tools."""

import json
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import ADAPTATIONS_KIND, ModelAdaptations
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.servers import Asked, refused
from foldline_testing.model_caller.ways import Way
from model_caller.providers.adapting.schemas import plain_schema

RICH: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number", "exclusiveMinimum": 0}}}},
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "at"],
    "properties": {
        "kind": {"const": "a"},
        "at": {"$ref": "#/$defs/point", "description": "where"},
        "many": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "any": {"type": ["string", "null"], "format": "uuid", "default": None},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer", "enum": [1, 2]}]},
    },
}
PLAIN = {
    "type": "object",
    "required": ["kind", "at"],
    "properties": {
        "kind": {"type": "string", "enum": ["a"]},
        "at": {"description": "where", "type": "object", "properties": {"x": {"type": "number"}}},
        "many": {"type": "array", "items": {"type": "integer"}},
        "any": {"type": "string"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
}
TOOL = ToolSpec("rich", "Rich.", RICH, "sums", Effect.PURE, RunsOn.TOOLS, always_sent=True)
GEMINIS = (
    'Invalid JSON payload received. Unknown name "additionalProperties" at '
    "'tools[0].function_declarations[0].parameters': Cannot find field."
)


def test_what_is_left_says_the_same_in_fewer_words() -> None:
    assert plain_schema(RICH, RICH) == PLAIN
    assert plain_schema(PLAIN, PLAIN) == PLAIN
    itself = {"type": "object", "properties": {"again": {"$ref": "#/$defs/me"}}}
    assert json.dumps(plain_schema(itself, {"$defs": {"me": itself}})), "it ends"


@pytest.mark.parametrize("way", ["openai", "anthropic"], indirect=True)
@pytest.mark.parametrize(
    "body",
    [
        [{"error": {"code": 400, "message": GEMINIS, "status": "INVALID_ARGUMENT"}}],
        {"error": {"message": "tools.0.function.parameters: keyword additionalProperties is not supported"}},
        {"error": {"message": "Unsupported JSON schema in tool rich: $ref"}},
    ],
)
async def test_a_refused_schema_is_sent_in_plain_words_and_that_is_remembered(way: Way, body: Any) -> None:
    def answer(asked: Asked) -> list[bytes]:
        if "additionalProperties" in json.dumps(asked.body["tools"]):
            return [refused(400, body)]
        return [way.says(way.speech.text("Well."))]

    async with way.chat(answer, tools=(TOOL,)) as (conversation, seen):
        await conversation.say("hello")
        assert "Well." in str((await conversation.answers())[-1])
        [entity] = await conversation.entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND)
        known = msgspec.convert(entity.value, ModelAdaptations)
        assert [one.label for one in known.learned] == ["plain_schemas"]
        assert len(seen) == 2
        await conversation.say("again")
        assert len(seen) == 3, "it is known now"
        assert "rich" in json.dumps(seen[-1].body["tools"])
