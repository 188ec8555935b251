"""A service is one folder: one that is installed beside the others is served, has its rights, its consumer,
its settings and its password, and starts with the rest, without an edit anywhere."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.errors import TimeoutError as NoAnswer

from foldline.supervisor.announcement import read_announcement
from foldline_testing.product.dummy import WORD
from foldline_testing.product.stack import Stack

REPOSITORY = Path(__file__).parents[2]


def said(dummy: dict[str, str], *words: str, **more: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")}
    ran = subprocess.run(
        [sys.executable, *words],
        env={**clean, **dummy, "COLUMNS": "200", **more},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
        cwd=dummy["PYTHONPATH"].partition(os.pathsep)[0],
    )
    return ran.stdout


def test_the_command_line_offers_it(dummy: dict[str, str]) -> None:
    assert "dummy" in said(dummy, "-m", "foldline", "serve", "--help")
    assert "dummy" not in said({**dummy, "PYTHONPATH": str(REPOSITORY)}, "-m", "foldline", "serve", "--help")


def test_its_settings_are_listed_with_all_others(dummy: dict[str, str]) -> None:
    listed = json.loads(said(dummy, "-m", "foldline", "config", "--json", FOLDLINE_DUMMY_WORD="hi"))
    (row,) = [row for row in listed["settings"] if row["name"] == "FOLDLINE_DUMMY_WORD"]
    assert (row["value"], row["source"]) == ("hi", "env FOLDLINE_DUMMY_WORD")


def test_the_configuration_of_nats_has_its_user(dummy: dict[str, str]) -> None:
    code = "import runpy; made = runpy.run_path(r'%s'); print(made['nats_conf']())" % (
        REPOSITORY / "deploy" / "generate.py"
    )
    (line,) = [line for line in said(dummy, "-c", code).splitlines() if 'user: "dummy"' in line]
    assert "$FOLDLINE_NATS_PASSWORD_DUMMY" in line
    assert '"dummy.>"' in line
    assert "ses." not in line


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


async def lives_and_works(running: Stack) -> None:
    admin = await connected(running, "admin")
    try:
        lives = await admin.subscribe("dummy.lives")
        handled = await admin.subscribe("dummy.handled")
        assert (await lives.next_msg(30)).data == WORD.encode()
        with running.gateway() as gateway:
            gateway.post("/sessions", {"message": "to whom it may concern"})
        assert (await handled.next_msg(30)).data == WORD.encode()
        info: Any = json.loads((await admin.request("$JS.API.CONSUMER.INFO.LOG.dummies", b"")).data)
        assert info["config"]["ack_wait"] == 30 * 10**9
    finally:
        await admin.close()


async def test_it_starts_with_the_rest_and_works_on_its_consumer(other_stack: Stack) -> None:
    await lives_and_works(other_stack)


async def test_as_a_process_it_starts_with_the_rest_and_works_on_its_consumer(apart: Stack) -> None:
    await lives_and_works(apart)


async def test_its_user_has_its_rights_and_no_other(other_stack: Stack) -> None:
    await has_its_rights(other_stack)


async def test_as_a_process_its_user_has_its_rights_and_no_other(apart: Stack) -> None:
    await has_its_rights(apart)


async def has_its_rights(running: Stack) -> None:
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


def test_as_a_process_it_is_kept_alive_as_others_are(apart: Stack) -> None:
    pids = apart.kill("dummy")
    assert pids
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not set(apart.pids("dummy")) - set(pids):
        time.sleep(0.1)
    assert set(apart.pids("dummy")) - set(pids)
