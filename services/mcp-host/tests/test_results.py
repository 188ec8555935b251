"""Results of calls that aren't as the server declared them, or as the protocol has them: the call acted."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.raw import Raw
from foldline_testing.mcp_host.world import McpWorld

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOL = {"name": "act", "description": "Acts.", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}
TEXT = [{"type": "text", "text": "done, 7"}]
UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({"content": TEXT}, "sent none"),
    "null": ({"content": TEXT, "structuredContent": None}, ""),
    "empty": ({"content": TEXT, "structuredContent": {}}, "'n' is a required property"),
    "another type": ({"content": TEXT, "structuredContent": {"n": "seven"}}, "is not of type 'integer'"),
    "a list": ({"content": TEXT, "structuredContent": [1]}, ""),
    "text": ({"content": TEXT, "structuredContent": "seven"}, ""),
    "a malformed part": (
        {"content": [*TEXT, {"type": "hologram"}, None]},
        "part 2 of its answer is malformed",
    ),
    "one part alone": ({"content": TEXT[0], "structuredContent": {"n": 7}}, ""),
    "a part that is text": ({"content": ["done, 7"], "structuredContent": {"n": 7}}, ""),
    "content that is text": ({"content": "done, 7", "structuredContent": {"n": 7}}, ""),
    "a part of no type": ({"content": [{"text": "done, 7"}], "structuredContent": {"n": 7}}, ""),
    "malformed meta": ({"content": TEXT, "structuredContent": {"n": 7}, "_meta": 5}, "'_meta' is malformed"),
}


@pytest.mark.parametrize("old", [False, True], ids=["newer", "older"])
async def test_what_came_of_a_call_that_acted_is_kept_with_a_note(world: McpWorld, old: bool) -> None:
    raw = Raw({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": TEXT}}, old=old)
    with addressed(raw, old=old) as here:
        await world.add("s", here.url)
        await world.accept("s")
        for number, (what, (result, note)) in enumerate(UNFIT.items(), 1):
            raw.results["tools/call"] = result if old else {**result, "resultType": "complete"}
            ended = await world.call("s__act")
            assert hasattr(ended, "result"), (what, ended)
            assert "done, 7" in ended.result["text"], (what, ended)
            assert note in "; ".join(ended.result.get("notes", [])), (what, ended)
            assert "repeat" not in str(ended.result)
            assert "again" not in str(ended.result)
            assert len(raw.received) == number, "it is called once"


async def test_a_declaration_that_can_not_be_used_costs_no_result(world: McpWorld) -> None:
    odd = {"type": "object", "properties": {"n": {"$ref": "https://example.org/n"}}, "required": "n"}
    raw = Raw({"tools/list": {"tools": [{**TOOL, "outputSchema": odd}]}, "tools/call": {"content": TEXT}})
    with addressed(raw) as here:
        await world.add("s", here.url)
        await world.accept("s")
        raw.results["tools/call"] = {"content": TEXT, "structuredContent": {"n": 1}}
        ended = await world.call("s__act")
        assert ended.result["text"] == "done, 7", ended
        assert "declar" in ended.result["notes"][0]


async def test_an_answer_that_is_none_has_an_unknown_outcome(world: McpWorld) -> None:
    raw = Raw({"tools/list": {"tools": [TOOL]}, "tools/call": {"resultType": "input_required"}})
    with addressed(raw) as here:
        await world.add("s", here.url)
        await world.accept("s")
        raw.results["tools/call"] = {"resultType": "input_required", "inputRequests": 5}
        ended = await world.call("s__act")
        assert ended.error.kind == ErrorKind.OUTCOME_UNKNOWN, ended
        assert "find out before you repeat it" in ended.error.message
