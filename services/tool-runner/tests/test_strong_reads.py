"""What a session wrote in one call, any session of that agent reads in the next, on whichever runner."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import Effect
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import SESSION
from foldline_testing.tool_runner.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHER = SessionId("s2")
CODE = {"description": "d", "parameter_schema": {"type": "object"}, "code": "return 1"}
LIBRARY = {"description": "d", "code": "exports.a = 1"}
PAGE = {"description": "d", "code": "export default () => null"}
SKILL = {"description": "d", "content": "c"}

Step = tuple[str, dict[str, Any]]


def definition(noun: str, made: dict[str, Any], change: dict[str, Any]) -> list[tuple[Step, Step, Any]]:
    """Made, changed and deleted; after each, what `read_…` says of version and description."""
    create, update = f"create_{noun}", f"update_{noun}"
    delete, read = f"delete_{noun}", (f"read_{noun}", {"name": "one"})
    return [
        ((create, {"name": "one", **made}), read, {"version": 1, "description": "d"}),
        ((update, {"name": "one", **change}), read, {"version": 2, "description": "e"}),
        ((delete, {"name": "one"}), read, None),
    ]


NEW = {"description": "e"}
FAMILIES: dict[str, list[tuple[Step, Step, Any]]] = {
    "tools": definition("tool", CODE, NEW),
    "functions": definition("function", CODE, NEW),
    "libraries": definition("library", LIBRARY, NEW),
    "components": definition("ui_component", PAGE, NEW),
    "skills": definition("skill", SKILL, NEW),
    "state": [
        (("set_state", {"key": "k", "value": 1}), ("get_state", {"key": "k"}), {"value": 1}),
        (("set_state", {"key": "k", "value": 2}), ("get_state", {"key": "k"}), {"value": 2}),
        (("delete_state", {"key": "k"}), ("list_state_keys", {}), {"keys": []}),
    ],
    "database": [
        (("db_sql", {"sql": "CREATE TABLE t (a)"}), ("db_sql", {"sql": "SELECT * FROM t"}), {"rows": []}),
        (
            ("db_sql", {"sql": "INSERT INTO t VALUES (1)"}),
            ("db_sql", {"sql": "SELECT * FROM t"}),
            {"rows": [[1]]},
        ),
        (("db_sql", {"sql": "DROP TABLE t"}), ("db_schema", {}), {"tables": []}),
    ],
    "prompt": [
        (("edit_system_prompt", {"operation": "replace", "content": text}), ("read_system_prompt", {}), told)
        for text, told in (("a", {"prompt": "a"}), ("b", {"prompt": "b"}))
    ],
    "notepad": [
        (("write_notepad", {"content": "a"}), ("read_notepad", {}), {"content": "a", "version": 1}),
        (
            ("update_notepad", {"operation": "append", "content": "b"}),
            ("read_notepad", {}),
            {"content": "ab", "version": 2},
        ),
    ],
    "notes": [
        (("edit_learned_notes", {"operation": "append", "content": "x"}), ("read_learned_notes", {}), told)
        for told in ({"notes": "x"}, {"notes": "xx"})
    ],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def runners(
    take_nats: Callable[[], NatsForTest], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[list[World]]:
    """Two, each with a connection and a folder of its own, on one log."""
    nats = take_nats()
    connections = [await connect(nats.url, name=name) for name in ("one", "other")]
    await ensure_streams(connections[0], StreamSettings())
    folders: list[Path] = [tmp_path_factory.mktemp("copies") for _ in connections]
    made = [
        World(log=JetStreamLog(connection), folder=folder)
        for connection, folder in zip(connections, folders, strict=True)
    ]
    yield made
    for world, connection in zip(made, connections, strict=True):
        await world.databases.close()
        await connection.close()


@pytest.mark.parametrize("family", FAMILIES)
async def test_a_write_on_one_runner_is_read_on_the_other(runners: list[World], family: str) -> None:
    one, other = runners
    reader = SESSION if family == "notepad" else OTHER  # a session's notepad is its own
    for number, ((tool, arguments), (reading, asked), told) in enumerate(FAMILIES[family]):
        writes = {"call_id": f"{family}-w{number}", "effect": Effect.RECORDED, "session_id": SESSION}
        wrote = await one.run(tool, arguments, **writes)
        assert not hasattr(wrote, "error"), wrote
        read = await other.run(reading, asked, call_id=f"{family}-r{number}", session_id=reader)
        if told is None:
            assert read.error.kind == "not_found"
        else:
            assert {name: read.result[name] for name in told} == told
        one, other = other, one
