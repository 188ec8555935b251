"""Own tools that a person exposes as prompts and as resources, for programs that use the agent by MCP."""

import base64
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.mcp_clients import ERAS, client, mcp_token, opening
from foldline_testing.product.stack import Stack

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
CITY = {"type": "string", "description": "Where.", "enum": ["Oslo", "Osaka", "Bergen"]}
TOOLS: dict[str, tuple[dict[str, Any], str]] = {
    "review": (
        {"city": CITY, "days": {"type": "integer"}},
        "return `Review ${args.city} for ${args.days + 1} days.`",
    ),
    "chat": (
        {},
        """
const said = (role, text) => ({ role, content: { type: 'text', text } })
return { messages: [said('user', 'Hello'), said('assistant', 'Yes?'), said('user', 'Go on')] }""",
    ),
    "look": (
        {},
        f"""
const picture = {{ type: 'image', data: '{PIXEL}', mimeType: 'image/png' }}
return {{ content: [picture, {{ type: 'text', text: 'What is it?' }}] }}""",
    ),
    "weather": ({"city": CITY}, "return { city: args.city, degrees: 12 }"),
    "motto": ({}, "return 'Small and whole.'"),
    "badge": ({}, f"return {{ contents: [{{ blob: '{PIXEL}', mimeType: 'image/png' }}] }}"),
    "broken": ({}, "throw new Error('no such luck')"),
    "plain": (
        {},
        """
for (const done of [0, 1, 1, 2]) await progress(done, 2, `step ${done}`)
return 1""",
    ),
    "sends": ({}, "return (await fetch('https://example.org/', { method: 'POST', body: 'x' })).status"),
}
OFFERED_AS = {
    **dict.fromkeys(("review", "chat", "look", "broken"), "prompt"),
    "weather": "weather://{city}/now",
    "motto": "motto://today",
    "badge": "badge://small",
    "sends": "sends://{what}",
}
MODERN, LEGACY = ERAS


@pytest.fixture(scope="module")
def agent(door: Gateway) -> str:
    """An agent of these tests alone, whose tools are exposed so."""
    made = str(door.post("/agents", {"name": "offers by MCP"})["id"])
    for name, (properties, code) in TOOLS.items():
        schema = {"type": "object", "properties": properties, "required": ["city"] if properties else []}
        tool = {"description": f"The {name}.", "parameter_schema": schema, "code": code}
        door.put(f"/agents/{made}/tools/{name}", tool)
    door.put(f"/agents/{made}/exposed-tools", {"names": [*TOOLS], "offered_as": OFFERED_AS})
    return made


@pytest.fixture(scope="module")
def token(door: Gateway, agent: str) -> str:
    return mcp_token(door, "offered", agent, ["tools"])


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_own_tools_are_prompts_with_their_arguments(
    stack: Stack, token: str, by: str, mode: str
) -> None:
    async with opening(stack, token, by, mode) as opened:
        listed = {one.name: one for one in (await opened.list_prompts()).prompts}
        assert [*listed] == ["broken", "chat", "look", "review"]
        assert [(one.name, one.description, one.required) for one in listed["review"].arguments] == [
            ("city", "Where.", True),
            ("days", None, False),
        ]
        assert {one.name for one in (await opened.list_tools()).tools} == {"plain"}, "only as what it is"
        said = await opened.get_prompt("review", {"city": "Oslo", "days": "2"})
        assert said.description == "The review."
        assert [(one.role, one.content.text) for one in said.messages] == [
            ("user", "Review Oslo for 3 days.")
        ]
        roles = [one.role for one in (await opened.get_prompt("chat")).messages]
        assert roles == ["user", "assistant", "user"]
        picture, words = (one.content for one in (await opened.get_prompt("look")).messages)
        assert (picture.type, picture.data, words.text) == ("image", PIXEL, "What is it?")


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_own_tools_are_resources_at_their_addresses(
    stack: Stack, token: str, by: str, mode: str
) -> None:
    async with opening(stack, token, by, mode) as opened:
        assert {one.uri: one.name for one in (await opened.list_resources()).resources} == {
            "motto://today": "motto",
            "badge://small": "badge",
        }
        templates = (await opened.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["sends://{what}", "weather://{city}/now"]
        (text,) = (await opened.read_resource("motto://today")).contents
        assert (text.uri, text.mime_type, text.text) == ("motto://today", "text/plain", "Small and whole.")
        (blob,) = (await opened.read_resource("badge://small")).contents
        assert (blob.mime_type, base64.b64decode(blob.blob)[:4]) == ("image/png", b"\x89PNG")
        (data,) = (await opened.read_resource("weather://Oslo/now")).contents
        assert (data.mime_type, data.text) == ("application/json", '{"city":"Oslo","degrees":12}')


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_what_goes_wrong_has_the_code_of_the_clients_era_by_http_and_by_stdio(
    stack: Stack, token: str, by: str, mode: str
) -> None:
    wrong, absent = types.INVALID_PARAMS, -32002 if mode == LEGACY else types.INVALID_PARAMS
    async with opening(stack, token, by, mode) as opened:
        cases: list[tuple[Callable[[], Awaitable[object]], int, str | None]] = [
            (lambda: opened.read_resource("motto://tomorrow"), absent, "not_found"),
            (lambda: opened.read_resource("foldline://files/f_none"), absent, "not_found"),
            (lambda: opened.read_resource("weather://Rome/now"), wrong, "invalid_request"),
            (lambda: opened.read_resource("sends://it"), wrong, "approval_needed"),
            (lambda: opened.get_prompt("broken"), types.INTERNAL_ERROR, "code_failed"),
            (lambda: opened.get_prompt("review"), wrong, "invalid_request"),
            (lambda: opened.get_prompt("plain"), wrong, "not_found"),
            (lambda: opened.call_tool("motto", {}), wrong, None),
        ]
        for asked, code, kind in cases:
            with pytest.raises(MCPError) as refused:
                await asked()
            assert (refused.value.code, (refused.value.data or {}).get("kind")) == (code, kind), kind


@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_what_can_be_chosen_completes_an_argument(
    stack: Stack, door: Gateway, agent: str, token: str, by: str
) -> None:
    async with opening(stack, token, by, LEGACY) as opened:
        prompt = types.PromptReference(name="review")
        template = types.ResourceTemplateReference(uri="weather://{city}/now")
        for ref in (prompt, template):
            found = (await opened.complete(ref, {"name": "city", "value": "os"})).completion
            assert (found.values, found.total, found.has_more) == (["Oslo", "Osaka"], 2, False)
        assert (await opened.complete(prompt, {"name": "days", "value": "1"})).completion.values == []
        for unknown in (
            types.PromptReference(name="nothing"),
            types.ResourceTemplateReference(uri="foldline://files/{file_id}{?version}"),
        ):
            with pytest.raises(MCPError):
                await opened.complete(unknown, {"name": "file_id", "value": ""})


async def test_files_and_their_versions_complete_the_address_of_one(
    stack: Stack, door: Gateway, agent: str
) -> None:
    for text in ("one", "two"):
        kept = door.send_files(
            [("notes/plan.md", io.BytesIO(text.encode()))], {"agent_id": agent, "scope": "agent"}
        )
    file_id = kept["items"][0]["file_id"]
    ref = types.ResourceTemplateReference(uri="foldline://files/{file_id}{?version}")
    async with client(stack, mcp_token(door, "completes", agent, ["read"])) as opened:
        for typed in ("notes/", file_id[:6]):
            found = await opened.complete(ref, {"name": "file_id", "value": typed})
            assert found.completion.values == [file_id]
        versions = await opened.complete(ref, {"name": "version", "value": ""}, {"file_id": file_id})
        assert versions.completion.values == ["2", "1"]
        with pytest.raises(MCPError):
            await opened.complete(ref, {"name": "version", "value": ""}, {"file_id": "f_none"})


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_an_own_tool_tells_how_far_it_is_while_it_runs(
    stack: Stack, token: str, by: str, mode: str
) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with opening(stack, token, by, mode) as opened:
        assert (await opened.call_tool("plain", {}, progress_callback=progress)).structured_content
    assert told == [(0, 2, "step 0"), (1, 2, "step 1"), (2, 2, "step 2")], "each is more than the one before"


async def test_without_the_scope_tools_nothing_of_it_is_offered(
    stack: Stack, door: Gateway, agent: str
) -> None:
    async with client(stack, mcp_token(door, "only-reads", agent, ["read"])) as opened:
        names = {one.name for one in (await opened.list_prompts()).prompts}
        assert names.isdisjoint(TOOLS)
        with pytest.raises(MCPError):
            await opened.get_prompt("review", {"city": "Oslo"})
        with pytest.raises(MCPError):
            await opened.read_resource("motto://today")


def test_the_command_line_exposes_a_tool_as_something_else(
    stack: Stack, door: Gateway, tmp_path: Path
) -> None:
    made = str(door.post("/agents", {"name": "offers by hand"})["id"])
    for name in ("one", "two"):
        tool = {"description": "One.", "parameter_schema": {"type": "object"}, "code": "return 1"}
        door.put(f"/agents/{made}/tools/{name}", tool)
    foldline = Command(stack.data_dir, tmp_path)
    of = ("--agent", made)
    assert foldline("tools", "expose", "one", "--as", "prompt", *of).code == 0
    told = foldline("tools", "expose", "two", "--as", "two://{n}", "--json", *of).json
    assert told["offered_as"] == {"one": "prompt", "two": "two://{n}"}
    assert "exposed at two://{n}" in foldline("tools", *of).out
    assert foldline("tools", "hide", "two", "--json", *of).json["offered_as"] == {"one": "prompt"}
    assert foldline("tools", "expose", "one", "--json", *of).json["offered_as"] == {}, "as a tool again"
    refused = foldline("tools", "expose", "two", "--as", "nonsense", *of)
    assert (refused.code, "weather://{city}" in refused.err) == (1, True)
