"""protoAgent's tools that reach others, as its documentation has them, by table.

The rest is `test_seed.py`'s. GitHub, Discord and the delegates are recorded; a coding agent really runs
in the workspace.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.delegates import DELEGATES_KIND, DELEGATES_NAME, Delegate
from agent_contracts.event_sources import GATEWAY
from agent_contracts.tool_spec import RunsOn
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.registry import PACKS, Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.fakes import NamedDelegates
from foldline_testing.agent_tools.seeds import Run, Seed, flaws
from foldline_testing.agent_tools.world import AGENT, PackWorld
from foldline_testing.egress.web import answered
from foldline_testing.workspace_host.world import shell_world
from workspace_host.host_tools import discover

OUTSIDE = ("github", "discord", "delegates")
CODER = (Path(__file__).parent / "coders" / "coder.py").read_bytes()
DELEGATES = (
    Delegate("scout", "a2a", "https://scout.test/a2a", "Looks things up"),
    Delegate("coder", "acp", command="python3 coder.py edits"),
)
ISSUE = {
    "number": 7, "title": "It leaks", "state": "open", "user": {"login": "ada"}, "comments": 2,
    "labels": [{"name": "bug"}], "html_url": "https://github.com/o/r/issues/7", "body": "Since Monday.",
}  # fmt: skip
PR = ISSUE | {"merged": True, "base": {"ref": "main"}, "head": {"ref": "mend"}, "additions": 3,
              "deletions": 1, "changed_files": 2, "html_url": "https://github.com/o/r/pull/7"}  # fmt: skip
MESSAGE = {
    "id": "2",
    "timestamp": "2026-05-01T10:00:00+00:00",
    "author": {"username": "ada"},
    "content": "Hi",
}
REPLY = {
    "jsonrpc": "2.0",
    "id": "1",
    "result": {"kind": "message", "parts": [{"kind": "text", "text": "Oslo"}]},
}


def says(document: Any) -> bytes:
    """An answer of JSON."""
    return answered(json.dumps(document).encode(), "Content-Type: application/json")


ANSWERS = {
    "github_get_pr": says(PR),
    "github_get_issue": says(ISSUE),
    "github_list_issues": says([ISSUE]),
    "github_get_commit_diff": answered(b"+ mended"),
    "discord_send": says({"id": "900"}),
    "discord_read": says([MESSAGE]),
    "discord_react": answered(status=204),
    "delegate_to": says(REPLY),
    "peer_consult": says(REPLY),
}
STRING = "Input should be a valid string"
INTEGER = "Input should be a valid integer"
NOT_BLANK = "String should have at least 1 character"
NOBODY = "Error: unknown {} 'nobody'. Available: {}."
SEEDS = {
    "peer_list": Seed({}, {}, None, "scout (a2a) — Looks things up\ncoder (acp)"),
    "peer_consult": Seed(
        {"name": "scout", "message": "A city?"}, {"skill": ""}, ("message", 1, STRING), "Oslo",
        refuses=[({"name": "nobody"}, NOBODY.format("peer", "scout"))],
    ),
    "delegate_to": Seed(
        {"target": "scout", "query": "A city?"}, {"background": False},
        ("background", "yes", "Input should be a valid boolean"), "Oslo",
        refuses=[({"target": "nobody"}, NOBODY.format("delegate", "scout"))],
    ),
    "delegate_to_coder": Seed(
        {"target": "coder", "query": "Hi"}, {"background": False}, ("query", "", NOT_BLANK),
        "Looking at it.\n\nWrote hello.txt.\n[Files: hello.txt (created)]",
        refuses=[({"target": "nobody"}, NOBODY.format("delegate", "coder"))],
    ),
    "code_with": Seed(
        {"agent": "coder", "task": "Hi"}, {}, ("task", 1, STRING),
        "Looking at it.\n\nWrote hello.txt.\n[Files: hello.txt (created)]",
        refuses=[({"agent": "nobody"}, NOBODY.format("coding agent", "coder"))],
    ),
    "github_get_pr": Seed(
        {"repo": "o/r", "number": 7}, {}, ("number", 0, "Input should be greater than or equal to 1"),
        "#7 It leaks\nstate: merged · author: ada · main ← mend · +3 −1 in 2 files · labels: bug\n"
        "https://github.com/o/r/pull/7\n\nSince Monday.",
    ),
    "github_get_issue": Seed(
        {"repo": "o/r", "number": 7}, {}, ("number", "1", INTEGER),
        "#7 It leaks\nstate: open · author: ada · 2 comments · labels: bug\n"
        "https://github.com/o/r/issues/7\n\nSince Monday.",
    ),
    "github_list_issues": Seed(
        {"repo": "o/r"}, {"state": "open", "limit": 20},
        ("state", "odd", "Input should be 'open', 'closed' or 'all'"),
        "#7 [open] It leaks (ada) · labels: bug",
    ),
    "github_get_commit_diff": Seed(
        {"repo": "o/r", "ref": "main"}, {"max_chars": 8_000}, ("ref", 1, STRING), "+ mended"
    ),
    "discord_send": Seed(
        {"channel_id": "55", "content": "Hi"}, {}, ("content", 1, STRING), "Sent message to 55 (id 900)."
    ),
    "discord_read": Seed(
        {"channel_id": "55"}, {"limit": 20}, ("limit", "20", INTEGER),
        "[2026-05-01T10:00:00+00:00] ada (2): Hi",
    ),
    "discord_react": Seed(
        {"channel_id": "55", "message_id": "7", "emoji": "👍"}, {}, ("emoji", 1, STRING),
        "Reacted with 👍 to 7.",
    ),
}  # fmt: skip
AT_WORK = ("code_with", "delegate_to_coder")


@pytest.fixture
async def run_of(pack: Registry, recorded: Any) -> AsyncIterator[Callable[[str], Any]]:
    """The runner of a tool."""
    async with AsyncExitStack() as stack:

        async def reaching(name: str) -> Run:
            service = await recorded(*([ANSWERS[name]] if name in ANSWERS else []))
            delegates = NamedDelegates(
                *(one for one in DELEGATES if name == "peer_list" or one.type == "a2a")
            )
            return Called(PackWorld(pack, egress=service, delegates=delegates)).run

        async def at_work() -> Run:
            world = await stack.enter_async_context(shell_world())
            world.registry = discover(
                world.isolation, [EntryPoint("protoagent", "foldline_protoagent", PACKS)]
            )
            await world.put("coder.py", CODER)
            value = {"delegates": msgspec.to_builtins(DELEGATES)}
            people = Entities(world.log, world.clock, GATEWAY)
            await people.write(
                EntityKey(AGENT, DELEGATES_KIND, DELEGATES_NAME), value, EntityWriter.user("named")
            )
            return Called(world, "protoagent").run

        async def run(name: str) -> Run:
            return await (at_work() if name in AT_WORK else reaching(name))

        yield run


def test_each_tool_has_a_row(whole: Registry) -> None:
    (pack,) = [pack for pack in whole.packs if pack.name == "protoagent"]
    tools = [tool for tool in pack.tools if tool.spec.family in OUTSIDE]
    assert {tool.spec.name for tool in tools} == SEEDS.keys()
    assert {tool.spec.name for tool in tools if tool.spec.runs_on is RunsOn.WORKSPACE} == set(AT_WORK)
    assert [spec.name for spec in pack.published] == ["delegate_in_background"]


@pytest.mark.processes
@pytest.mark.parametrize("name", SEEDS)
async def test_it_takes_gives_and_refuses_what_the_seed_says(
    whole: Registry, run_of: Callable[[str], Any], name: str
) -> None:
    tool = whole.get(f"protoagent.{name}")
    assert tool is not None
    found = await flaws(await run_of(name), tool.spec, SEEDS[name])
    assert found == [], "\n".join(found)
