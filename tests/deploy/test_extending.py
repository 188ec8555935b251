"""What docs/extend/in-the-source.md shows works as it stands there: each block becomes a file, and runs."""

import asyncio
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nats.aio.msg import Msg
from pydantic import SecretStr

from agent_contracts.event_sources import Actor
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.record.writers import _BY_TYPE, _BY_WORKERS, TOOL_WORKERS
from agent_contracts.log.subjects import CATALOG_BUCKET
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn
from agent_domain.catalog import Catalog
from agent_platform.log.bucket import bucket
from agent_platform.log.events import first_event
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.users import nats_users
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover, rights_of, service_named
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_tools.world import AGENT, SESSION, CallWorld

PAGE = (Path(__file__).parents[2] / "docs" / "extend" / "in-the-source.md").read_text()
BLOCKS = dict(
    re.findall(r"^File `([^`]+)`[^`]*?(?:`[^`]*`[^`]*?)*?:\n\n```\w+\n(.*?)^```", PAGE, re.M | re.S)
)
MOST_LINES = 16
PASSWORDS = {"admin": "a-password", "clock": "c-password"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to import from; what was imported from it is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in path.parent.relative_to(folder).parents:
        if package != Path():
            (folder / package / "__init__.py").touch()
    if path.parent != folder:
        (path.parent / "__init__.py").touch()
    path.write_text(text)


def install(folder: Path, pyproject: str) -> None:
    """Its metadata, as an installer writes it."""
    project = tomllib.loads(pyproject)["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_each_block_is_about_ten_lines(name: str) -> None:
    assert len([line for line in BLOCKS[name].splitlines() if line.strip()]) <= MOST_LINES


async def test_a_service(folder: Path, nats_servers: StartNats) -> None:
    for name in ("clock/service.py", "clock/app.py"):
        write(folder, name, BLOCKS[name])
    install(folder, BLOCKS["clock.toml"])
    declared = service_named("clock", discover())
    server = nats_servers(nats_users(rights_of([declared]), PASSWORDS))
    settings = declared.settings(nats_url=server.url, nats_credentials=SecretStr("clock:c-password"))
    listener = await connect(server.url, name="test", user="admin", password="a-password")
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(message: Msg) -> None:
        await heard.put(message.data)

    await listener.subscribe("live.clock", hear)
    running = asyncio.ensure_future(declared.load()(settings))
    try:
        assert re.match(rb"\d{4}-\d\d-\d\dT", await asyncio.wait_for(heard.get(), 60))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await listener.close()


async def test_a_kind_of_worker(
    folder: Path, nats_servers: StartNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dice/service.py", "dice/app.py"):
        write(folder, name, BLOCKS[name])
    install(folder, BLOCKS["clock.toml"].replace("clock", "dice"))
    monkeypatch.setitem(TOOL_WORKERS, "dice", "/dice")  # the line that it has in agent_contracts
    monkeypatch.setitem(_BY_WORKERS, "/dice", frozenset({Actor.SERVICE}))
    monkeypatch.setitem(_BY_TYPE[ToolCallCompleted], "/dice", frozenset({Actor.SERVICE}))
    declared = service_named("dice", discover())
    server = nats_servers(nats_users(rights_of([declared]), {"admin": "a-password", "dice": "d-password"}))
    admin = await connect(server.url, name="test", user="admin", password="a-password")
    await ensure_streams(admin, StreamSettings())
    await ensure_consumers(admin, consumers_of([declared]))
    settings = declared.settings(nats_url=server.url, nats_credentials=SecretStr("dice:d-password"))
    running = asyncio.ensure_future(declared.load()(settings))
    try:
        world = CallWorld(log=JetStreamLog(admin))
        await world.request("roll", effect=Effect.EXTERNAL, runs_on=RunsOn("dice"))
        ended: Any = (await eventually(world.result, within=60)).event
        assert (ended.result["eyes"] in range(1, 7), ended.runner[:2]) == (True, "d_")
        catalogues = await Catalog(bucket(admin, CATALOG_BUCKET)).list()
        assert [tool.runs_on for tool in catalogues["dice"].tools] == ["dice"]
        assert await first_event(world.log, SessionKey(AGENT, SESSION).claims, after=0)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await admin.close()
