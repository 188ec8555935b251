"""Listing files costs the log as little for many as for one."""

from collections import Counter
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.ids import SessionId
from agent_domain.files.file import FileContent, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.files.files import FileQuery


async def test_a_hundred_files_are_listed_with_as_many_requests_as_one(
    memory: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files(Entities(memory.log, SystemClock(), event_sources.RUNNER), memory.blobs)
    here = Workspace(DEFAULT_AGENT)
    requests: Counter[str] = Counter()
    for name in ("get", "last", "last_of_each", "record"):
        asks = getattr(memory.log, name)

        def counting(*args: Any, _asks: Any = asks, _name: str = name, **more: Any) -> Any:
            requests[_name] += 1
            return _asks(*args, **more)

        monkeypatch.setattr(memory.log, name, counting)

    async def listed(count: int) -> Counter[str]:
        requests.clear()
        page = await memory.operations.files.list(DEFAULT_AGENT, FileQuery())
        assert page.count == count
        return Counter(requests)

    await files.create(here, NewFile("0.bin", FileContent(b"0")), EntityWriter.user("w0"))
    one = await listed(1)
    for number in range(1, 100):
        await files.create(here, NewFile(f"{number}.bin", FileContent(b"0")), EntityWriter.user(f"w{number}"))
    assert await listed(100) == one


async def test_files_of_one_path_in_several_sessions_are_each_on_one_page(memory: InMemory) -> None:
    files = Files(Entities(memory.log, SystemClock(), event_sources.RUNNER), memory.blobs)
    places = [None, *(SessionId(f"s_{number}") for number in range(6))]
    for number, session in enumerate(places):
        where = Workspace(DEFAULT_AGENT, session)
        await files.create(where, NewFile("same.txt", FileContent(b"x")), EntityWriter.user(f"w{number}"))
    seen: list[str | None] = []
    asking = FileQuery(limit=2)
    while True:
        page = await memory.operations.files.list(DEFAULT_AGENT, asking)
        seen += [one.session_id for one in page.items]
        if page.next_cursor is None:
            break
        asking = FileQuery(limit=2, after=page.next_cursor)
    assert len(seen) == len(places)
    assert set(seen) == set(places)
