"""Servers and clients of the TypeScript SDK: tools that become others under way."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.entities.mcp_servers import McpServer, Stdio
from agent_contracts.errors import ErrorKind
from foldline.cli.client import Gateway
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from foldline_testing.product.mcp_suite import INSTALLED, NODE
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from mcp_host.connecting.server_opener import ServerKey

TS = ServerKey(AGENT, "ts")
SOURCES = Path(__file__).parent / "typescript"
TOOL = {
    "description": "Doubles.",
    "parameter_schema": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
    "code": "return args.n * 2",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, where they find the SDK."""
    made = tmp_path_factory.mktemp("typescript")
    shutil.copytree(SOURCES, made, dirs_exist_ok=True)
    (made / "package.json").write_text('{"type": "module"}')
    (made / "node_modules").symlink_to(INSTALLED / "node_modules")
    return made


@asynccontextmanager
async def served(folder: Path, world: McpWorld, kind: str) -> AsyncIterator[None]:
    """The server `ts`, added and accepted."""
    program = str(folder / "server.ts")
    if kind == "stdio":
        command = Stdio(str(NODE), (program, "stdio"), cwd=str(folder))
        await world.keep("ts", McpServer(command, unconfined=True))
        await world.accept("ts")
        yield
        return
    running = await asyncio.create_subprocess_exec(NODE, program, "http", stdout=subprocess.PIPE)
    try:
        assert running.stdout is not None
        port = int(await running.stdout.readline())
        await world.add("ts", f"http://127.0.0.1:{port}/mcp")
        await world.accept("ts")
        yield
    finally:
        running.kill()
        await running.wait()


@pytest.mark.parametrize("kind", ["stdio", "http"])
@pytest.mark.parametrize(
    ("act", "then"),
    [
        ("make", None),
        ("change", "something else of its tool"),
        ("rename", "has no tool"),
        ("remove", "has no tool"),
    ],
)
async def test_a_tool_of_a_server_that_is_made_changed_renamed_or_removed_is_not_obeyed(
    folder: Path, tmp_path: Path, kind: str, act: str, then: str | None
) -> None:
    async with mcp_world(data=tmp_path / "data") as world, served(folder, world, kind):
        done = await world.call("ts__note", text="a")
        assert done.result == {"text": "noted: a"}, done
        waiting = await world.asked("ts__note", text="b")
        made = await world.asked("ts__other", text="c")
        connection = await world.connections.get(TS)
        before = {one.name for one in connection.tools.tools}
        assert (await world.call("ts__act", what=act)).result == {"text": "done"}
        await until(lambda: _differs(world, before, act), 20)
        ended = await world.handled(waiting)
        if then is None:
            assert ended.result == {"text": "noted: b"}, ended
            assert (await world.handled(made)).error.kind == ErrorKind.UNKNOWN_TOOL, "nobody accepted it"
        else:
            assert ended.error.kind == ErrorKind.NOT_AVAILABLE, ended
            assert then in ended.error.message
        state = (await world.told("ts")).state
        assert state == ("connected" if act == "remove" else "changed"), "what is gone needs nobody's word"


async def _differs(world: McpWorld, before: set[str], act: str) -> bool:
    """Whether the host has heard of it."""
    connection = await world.connections.get(TS)
    now = {one.name: one.description for one in connection.tools.tools}
    return set(now) != before or "evil" in now.get("note", "")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("data")
    with (
        ModelServer({"rules": [{"reply": {"text": "hello"}}]}) as model,
        Stack(folder, env=model.environment()) as made,
    ):
        yield made


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_a_typescript_client_sees_each_change_of_what_an_agent_exposes(
    stack: Stack, folder: Path, kind: str
) -> None:
    with stack.gateway() as door, client(stack, door, folder, kind) as told:
        assert told(call="ask_agent", **{"with": {"message": "hi"}})["structuredContent"]["answer"] == "hello"
        tools = f"/agents/default/tools/double_{kind}"
        door.put(tools, TOOL)
        door.put("/agents/default/exposed-tools", {"names": [f"double_{kind}"]})
        seen = {one["name"]: one["description"] for one in told()}
        assert seen[f"double_{kind}"] == "Doubles."
        assert told(call=f"double_{kind}", **{"with": {"n": 2}})["structuredContent"] == {"result": 4}
        door.put(tools, {**TOOL, "description": "Triples.", "code": "return args.n * 3"})
        assert {one["name"]: one["description"] for one in told()}[f"double_{kind}"] == "Triples."
        assert told(call=f"double_{kind}", **{"with": {"n": 2}})["structuredContent"] == {"result": 6}
        door.put(f"/agents/default/tools/triple_{kind}", TOOL)
        door.put("/agents/default/exposed-tools", {"names": [f"triple_{kind}"]})
        assert f"double_{kind}" not in {one["name"] for one in told()}
        assert "no tool" in told(call=f"double_{kind}", **{"with": {"n": 2}})["failed"]
        door.delete(f"/agents/default/tools/triple_{kind}")
        assert f"triple_{kind}" not in {one["name"] for one in told()}
        assert "no tool" in told(call=f"triple_{kind}", **{"with": {"n": 2}})["failed"]


@contextmanager
def client(stack: Stack, door: Gateway, folder: Path, kind: str) -> Iterator[Any]:
    """What a running client answers to a line."""
    rights = ["read", "say", "fork", "tools"]
    token = door.post("/program-tokens", {"name": f"ts-{kind}", "agent_id": "default", "rights": rights})[
        "token"
    ]
    where = (
        [f"{stack.url}/mcp", token] if kind == "http" else [sys.executable, "-m", "foldline", "mcp", "serve"]
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")}
    env |= {"FOLDLINE_DATA_DIR": str(stack.data_dir), "FOLDLINE_MCP_TOKEN": token}
    running = subprocess.Popen(
        [NODE, folder / "client.ts", kind, *where],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
    )

    def told(**line: Any) -> Any:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(json.dumps(line) + "\n")
        running.stdin.flush()
        return json.loads(running.stdout.readline())

    try:
        yield told
    finally:
        running.kill()
        running.communicate()
