"""Our client reads and writes what nats-py does, only faster."""

import asyncio
from typing import Any

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import BadHeaderError, ProtocolError
from nats.protocol.parser import Parser

from agent_contracts.errors import Conflict
from agent_contracts.log.record.records import Expect, NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.client import FastClient, FastParser
from agent_platform.nats.connection import NatsConnection


@pytest.mark.parametrize(
    "raw",
    [
        b"ce-id: e1\r\nce-type: t.v1\r\n\r\n",
        b"a:b\r\nc:\td \r\n  e : f\r\n",
        "name: ключ ∀\r\n".encode(),
        b"name: a: b: c\r\nempty:\r\n",
        b"bad name: x\r\nno colon\r\n\xff: x\r\nn: \xff\xfe\r\n: nameless\r\n\r\n",
        b"twice: 1\r\ntwice: 2\r\n",
        b"",
        "nbsp: \u00a0x\u00a0\r\n\u00a0name: y\r\n".encode(),
    ],
)
def test_headers_are_read_as_nats_py_reads_them(raw: bytes) -> None:
    expected = {name: value for name, value in Client._parse_header_lines(raw).items() if name}
    assert FastClient._parse_header_lines(raw) == expected
    assert FastClient._parse_header_lines(raw) == expected  # from memory


class Recording(Client):
    """Keeps what nats-py would send."""

    sent: bytes = b""
    _flush_queue: asyncio.Queue[Any] | None = None

    async def _send_command(self, cmd: bytes, priority: bool = False) -> None:
        self.sent += cmd


class FastRecording(FastClient, Recording):
    """Keeps what we would send."""

    _flush_queue = asyncio.Queue()


@pytest.mark.parametrize(
    "headers",
    [
        {"Nats-Msg-Id": "e1", "ce-type": "t.v1"},
        {"a": " b ", "c": ""},
        {"a": "ключ ∀"},
        {"a": "two\r\nlines", "b": "tab\tinside"},
        {"a": "cr\ronly"},
        {" padded ": "x", "": "dropped"},
        {"a": "b\u2028c"},
        {},
        None,
    ],
)
async def test_messages_are_sent_as_nats_py_sends_them(headers: dict[str, str] | None) -> None:
    ours, theirs = FastRecording(), Recording()
    for client in (ours, theirs):
        await client._send_publish("a.b", "reply", b"body", 4, headers)
    assert ours.sent == theirs.sent
    assert (ours.stats["out_msgs"], ours.stats["out_bytes"]) == (1, 4)


async def test_a_header_name_that_nats_py_refuses_is_refused() -> None:
    with pytest.raises(BadHeaderError):
        await FastRecording()._send_publish("a.b", "", b"", 0, {"bad name": "x"})


async def test_more_than_the_socket_takes_at_once_arrives_whole_and_in_order(
    connection: NatsConnection,
) -> None:
    arrived: list[int] = []
    done = asyncio.Event()

    async def take(message: Msg) -> None:
        arrived.append(int(message.data[:8]))
        if len(arrived) == 2000:
            done.set()

    await connection.subscribe("numbers", take)
    for number in range(2000):
        await connection.publish("numbers", b"%08d" % number + bytes(5000))
    async with asyncio.timeout(30):
        await done.wait()
    assert arrived == list(range(2000))


async def test_an_expectation_about_the_message_s_own_subject_is_stored_without_naming_it(
    jetstream: JetStreamLog,
) -> None:
    message = NewMessage("ses.a.1.s.in.x", b"{}", {"Nats-Msg-Id": "m1"})
    await jetstream.append(message, Expect(message.subject, 0))
    with pytest.raises(Conflict):
        await jetstream.append(
            NewMessage(message.subject, b"{}", {"Nats-Msg-Id": "m2"}), Expect(message.subject, 0)
        )
    stored = await jetstream.last(message.subject)
    assert stored is not None
    assert [name for name in stored.headers if "Expected" in name] == ["Nats-Expected-Last-Subject-Sequence"]


class Heard:
    """A client that only listens to its parser."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        self.heard.append((sid, bytes(subject), bytes(reply), bytes(data), bytes(headers or b"")))

    async def _process_ping(self) -> None:
        self.heard.append("ping")

    async def _process_pong(self) -> None:
        self.heard.append("pong")

    async def _process_err(self, text: str) -> None:
        self.heard.append(text)


STREAM = (
    b"MSG a.b 1 5\r\nhello\r\n"
    b"PING\r\n"
    b"MSG a.b 12 in.box 0\r\n\r\n"
    b"HMSG c 3 21 26\r\nNATS/1.0\r\nid: e.1\r\n\r\nworld\r\n"
    b"HMSG c 3 re.ply 16 16\r\nNATS/1.0 404\r\n\r\n\r\n"
    b"+OK\r\n-ERR 'Permissions Violation'\r\n"
    b"MSG MSG 4 22\r\nMSG a 1 1\r\nx\r\nMSG b 1 \r\n"
    b"PONG\r\nMSG a.b 1 1\r\n\n\r\n"
)


@pytest.mark.parametrize("size", [*range(1, 60), len(STREAM)])
async def test_messages_are_read_as_nats_py_reads_them_however_they_are_cut(size: int) -> None:
    ours, theirs = Heard(), Heard()
    for parser in (FastParser(ours), Parser(theirs)):
        for start in range(0, len(STREAM), size):
            await parser.parse(STREAM[start : start + size])
    assert len(ours.heard) == 9
    assert ours.heard == theirs.heard


@pytest.mark.parametrize("garbage", [b"MSG a 1 x\r\n", b"MSG a\r\n", b"WHAT\r\n", b"HMSG a 1 5 y\r\n"])
async def test_what_nats_py_refuses_is_refused(garbage: bytes) -> None:
    for parser in (FastParser(Heard()), Parser(Heard())):
        with pytest.raises(ProtocolError):
            await parser.parse(b"MSG a 1 1\r\nx\r\n" + garbage)


async def test_who_is_told_at_once_and_fails_doesnt_keep_others_from_hearing(
    connection: NatsConnection,
) -> None:
    heard: list[bytes] = []

    def fails(message: Msg) -> None:
        heard.append(message.data)
        raise ValueError("a bug")

    await connection.subscribe_at_once("told.at.once", fails)
    await connection.flush()
    for number in range(3):
        await connection.publish("told.at.once", str(number).encode())
    await connection.flush()
    assert heard == [b"0", b"1", b"2"]
