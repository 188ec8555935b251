"""A service is one folder: one that is installed beside the others is served, has its rights, its consumer,
its settings and its password, and starts with the rest, without an edit anywhere."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.errors import TimeoutError as NoAnswer

from foldline.supervisor.announcement import read_announcement
from foldline.testing.stack import Stack

REPOSITORY = Path(__file__).parents[2]
SERVICE = '''
"""A service that says that it lives."""

from pydantic import Field

from agent_platform.nats.consuming.consumer import ConsumerSpec
from agent_platform.nats.rights import Rights, reads, works_on
from agent_platform.process.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings, WorkSettings


class DummySettings(ServiceSettings, WorkSettings):
    """What it says."""

    dummy_word: str = Field(default="hello", description="what the dummy says")


DECLARATION = ServiceDeclaration(
    name="dummy",
    entry="dummy_service.app:serve",
    settings=DummySettings,
    nats_user="dummy",
    rights=Rights(publish=("dummy.>", *reads("LOG"), *works_on("dummies"))),
    consumers=(ConsumerSpec("dummies", ("ses.*.*.*.in.user_message",)),),
)
'''
APP = '''
"""Says its word, each second and for each message."""

import asyncio

from agent_platform.nats.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.process.service import running_service
from dummy_service.service import DECLARATION


async def serve(settings):
    async with running_service(DECLARATION, settings) as service:

        async def handle(delivery):
            await service.connection.publish("dummy.handled", settings.dummy_word.encode())

        async def given_up(message, reason):
            raise AssertionError(reason)

        spec = settings.paced(DECLARATION.consumers[0])
        async with asyncio.TaskGroup() as group:
            group.create_task(JetStreamConsumer(service, spec, handle, given_up).run())
            while True:
                await service.connection.publish("dummy.lives", settings.dummy_word.encode())
                await asyncio.sleep(0.5)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder, as installing its wheel would leave it."""
    folder = tmp_path_factory.mktemp("site")
    package, info = folder / "dummy_service", folder / "dummy_service-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").touch()
    (package / "service.py").write_text(SERVICE)
    (package / "app.py").write_text(APP)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dummy-service\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foldline.services]\ndummy = dummy_service.service:DECLARATION\n")
    return folder


@pytest.fixture(scope="module")
def path(folder: Path) -> dict[str, str]:
    """The environment in which it is installed."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}


def said(path: dict[str, str], *words: str, **more: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")}
    ran = subprocess.run(
        [sys.executable, *words],
        env={**clean, **path, "COLUMNS": "200", **more},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
        cwd=path["PYTHONPATH"].partition(os.pathsep)[0],
    )
    return ran.stdout


def test_the_command_line_offers_it(path: dict[str, str]) -> None:
    assert "dummy" in said(path, "-m", "foldline", "serve", "--help")
    assert "dummy" not in said({**path, "PYTHONPATH": str(REPOSITORY)}, "-m", "foldline", "serve", "--help")


def test_its_settings_are_listed_with_all_others(path: dict[str, str]) -> None:
    listed = json.loads(said(path, "-m", "foldline", "config", "--json", FOLDLINE_DUMMY_WORD="hi"))
    (row,) = [row for row in listed["settings"] if row["name"] == "FOLDLINE_DUMMY_WORD"]
    assert (row["value"], row["source"]) == ("hi", "env FOLDLINE_DUMMY_WORD")


def test_the_configuration_of_nats_has_its_user(path: dict[str, str]) -> None:
    code = "import runpy; made = runpy.run_path(r'%s'); print(made['nats_conf']())" % (
        REPOSITORY / "deploy" / "generate.py"
    )
    (line,) = [line for line in said(path, "-c", code).splitlines() if 'user: "dummy"' in line]
    assert "$FOLDLINE_NATS_PASSWORD_DUMMY" in line
    assert '"dummy.>"' in line
    assert "ses." not in line


@pytest.fixture(scope="module", params=["one process", "processes"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, path: dict[str, str]
) -> Iterator[Stack]:
    env = {**path, "FOLDLINE_MODEL": "demo", "FOLDLINE_DUMMY_WORD": "moin"}
    data_dir = tmp_path_factory.mktemp("dummy")
    with Stack(data_dir, processes=request.param == "processes", env=env) as stack:
        yield stack


async def connected(stack: Stack, user: str) -> Client:
    passwords = json.loads((stack.data_dir / "passwords.json").read_text())["nats"]
    announcement = read_announcement(stack.data_dir)
    assert announcement is not None
    client = Client()
    await client.connect(
        announcement.nats_url,
        user=user,
        password=passwords[user],
        inbox_prefix=f"_INBOX.{user}".encode(),
        error_cb=_nothing,
    )
    return client


async def _nothing(error: Exception) -> None:
    """Refusals are seen as answers that don't come."""


async def test_it_starts_with_the_rest_and_works_on_its_consumer(running: Stack) -> None:
    admin = await connected(running, "admin")
    try:
        lives = await admin.subscribe("dummy.lives")
        handled = await admin.subscribe("dummy.handled")
        assert (await lives.next_msg(30)).data == b"moin"
        with running.gateway() as gateway:
            gateway.post("/sessions", {"message": "to whom it may concern"})
        assert (await handled.next_msg(30)).data == b"moin"
        info: Any = json.loads((await admin.request("$JS.API.CONSUMER.INFO.LOG.dummies", b"")).data)
        assert info["config"]["ack_wait"] == 30 * 10**9
    finally:
        await admin.close()


async def test_its_user_has_its_rights_and_no_other(running: Stack) -> None:
    dummy = await connected(running, "dummy")
    try:
        answer: Any = json.loads((await dummy.request("$JS.API.STREAM.INFO.LOG", b"")).data)
        assert answer["config"]["name"] == "LOG"
        with pytest.raises(NoAnswer):
            await dummy.request("ses.default.1.s.in.user_message", b"{}", timeout=1)
        with pytest.raises(NoAnswer):
            await dummy.request("$JS.API.STREAM.INFO.KV_secrets", b"", timeout=1)
    finally:
        await dummy.close()


def test_as_a_process_it_is_kept_alive_as_others_are(running: Stack) -> None:
    pids = running.pids("dummy")
    if not pids:
        pytest.skip("all in one process")
    running.kill("dummy")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not set(running.pids("dummy")) - set(pids):
        time.sleep(0.1)
    assert set(running.pids("dummy")) - set(pids)
