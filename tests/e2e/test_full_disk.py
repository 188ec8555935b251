"""A full disk, of NATS and Postgres alike: Foldline says so, and is whole soon after it is freed."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.small_disk import SmallDisk, small_disk
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.faults

_MEGABYTES = 220
_LONG = "word " * 30_000
_WHOLE_S = 60.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", _MEGABYTES) as disk:
        yield disk


def said(door: Gateway, session: str, text: str) -> str:
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    return text


def problems(foldline: Command) -> set[str]:
    """The checks that doctor found something wrong by."""
    return {one["check"] for one in foldline("doctor", "--json").json if one["verdict"] == "problem"}


def ready(stack: Stack) -> httpx.Response:
    return httpx.get(f"{stack.url}/readyz", timeout=10, verify=NO_TLS)


def until(holds: Callable[[], bool], what: str, patience_s: float = _WHOLE_S) -> None:
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


@pytest.mark.timeout(240)
def test_a_full_disk_is_said_and_what_was_stored_is_whole_once_it_is_freed(
    disk: SmallDisk, shared_model: ModelServer, tmp_path: Path
) -> None:
    with Stack(disk.path / "data", env=shared_model.environment()) as stack, stack.gateway() as door:
        foldline = Command(stack.data_dir, tmp_path)
        session = door.post("/sessions", {})["id"]
        said(door, session, "before")
        assert ready(stack).status_code == 200

        disk.fill()
        refused = httpx.post(
            f"{stack.url}/api/v1/sessions/{session}/messages",
            json={"text": _LONG},
            headers={"authorization": f"Bearer {stack.token}"},
            timeout=60,
        )
        assert refused.status_code == 503, refused.text
        assert "no space left on device" in refused.json()["detail"]
        assert "Make room" in refused.json()["detail"]
        until(lambda: ready(stack).status_code == 503, "it says that it is ready")
        assert "no space left" in ready(stack).text
        assert {"disk", "gateway", "storage"} <= problems(foldline)
        for one in foldline("doctor", "--json").json:
            assert "Traceback" not in one["text"], one
            assert "\n" not in one["text"], one
        (cause,) = foldline("top", "--once", "--json").json["causes"]
        assert cause["what"].startswith("the disk of data is full: 0 MB of ")

        disk.free()
        until(lambda: ready(stack).status_code == 200, "it is not ready again")
        said(door, session, "after")
        until(lambda: _texts(door, session) == ["before", "after"], "the tables don't have it all")
        assert problems(foldline) <= {"disk"}  # which is small
    disk.fill()
    refused_start = foldline("up", "--port", "0")
    assert refused_start.code == 1
    assert "is full" in refused_start.err


@pytest.mark.timeout(240)
def test_where_only_nats_has_no_room_reads_go_on_and_a_wake_is_told_why_it_was_not_taken(
    shared_model: ModelServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with (
        small_disk(data / "nats", 64) as disk,
        Stack(data, env=shared_model.environment()) as stack,
        stack.gateway() as door,
    ):
        session = door.post("/sessions", {})["id"]
        said(door, session, "before")
        until(lambda: _texts(door, session) == ["before"], "the tables don't have it")
        before = stack.pids("nats")
        disk.fill()

        def wake() -> httpx.Response:
            return httpx.post(
                f"{stack.url}/api/v1/wakes",
                json={
                    "specversion": "1.0",
                    "id": "w1",
                    "source": "/a",
                    "type": "a.b",
                    "subject": f"session/{session}",
                    "data": {"message": _LONG[:20_000]},
                },
                headers={
                    "authorization": f"Bearer {stack.token}",
                    "content-type": "application/cloudevents+json",
                },
                timeout=60,
                verify=NO_TLS,
            )

        for _ in range(8):
            refused = wake()
            assert refused.status_code == 503, refused.text
            assert "Make room" in refused.json()["detail"]
            assert "retry-after" in refused.headers
            assert _texts(door, session) == ["before"], "what is stored is read"
            assert door.get("/sessions")["items"]
        assert stack.pids("nats") == before != [], "it is not restarted while that can't help"
        disk.free()
        until(lambda: ready(stack).status_code == 200, "it is not ready again")
        until(lambda: wake().status_code == 202, "the wake isn't taken")


def _texts(door: Gateway, session: str) -> list[str]:
    try:
        page = door.get(f"/sessions/{session}/messages")
    except Failure:
        return []
    return [one["text"] for one in page["items"] if one["role"] == "user"]


@pytest.mark.timeout(240)
def test_postgres_whose_folder_is_emptied_while_it_runs_is_made_anew_and_filled(
    shared_model: ModelServer, tmp_path: Path
) -> None:
    with Stack(tmp_path / "data", env=shared_model.environment()) as stack, stack.gateway() as door:
        session = door.post("/sessions", {})["id"]
        said(door, session, "before")
        until(lambda: _texts(door, session) == ["before"], "the tables don't have it")
        before = stack.pids("postgres")
        for path in (stack.data_dir / "postgres/cluster").iterdir():
            shutil.rmtree(path, ignore_errors=True)  # it still writes there
            if path.is_file():
                path.unlink()
        until(lambda: stack.pids("postgres") not in ([], before), "it is not started again")
        until(lambda: _texts(door, session) == ["before"], "the tables are not filled again")
        assert Command(stack.data_dir, tmp_path)("projections", "check").code == 0


@pytest.mark.timeout(240)
def test_conversations_go_on_while_the_disk_of_postgres_is_full_and_the_tables_follow_once_it_is_freed(
    shared_model: ModelServer, tmp_path: Path
) -> None:
    with (
        small_disk(tmp_path / "data/postgres", 120) as disk,
        Stack(tmp_path / "data", env=shared_model.environment()) as stack,
        stack.gateway() as door,
    ):
        session = door.post("/sessions", {"token_limit": 10**9})["id"]
        said(door, session, "before")
        disk.fill()
        texts = [f"{number} {_LONG}" for number in range(6)]
        for text in texts:
            said(door, session, text)
        assert ready(stack).status_code == 200
        disk.free()
        until(lambda: _texts(door, session) == ["before", *texts], "the tables don't have it all")
        assert Command(stack.data_dir, tmp_path)("projections", "check").code == 0
