"""A log that lost something: the start refuses and says what is missing; a person may go on without it."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.approving import until
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.faults

STREAMS = Path("nats/store/jetstream/FOLDLINE/streams")


def said(door: Gateway, session: str, text: str) -> None:
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


@pytest.fixture(scope="module")
def made_once(shared_model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a Foldline that had two conversations and was stopped."""
    stack = Stack(tmp_path_factory.mktemp("made-once") / "data", env=shared_model.environment())
    with stack, stack.gateway() as door:
        for text in ("one", "two"):
            said(door, door.post("/sessions", {})["id"], text)
    assert json.loads((stack.data_dir / "log.json").read_text())["last"] > 15
    return stack.data_dir


@pytest.fixture
def data(made_once: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "data"
    subprocess.run(["cp", "-a", str(made_once), str(copy)], check=True)
    return copy


def refused(data: Path, tmp_path: Path) -> str:
    """What `up` says."""
    up = Command(data, tmp_path)("up", "--port", "0")
    assert up.code == 1
    return " ".join(up.err.split())


def test_a_start_over_a_truncated_log_is_refused_and_may_be_accepted(
    data: Path, tmp_path: Path, shared_model: ModelServer
) -> None:
    block = data / STREAMS / "LOG/msgs/1.blk"
    os.truncate(block, block.stat().st_size // 2)
    words = refused(data, tmp_path)
    assert "The log is damaged" in words
    assert "missing: " in words
    assert "No backup was made here" in words
    assert "foldline up --accept-loss" in words
    stack = Stack(data, env=shared_model.environment(), more=["--accept-loss"])
    with stack, stack.gateway() as door:
        said(door, door.post("/sessions", {})["id"], "three")
        findings = {one["check"]: one for one in Command(data, tmp_path)("doctor", "--json").json}
        assert findings["log"]["verdict"] == "ok"
        assert "were erased or given up" in findings["log"]["text"]


def delete(block: Path) -> None:
    block.unlink()


def garble(block: Path) -> None:
    content = bytearray(block.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 2_000] = bytes(2_000)
    block.write_bytes(content)


@pytest.mark.parametrize("damage", [delete, garble])
def test_a_start_over_a_block_that_is_gone_or_garbled_is_refused(
    data: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    damage(data / STREAMS / "LOG/msgs/1.blk")
    words = refused(data, tmp_path)
    assert "The log is damaged" in words
    assert "missing: " in words
    assert refused(data, tmp_path).startswith(words[:40]), "the first refusal changed nothing"


@pytest.mark.parametrize(
    ("gone", "says"),
    [
        (STREAMS / "LOG", "events missing: 1 to "),
        (Path("nats/store"), "nats/store has none"),
    ],
    ids=["the log", "the whole store"],
)
def test_where_the_log_is_gone_no_new_agent_is_made(
    data: Path, tmp_path: Path, gone: Path, says: str
) -> None:
    shutil.rmtree(data / gone)
    assert says in refused(data, tmp_path)
    assert says in refused(data, tmp_path)  # the first refusal made nothing that the second takes for a log


def test_one_changed_byte_is_found_before_the_start_in_a_large_log_after_it(
    data: Path, tmp_path: Path, shared_model: ModelServer
) -> None:
    block = data / STREAMS / "LOG/msgs/1.blk"
    content = bytearray(block.read_bytes())
    at = content.index(b'"text":"one"') + 9
    content[at] ^= 1
    block.write_bytes(content)
    assert "The log is damaged" in refused(data, tmp_path)
    with Stack(data, env=shared_model.environment() | {"FOLDLINE_LOG_READ_AT_START": "0"}) as stack:
        foldline = Command(data, tmp_path)
        doctor = foldline("doctor", "--json")
        assert doctor.code == 1
        assert [one["check"] for one in doctor.json if one["verdict"] == "problem"] == ["log"]
        verify = foldline("verify")
        assert verify.code == 1
        assert "event missing: " in verify.err
        assert "log.damaged" in stack.log


def test_lost_blobs_and_keys_are_told_and_everything_else_goes_on(
    data: Path, tmp_path: Path, shared_model: ModelServer
) -> None:
    foldline = Command(data, tmp_path)
    with Stack(data, env=shared_model.environment()) as stack, stack.gateway() as door:
        door.put("/agents/default/secrets/KEY", {"value": "a-value-of-a-secret", "hosts": ["a.example"]})
        assert foldline("verify").code == 0
    for stream in ("BLOB", "KV_secrets"):
        shutil.rmtree(data / STREAMS / stream)
    with Stack(data, env=shared_model.environment()) as stack, stack.gateway() as door:
        until(lambda: "blobs.lost" in stack.log)
        assert "KV_secrets lacks default.KEY" in stack.log
        doctor = foldline("doctor", "--json")
        findings = {one["check"]: one for one in doctor.json if one["verdict"] == "problem"}
        assert sorted(findings) == ["blobs", "stores"]
        assert doctor.code == 1
        assert "set these secrets again" in findings["stores"]["to_do"]
        verify = foldline("verify")
        assert verify.code == 1
        assert "blobs that events name are lost" in " ".join(verify.err.split())
        session = door.get("/sessions")["items"][0]["id"]
        exported = foldline("export", session, "--to", str(tmp_path / "session"))
        assert exported.code == 0
        assert "were lost here" in exported.out
        assert foldline("import", str(tmp_path / "session"), "--ids", "new").code == 0
        assert "are not in it" in foldline("backup", str(tmp_path / "backup.tar")).out
        assert foldline("restore", str(tmp_path / "backup.tar"), "--check").code == 0
    with Stack(data, env=shared_model.environment(), more=["--accept-loss"]):
        assert foldline("verify").code == 0
