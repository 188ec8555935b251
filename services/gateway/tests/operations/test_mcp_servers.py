"""Foreign servers of tools as people write them: checked, bounded, and with a way back."""

from typing import Any

import msgspec
import pytest

from agent_contracts.api.mcp import AllowMcpServer, McpServerOfAgent
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import MOST_SERVERS, Http, McpServer, Stdio
from agent_contracts.errors import Failure, Permanent, Rejected
from agent_contracts.event_sources import RUNNER, Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.things import ThingKey
from gateway.operations.idempotency import asked

NOTES: dict[str, Json] = {"kind": "stdio", "command": "notes-server", "args": ["--read-only"]}
AWAY: dict[str, Json] = {
    "kind": "http",
    "url": "https://mcp.example.org/mcp",
    "headers": {"Authorization": "Bearer {{secret:TOKEN}}"},
}


@pytest.fixture
async def world(memory: InMemory) -> InMemory:
    await memory.operations.agents.make_default()
    return memory


async def put(
    memory: InMemory, name: str, transport: Json, version: int | None = None, **more: Json
) -> McpServerOfAgent:
    server = msgspec.convert({"transport": transport, **more}, McpServer)
    return await memory.operations.mcp_servers.write(DEFAULT_AGENT, name, server, version, asked())


async def names(memory: InMemory) -> list[str]:
    return [one.name for one in (await memory.operations.mcp_servers.listed(DEFAULT_AGENT)).items]


async def test_a_server_has_versions_goes_back_and_is_forgotten(world: InMemory) -> None:
    servers = world.operations.mcp_servers
    first = await put(world, "notes", NOTES, 0)
    assert (first.version, first.actor, first.enabled, first.timeout_s) == (1, "user", True, 30)
    assert (await put(world, "notes", NOTES)).version == 1, "the same again"
    second = await put(world, "notes", AWAY, 1, enabled=False, timeout_s=5)
    assert (second.version, type(second.transport), second.enabled) == (2, Http, False)
    assert (
        await servers.read(ThingKey(DEFAULT_AGENT, "notes"), first.sequence)
    ).transport == msgspec.convert(NOTES, Stdio)
    back = await servers.revert(ThingKey(DEFAULT_AGENT, "notes"), VersionTarget(version=1), asked())
    assert (back.version, back.transport) == (3, first.transport)
    listed = await servers.versions(ThingKey(DEFAULT_AGENT, "notes"), None, 10)
    assert [one.version for one in listed.items] == [3, 2, 1]
    assert (await servers.delete(ThingKey(DEFAULT_AGENT, "notes"), asked())).deleted is True
    assert (await servers.delete(ThingKey(DEFAULT_AGENT, "notes"), asked())).deleted is False
    assert await names(world) == []
    with pytest.raises(Rejected, match="no MCP server named notes"):
        await servers.read(ThingKey(DEFAULT_AGENT, "notes"))


async def test_who_writes_an_older_version_is_told_so(world: InMemory) -> None:
    await put(world, "notes", NOTES)
    with pytest.raises(Failure, match="version 1, not 0"):
        await put(world, "notes", AWAY, 0)


async def test_what_an_agent_writes_is_no_server(world: InMemory) -> None:
    key = EntityKey(DEFAULT_AGENT, EntityKind.MCP_SERVER, "mine")
    by_agent = EntityWriter("w1", Actor.AGENT, SessionId("s_one"), CallId("c"))
    runners = Entities(world.log, SystemClock(), RUNNER)
    with pytest.raises(Permanent, match="only /gateway for user"):
        await runners.write(key, {"transport": NOTES}, by_agent)
    assert await names(world) == []


@pytest.mark.parametrize(
    ("transport", "words"),
    [
        ({"kind": "stdio", "command": "a\nb"}, "command can't be this: character 2 of 3 is U+000A"),
        ({"kind": "stdio", "command": "\u200b"}, "The command is empty"),
        (
            {"kind": "stdio", "command": "a", "cwd": "/a\u00a0b"},
            "cwd can't be this: character 3 of 4",
        ),
        (
            {"kind": "stdio", "command": "a", "args": ["x", "a\u200bb"]},
            "Argument 2 can't be this: char",
        ),
        ({"kind": "stdio", "command": "a", "env": {"A": "1\n2\u202e3"}}, "character 4 of 5 is U+202E (RIGHT"),
        (
            {"kind": "stdio", "command": "a", "env": {"A": "1\x1b"}},
            "variable A can't be this: char",
        ),
        ({"kind": "stdio", "command": "a", "env": {"A": "1", " A": "2"}}, "variable is there twice"),
        ({"kind": "stdio", "command": "a", "cwd": "../up"}, "from the root"),
        (
            {"kind": "stdio", "command": "a", "args": ["--token={{secret:TOKEN}}"]},
            "variable or a header alone",
        ),
        ({"kind": "stdio", "command": "a", "env": {"A B": "x"}}, "name of a variable"),
        ({"kind": "stdio", "command": "a", "env": {"API_KEY": "canary-0123456789"}}, "looks like a secret"),
        ({"kind": "stdio", "command": "a", "env": {"A": "{{secret:lower}}"}}, "in capitals"),
        ({"kind": "http", "url": "ftp://example.org"}, "https:// or http://"),
        ({"kind": "http", "url": "https://"}, "names a host"),
        ({"kind": "http", "url": "https://me:canary-0123456789@example.org/"}, "holds no password"),
        ({"kind": "http", "url": "https://example.org:99999/"}, "can't be read"),
        ({"kind": "http", "url": "https://example.org/#part"}, "after #"),
        ({"kind": "http", "url": "https://a.org", "headers": {"Host": "b.org"}}, "by Foldline itself"),
        ({"kind": "http", "url": "https://a.org", "headers": {"Mcp-Session-Id": "1"}}, "by Foldline itself"),
        (
            {"kind": "http", "url": "https://a.org", "headers": {"X-A": "1\r\nX-B: 2"}},
            "character 2 of 9 is U+000D",
        ),
        (
            {"kind": "http", "url": "https://a.org", "headers": {"X-A": "it’s"}},
            "X-A can't be this: character 3 of 4 is U+2019",
        ),
        ({"kind": "http", "url": "https://a.org", "headers": {"X-A": "ключ"}}, "character 1 of 4 is U+043A"),
        (
            {"kind": "http", "url": "https://a.org/“x”"},
            "The address can't be this: character 15 of 17 is U+201C",
        ),
        (
            {"kind": "http", "url": "https://a.org", "client_id": "a“b"},
            "client_id can't be this: character 2 of 3 is U+201C",
        ),
        ({"kind": "http", "url": "https://a.org", "headers": {"X-A": "1", " X-A": "2"}}, "there twice"),
        ({"kind": "http", "url": "https://a.org", "headers": {"X-A": "1", "x-a": "2"}}, "there twice"),
        ({"kind": "http", "url": "https://a.org", "headers": {"Cookie": "canary-0123456789"}}, "a secret"),
    ],
)
async def test_what_can_be_no_server_is_refused_without_repeating_a_secret(
    world: InMemory, transport: Json, words: str
) -> None:
    with pytest.raises(Rejected) as refusal:
        await put(world, "one", transport)
    assert words in refusal.value.message
    assert "canary" not in refusal.value.message
    assert await names(world) == []


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_TOKENS", "4096"), ("AUTHOR", "Somebody Else"), ("KEY", "")]
)
async def test_what_is_no_secret_may_be_written(world: InMemory, name: str, value: str) -> None:
    await put(world, "one", {"kind": "stdio", "command": "a", "env": {name: value}})
    assert await names(world) == ["one"]


async def test_what_copying_adds_is_taken_from_a_program_and_its_variables(world: InMemory) -> None:
    env: dict[str, Json] = {"\u200bMODE": " fa\u200bst\n", "LINES": " one\n\ttwo\ufeff\n"}
    program: dict[str, Json] = {"kind": "stdio", "command": " a\ufeff\n", "cwd": "/b\u200b ", "env": env}
    kept = (await put(world, "one", program)).transport
    assert isinstance(kept, Stdio)
    assert (kept.command, kept.cwd) == ("a", "/b")
    assert kept.env == {"MODE": "fast", "LINES": " one\n\ttwo\n"}


async def test_what_copying_adds_is_taken_from_an_address_and_its_headers(world: InMemory) -> None:
    transport: dict[str, Json] = {
        "kind": "http",
        "url": "\ufeffhttps://a.org/mcp\n",
        "client_id": " me\u200b",
        "headers": {"X-Team\u200b": " blue \r\n", "Authorization": "Bearer {{secret:TOKEN}}\n"},
    }
    kept = (await put(world, "one", transport)).transport
    assert isinstance(kept, Http)
    assert (kept.url, kept.client_id) == ("https://a.org/mcp", "me")
    assert kept.headers == {"X-Team": "blue", "Authorization": "Bearer {{secret:TOKEN}}"}


@pytest.mark.parametrize("name", ["", "a__b", "-a", "a b", "a.b", "ä", "a" * 33])
async def test_a_servers_name_can_stand_before_that_of_a_tool(world: InMemory, name: str) -> None:
    with pytest.raises(Rejected, match="can't be a server's name"):
        await put(world, name, NOTES)


async def test_an_agent_has_so_many_servers_and_no_more(world: InMemory) -> None:
    for number in range(MOST_SERVERS):
        await put(world, f"s{number}", NOTES)
    with pytest.raises(Rejected, match="at most 20"):
        await put(world, "one-more", NOTES)
    assert (await put(world, "s0", AWAY)).version == 2, "those that there are can be changed"
    with pytest.raises(Rejected, match="at most 20"):
        await take(world, {"more": {"command": "a"}})
    await world.operations.mcp_servers.delete(ThingKey(DEFAULT_AGENT, "s1"), asked())
    await put(world, "one-more", NOTES)
    with pytest.raises(Rejected, match="at most 20"):
        await world.operations.mcp_servers.revert(
            ThingKey(DEFAULT_AGENT, "s1"), VersionTarget(version=1), asked()
        )


async def take(memory: InMemory, entries: dict[str, dict[str, Any]], replace: bool = False) -> list[str]:
    told = await memory.operations.mcp_servers.take(DEFAULT_AGENT, entries, replace, asked())
    return told.left_out


async def test_what_other_programs_keep_can_be_imported(world: InMemory) -> None:
    left_out = await take(
        world,
        {
            "files": {"command": "npx", "args": ["-y", "files"], "disabled": True, "autoApprove": ["read"]},
            "Far_Away": {"type": "streamable-http", "url": "https://mcp.example.org/mcp"},
        },
    )
    assert left_out == ["files.autoApprove"]
    far, files = (await world.operations.mcp_servers.listed(DEFAULT_AGENT)).items
    assert (far.name, type(far.transport), far.enabled) == ("Far_Away", Http, True)
    assert (files.transport, files.enabled) == (Stdio("npx", ("-y", "files")), False)


async def test_a_person_allows_a_server_to_have_models_asked_and_takes_it_back(world: InMemory) -> None:
    servers = world.operations.mcp_servers

    async def allowed() -> bool:
        return (await servers.read(ThingKey(DEFAULT_AGENT, "notes"))).sampling

    server = msgspec.convert({"transport": NOTES}, McpServer)
    await servers.write(DEFAULT_AGENT, "notes", server, None, asked())
    assert not await allowed(), "nobody said so"
    yes, no = AllowMcpServer(sampling=True), AllowMcpServer(sampling=False)
    assert (await servers.allow(DEFAULT_AGENT, "notes", yes, asked())).version == 2
    assert (await servers.allow(DEFAULT_AGENT, "notes", AllowMcpServer(private=True), asked())).sampling
    await servers.revert(ThingKey(DEFAULT_AGENT, "notes"), VersionTarget(version=1), asked())
    assert not await allowed()
    await servers.write(DEFAULT_AGENT, "notes", msgspec.structs.replace(server, sampling=True), None, asked())
    assert await allowed()
    assert not (await servers.allow(DEFAULT_AGENT, "notes", no, asked())).sampling
    await take(world, {"notes": {"command": "other", "sampling": True}}, replace=True)
    assert await allowed()
    with pytest.raises(Rejected, match="can't be used"):
        await take(world, {"more": {"command": "a", "sampling": "yes"}})


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"type": "sse", "url": "https://a.org/sse"}, "streamable HTTP"),
        ({}, "a command, or a url"),
        ({"command": "a", "url": "https://a.org"}, "not both"),
        ({"command": ["a"]}, "can't be used"),
        ({"command": "a", "disabled": "yes"}, "true or false"),
        ({"command": "a", "env": {"GITHUB_TOKEN": "canary-0123456789"}}, "looks like a secret"),
    ],
)
async def test_of_an_import_all_or_nothing_is_kept(
    world: InMemory, entry: dict[str, Any], words: str
) -> None:
    with pytest.raises(Rejected) as refusal:
        await take(world, {"fine": {"command": "a"}, "other": entry})
    assert words in refusal.value.message
    assert "'other'" in refusal.value.message
    assert "canary" not in refusal.value.message
    assert await names(world) == []


async def test_an_import_takes_no_servers_place_unasked(world: InMemory) -> None:
    await put(world, "notes", NOTES)
    other = {"notes": {"command": "other"}, "more": {"command": "a"}}
    with pytest.raises(Rejected, match="other servers of these names: notes"):
        await take(world, other)
    assert await names(world) == ["notes"]
    await take(world, other, replace=True)
    await take(world, other)
    assert await names(world) == ["more", "notes"]


async def test_a_client_that_was_registered_by_hand_names_its_secret_and_holds_none(world: InMemory) -> None:
    far: dict[str, Json] = {"kind": "http", "url": "https://mcp.example.org/mcp", "client_id": "ours"}
    kept = await put(world, "far", {**far, "client_secret": "{{secret:CLIENT}}"})
    assert msgspec.to_builtins(kept.transport)["client_secret"] == "{{secret:CLIENT}}"
    for wrong in ("hunter2hunter2", "Bearer {{secret:CLIENT}}", "{{secret:client}}"):
        with pytest.raises(Rejected) as refused:
            await put(world, "far", {**far, "client_secret": wrong})
        assert refused.value.path == "/transport/client_secret"
        assert "hunter2" not in refused.value.message
    with pytest.raises(Rejected):
        await put(world, "far", {**far, "client_id": "", "client_secret": "{{secret:CLIENT}}"})
    with pytest.raises(Rejected):
        await put(world, "far", {**far, "client_id": "a\nb"})


async def test_a_program_logs_in_by_a_client_and_its_secret_alone(world: InMemory) -> None:
    far: dict[str, Json] = {"kind": "http", "url": "https://mcp.example.org/mcp", "client_id": "ours"}
    alone: dict[str, Json] = {**far, "grant": "client_credentials"}
    with pytest.raises(Rejected) as refused:
        await put(world, "far", alone)
    assert refused.value.path == "/transport/grant"
    kept = await put(world, "far", {**alone, "client_secret": "{{secret:CLIENT}}"})
    assert msgspec.to_builtins(kept.transport)["grant"] == "client_credentials"
