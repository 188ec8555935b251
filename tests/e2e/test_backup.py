"""A backup of a Foldline that people use: restored elsewhere, it goes on from there."""

import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.faults

_EVERY_S = 0.05  # 20 messages a second


def said(door: Gateway, session: str, text: str) -> None:
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


@contextmanager
def load(stack: Stack) -> Iterator[list[str]]:
    """Sends messages to sessions of their own all the time; yields the sessions that got one."""
    stop, sent, failed = threading.Event(), list[str](), list[Exception]()

    def send() -> None:
        try:
            with stack.gateway() as door:
                while not stop.wait(_EVERY_S):
                    session = door.post("/sessions", {})["id"]
                    door.post(f"/sessions/{session}/messages", {"text": "under load"})
                    sent.append(session)
        except Exception as error:
            failed.append(error)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield sent
    finally:
        stop.set()
        sender.join()
    assert failed == []


def until_answered(door: Gateway, session: str, messages: int = 2) -> None:
    def shown() -> int:
        try:
            return len(door.get(f"/sessions/{session}/messages")["items"])
        except Rejected as error:  # after a restore the projector has to make the tables first
            if error.kind != "unavailable":
                raise
            return 0

    deadline = time.monotonic() + 60
    while shown() < messages:
        assert time.monotonic() < deadline, f"{session} is not answered"
        time.sleep(0.1)


@pytest.mark.timeout(240)
def test_a_backup_under_load_is_restored_elsewhere_and_goes_on(
    shared_model: ModelServer, tmp_path: Path
) -> None:
    env = shared_model.environment()
    with Stack(tmp_path / "data", env=env) as stack, stack.gateway() as door:
        foldline = Command(stack.data_dir, tmp_path)
        session = door.post("/sessions", {})["id"]
        said(door, session, "before")
        blob = b"\x00\xff" * 700_000  # more than a message of NATS may have
        sent_files = door.send_files([("kept.bin", io.BytesIO(blob))], {"session_id": session})
        (kept,) = sent_files["items"]
        door.put("/agents/default/secrets/WEATHER", {"value": "a-secret-value", "hosts": ["api.example.org"]})
        with load(stack) as sent:
            while len(sent) < 20:
                time.sleep(0.05)
            made = foldline("backup", str(tmp_path / "backup.tar"), "--json")
            assert made.code == 0, made.err
        checked = foldline("restore", "--check", str(tmp_path / "backup.tar"), "--json")
        assert checked.code == 0, checked.err
        assert checked.json["hash"] == made.json["hash"]
        finding = next(one for one in foldline("doctor", "--json").json if one["check"] == "backup")
        assert f"up to event {made.json['sequence']}" in finding["text"]

    elsewhere = Command(tmp_path / "elsewhere", tmp_path)
    words = elsewhere("restore", str(tmp_path / "backup.tar"))
    assert words.code == 0, words.err
    assert f"up to event {made.json['sequence']}" in words.out
    assert made.json["hash"] in words.out
    assert "The key of the secrets was not in it" in words.out
    with Stack(elsewhere.data_dir, env=env) as stack, stack.gateway() as door:
        assert door.download(f"/files/{kept['file_id']}/content") == blob
        said(door, session, "after")
        until_answered(door, session, 4)  # the tables are being made from the restored log
        texts = [one["text"] for one in messages(door, session)]
        assert texts == ["before", "You said: before", "after", "You said: after"]
        for one in sent[:10]:  # which the backup has: they were answered, there or here
            until_answered(door, one)
        assert elsewhere("verify").code == 0
        assert elsewhere("projections", "check").code == 0
