"""Programs read an agent's files as resources and its skills as prompts, under the scope `read`."""

import base64
import io

import pytest
from mcp.shared.exceptions import MCPError

from foldline.cli.client import Gateway
from foldline_testing.product.mcp_clients import ERAS, client, mcp_token, opening
from foldline_testing.product.stack import Stack

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
FILES = {
    "notes/plan.md": b"# Plan\n\nGr\xc3\xb6\xc3\x9fe",
    "old.txt": b"caf\xe9",
    "pixel.png": PIXEL,
    "large.txt": b"x" * (2 * 1024 * 1024 + 1),
}
SKILL = {"description": "How tea is made.", "content": "Boil water. Wait.\n", "tags": []}
MODERN, LEGACY = ERAS


@pytest.fixture(scope="module")
def agent(door: Gateway) -> str:
    """An agent of these tests alone, which has these files and two skills."""
    made = str(door.post("/agents", {"name": "read by MCP"})["id"])
    sent = [(path, io.BytesIO(data)) for path, data in FILES.items()]
    door.send_files(sent, {"agent_id": made, "scope": "agent"})
    for name in ("tea", "secret-tea"):
        door.put(f"/agents/{made}/skills/{name}", SKILL)
    door.patch(f"/agents/{made}/skills/secret-tea", {"enabled": False})
    return made


@pytest.fixture(scope="module")
def token(door: Gateway, agent: str) -> str:
    return mcp_token(door, "reader", agent, ["read"])


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_files_are_resources_as_they_are_and_as_they_were(
    stack: Stack, door: Gateway, agent: str, token: str, by: str, mode: str
) -> None:
    async with opening(stack, token, by, mode) as opened:
        listed = {one.name: one for one in (await opened.list_resources()).resources}
        assert sorted(listed) == sorted(FILES)
        plan = listed["notes/plan.md"]
        assert (plan.mime_type, plan.size) == ("text/markdown", len(FILES["notes/plan.md"]))
        assert plan.annotations.last_modified
        (text,) = (await opened.read_resource(plan.uri)).contents
        assert (text.uri, text.mime_type, text.text) == (plan.uri, "text/markdown", "# Plan\n\nGröße")
        for name in ("pixel.png", "old.txt"):
            (blob,) = (await opened.read_resource(listed[name].uri)).contents
            assert base64.b64decode(blob.blob) == FILES[name], "what is no UTF-8 comes as bytes"
        (template,) = (await opened.list_resource_templates()).resource_templates
        assert template.uri_template == "foldline://files/{file_id}{?version}"
        (first,) = (await opened.read_resource(f"{plan.uri}?version=1")).contents
        assert first.text == text.text
        with pytest.raises(MCPError, match="2,097,153 bytes: at most 2,097,152 are sent"):
            await opened.read_resource(listed["large.txt"].uri)


@pytest.mark.parametrize(("mode", "code"), [(MODERN, -32602), (LEGACY, -32002)])
async def test_what_is_no_resource_of_the_agent_is_not_found(
    stack: Stack, door: Gateway, token: str, mode: str, code: int
) -> None:
    other = str(door.post("/agents", {"name": "not read by MCP"})["id"])
    stored = door.send_files([("mine.txt", io.BytesIO(b"mine"))], {"agent_id": other, "scope": "agent"})
    theirs = f"foldline://files/{stored['items'][0]['file_id']}"
    async with client(stack, token, mode) as opened:
        (one, *_) = (await opened.list_resources()).resources
        for uri in (
            theirs,
            f"{one.uri}?version=9",
            f"{one.uri}?version=99999999999999999999",
            f"{one.uri}/../x",
            "foldline://files/",
            "file:///etc/passwd",
            "x" * 5_000,
        ):
            with pytest.raises(MCPError) as refused:
                await opened.read_resource(uri)
            assert refused.value.code == code, uri[:80]
            assert refused.value.data == {"kind": "not_found", "uri": uri[:1_000]}


async def test_many_files_come_in_pages(stack: Stack, door: Gateway) -> None:
    agent = str(door.post("/agents", {"name": "many files"})["id"])
    names = [f"{number:03}.txt" for number in range(203)]
    for begin in range(0, len(names), 20):
        sent = [(name, io.BytesIO(name.encode())) for name in names[begin : begin + 20]]
        door.send_files(sent, {"agent_id": agent, "scope": "agent"})
    async with client(stack, mcp_token(door, "many", agent, ["read"])) as opened:
        found, cursor, pages = [], None, 0
        while cursor is not None or not pages:
            page = await opened.list_resources(cursor=cursor)
            found += [one.name for one in page.resources]
            cursor, pages = page.next_cursor, pages + 1
    assert (found, pages) == (names, 3)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("by", ["http", "stdio"])
async def test_skills_are_prompts(stack: Stack, token: str, by: str, mode: str) -> None:
    async with opening(stack, token, by, mode) as opened:
        listed = {one.name: one.description for one in (await opened.list_prompts()).prompts}
        assert listed["tea"] == "How tea is made."
        assert listed.keys() == {"building", "tea"}, (
            "those that every agent begins with, and not the disabled"
        )
        got = await opened.get_prompt("tea")
        assert got.description == "How tea is made."
        assert [(one.role, one.content.text) for one in got.messages] == [("user", SKILL["content"])]
        for name in ("secret-tea", "no-such", "../tea", "", "x" * 5_000):
            with pytest.raises(MCPError) as refused:
                await opened.get_prompt(name)
            assert refused.value.code == -32602, name[:80]


async def test_without_the_scope_read_there_is_nothing_to_read(
    stack: Stack, door: Gateway, agent: str, token: str
) -> None:
    async with client(stack, token) as opened:
        (one, *_) = (await opened.list_resources()).resources
    async with client(stack, mcp_token(door, "asker", agent, ["say", "tools", "fork"])) as opened:
        assert (await opened.list_resources()).resources == []
        assert (await opened.list_resource_templates()).resource_templates == []
        assert (await opened.list_prompts()).prompts == []
        with pytest.raises(MCPError):
            await opened.read_resource(one.uri)
        with pytest.raises(MCPError):
            await opened.get_prompt("tea")
